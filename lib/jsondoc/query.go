package jsondoc

import (
	"context"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"
)

// Query is a compiled jq expression. It sees no environment, no files and no
// other input than the value it is run on.
type Query struct {
	expr string
	code *gojq.Code
}

// CompileQuery compiles a jq expression.
func CompileQuery(expr string) (*Query, error) {
	parsed, err := gojq.Parse(expr)
	if err != nil {
		return nil, fmt.Errorf("jq expression %q: %w", expr, err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, fmt.Errorf("jq expression %q: %w", expr, err)
	}
	return &Query{expr: expr, code: code}, nil
}

// Run applies the expression to one JSON value and hands each result to emit
// as one compact line, newline included. gojq sorts the keys of objects.
// Integers keep all their digits. It stops at the first error: of the
// expression, of emit, of ctx.
func (q *Query) Run(ctx context.Context, raw []byte, emit func(line []byte) error) error {
	input, err := decodeAny(raw, "jq input")
	if err != nil {
		return err
	}
	iter := q.code.RunWithContext(ctx, input)
	for {
		v, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, ok := v.(error); ok {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return nil
			}
			return fmt.Errorf("jq expression %q: %w", q.expr, err)
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return fmt.Errorf("jq expression %q: %w", q.expr, err)
		}
		if err := emit(append(line, '\n')); err != nil {
			return err
		}
	}
}
