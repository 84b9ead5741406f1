package jsondoc

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	for _, tt := range []struct{ expr, in, want string }{
		{`.a`, `{"a":{"z":1,"b":2}}`, "{\"b\":2,\"z\":1}\n"},
		{`.[]`, `[1,"x",null]`, "1\n\"x\"\nnull\n"},
		{`.`, `12345678901234567890`, "12345678901234567890\n"},
		{`.a + 1`, `{"a":12345678901234567890}`, "12345678901234567891\n"},
		{`.`, `"<&>\u2028"`, "\"<&>\u2028\"\n"},
		{`empty`, `1`, ""},
		{`1, halt, 2`, `1`, "1\n"},
		{`env, $ENV`, `1`, "{}\n{}\n"},
	} {
		q, err := CompileQuery(tt.expr)
		if err != nil {
			t.Errorf("CompileQuery(%q) = %v", tt.expr, err)
			continue
		}
		var out strings.Builder
		err = q.Run(t.Context(), []byte(tt.in), func(line []byte) error { out.Write(line); return nil })
		if err != nil || out.String() != tt.want {
			t.Errorf("%s on %s = %q %v, want %q", tt.expr, tt.in, out.String(), err, tt.want)
		}
	}
}

func TestQueryRefuses(t *testing.T) {
	for _, tt := range []struct{ name, expr, want string }{
		{"syntax", `.a |`, "unexpected"},
		{"unknown function", `nosuch`, "nosuch/0"},
		{"modules of the file system", `import "x" as x; .`, "module"},
		{"further inputs", `input`, "input"},
	} {
		q, err := CompileQuery(tt.expr)
		if err == nil {
			err = q.Run(t.Context(), []byte(`{}`), func([]byte) error { return nil })
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "jq expression") {
			t.Errorf("%s: %v, want an error of the jq expression with %q", tt.name, err, tt.want)
		}
	}
}

func TestQueryStops(t *testing.T) {
	q, err := CompileQuery(`repeat(1)`)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	n := 0
	err = q.Run(t.Context(), []byte(`1`), func([]byte) error {
		if n++; n == 3 {
			return full
		}
		return nil
	})
	if err != full || n != 3 {
		t.Errorf("Run = %v after %d results, want the error of emit after 3", err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Run(ctx, []byte(`1`), func([]byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Run with a cancelled context = %v", err)
	}
	boom, err := CompileQuery(`.a, error("boom")`)
	if err != nil {
		t.Fatal(err)
	}
	if err := boom.Run(t.Context(), []byte(`{}`), func([]byte) error { return nil }); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("Run of error() = %v", err)
	}
}
