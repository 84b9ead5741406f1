package schema

import (
	"errors"
	"fmt"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// Error is a document that is not of the kind, version or form that was due.
// It tells every problem on a line of its own.
type Error struct {
	// Name is what the document is called, a path or "-".
	Name string
	// Problems has at least one element, sorted by place.
	Problems []finding.Finding
}

// Error gives one "name:line:col: /pointer: found (expected …)" a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = line(p)
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the problems as errors, so that each can be reported with the
// prefix of the program.
func (e *Error) Unwrap() []error {
	parts := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		parts[i] = lineError(line(p))
	}
	return parts
}

// ExitStatus is 2: the document is the caller's.
func (e *Error) ExitStatus() int { return 2 }

// lineError is one problem of an Error.
type lineError string

func (e lineError) Error() string { return string(e) }

// ExitStatus is that of the Error it belongs to.
func (e lineError) ExitStatus() int { return 2 }

func line(f finding.Finding) string {
	var b strings.Builder
	b.WriteString(f.Artifact)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": ")
	if f.Pointer != "" {
		b.WriteString(f.Pointer + ": ")
	}
	b.WriteString(f.Message)
	if f.Expected != "" {
		b.WriteString(" (expected " + f.Expected + ")")
	}
	return b.String()
}

// Decode checks that a document is of a kind and of a version known here, and
// that it fits the schema, then stores it in v. Unknown keys are no problem:
// they stay in the document. Rows that Validate looks into as documents of
// their own are not examined. The error is an *Error.
func Decode(doc jsondoc.Doc, kind string, v any) error {
	if err := Check(doc, kind); err != nil {
		return err
	}
	err := doc.Decode(v)
	if err == nil {
		return nil
	}
	p := finding.Finding{Level: finding.Error, Code: CodeSchema, Artifact: doc.Name, Message: err.Error()}
	if de, ok := errors.AsType[*jsondoc.DecodeError](err); ok {
		p.Pointer, p.Line, p.Column = de.Pointer, de.Line, de.Col
		p.Message, p.Found, p.Expected = de.Found, de.Found, de.Expected
	}
	return &Error{Name: doc.Name, Problems: []finding.Finding{p}}
}

// Check is Decode without storing anything.
func Check(doc jsondoc.Doc, kind string) error {
	value, err := doc.Value()
	if err != nil {
		return &Error{Name: doc.Name, Problems: []finding.Finding{unreadable(doc, err)}}
	}
	problems := inspect(value, strings.TrimPrefix(kind, kindPrefix), false)
	if len(problems) == 0 {
		return nil
	}
	return &Error{Name: doc.Name, Problems: findings(doc, nil, problems)}
}

// ValidateLine is Validate for one line of a stream, given without its line
// end and already read strictly. Findings have its number as their line.
func ValidateLine(name string, number int, raw []byte, kind string) []finding.Finding {
	list := Validate(jsondoc.Doc{Name: name, Raw: raw}, kind)
	for i := range list {
		list[i].Line = number
	}
	return list
}

// DecodeLine is Decode for one line of a stream, given without its line end
// and already read strictly. Positions in the error have its number as their
// line.
func DecodeLine(name string, number int, raw []byte, kind string, v any) error {
	err := Decode(jsondoc.Doc{Name: name, Raw: raw}, kind, v)
	if e, ok := errors.AsType[*Error](err); ok {
		for i := range e.Problems {
			e.Problems[i].Line = number
		}
	}
	return err
}
