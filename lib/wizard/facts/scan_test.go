package facts

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTopStringsTakesTheTopLevelOnly(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
		ok   bool
	}{
		{`{"a": "1", "b": "2"}`, "map[a:1 b:2]", true},
		{` {"x": {"a": "inner"}, "y": ["a", "z"], "a" : "out\"er\u00e9"} `, `map[a:out"eré]`, true},
		{`{"a": 1, "b": null, "c": "3"}`, "map[]", true},
		{`{"b": "a", "a": "b"}`, "map[a:b b:a]", true},
		{`{"a": ["1"], "b": "2"}`, "map[b:2]", true},
		{`{}`, "map[]", true},
		{`[]`, "map[]", false},
		{`"a"`, "map[]", false},
		{``, "map[]", false},
		{`{"a": "1"`, "map[]", false},
		{`{"a": "1`, "map[]", false},
		{`{"a": "\x"}`, "map[]", false},
		{`{"a": "1"}}`, "map[]", false},
		{`}`, "map[]", false},
		{`{"a": "1"} x`, "map[]", false},
	} {
		got, ok := topStrings([]byte(tt.text), "a", "b")
		if ok != tt.ok || ok && fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, %v, want %s, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

// Of every JSON object it finds what a decoder finds.
func TestTopStringsIsADecoderOfValidObjects(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just(any(nil)))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`a|b|c|\\|"`), value(depth-1), 0, 3), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.MapOfN(rapid.StringMatching(`a|b|c|\\|"`), value(2), 0, 5).Draw(t, "document")
		raw, err := json.MarshalIndent(doc, "", strings.Repeat(" ", rapid.IntRange(0, 2).Draw(t, "indent")))
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]any
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, key := range []string{"a", "b"} {
			if text, ok := back[key].(string); ok {
				want[key] = text
			}
		}
		got, ok := topStrings(raw, "a", "b")
		if !ok || !maps.Equal(got, want) {
			t.Fatalf("%s: %v, %v, want %v", raw, got, ok, want)
		}
	})
}

func FuzzTopStrings(f *testing.F) {
	for _, seed := range []string{`{"a": "1", "b": {"a": "2"}}`, `{"a": "\u00"}`, `{"`, `[[`, `{"a":"\\"}`, `{}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := topStrings(raw, "a", "b")
		if !json.Valid(raw) {
			return
		}
		var object map[string]any
		isObject := json.Unmarshal(raw, &object) == nil && object != nil
		if ok != isObject {
			t.Fatalf("%q: %v, %v, want %v", raw, got, ok, isObject)
		}
	})
}
