package jsondoc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) Doc {
	t.Helper()
	doc, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const sample = `{
  "a": [1, {"b.c": "é\n", "x~y/z": null}],
  "": {"": 0},
  "한국어": "값", "after": true,
	"12": [],
  "esc\u0061ped": -1.5e3
}
`

func TestPositionAndLookup(t *testing.T) {
	doc := mustParse(t, sample)
	for _, tt := range []struct {
		pointer   string
		line, col int
		raw       string
	}{
		{"", 1, 1, strings.TrimSpace(sample)},
		{"/a", 2, 8, `[1, {"b.c": "é\n", "x~y/z": null}]`},
		{"/a/0", 2, 9, `1`},
		{"/a/1/b.c", 2, 20, `"é\n"`},
		{"/a/1/x~0y~1z", 2, 36, `null`},
		{"/", 3, 7, `{"": 0}`},
		{"//", 3, 12, `0`},
		{"/한국어", 4, 10, `"값"`},
		{"/after", 4, 24, `true`},
		{"/12", 5, 8, `[]`},
		{"/escaped", 6, 19, `-1.5e3`},
		{"/a/2", 0, 0, ``},
		{"/a/01", 0, 0, ``},
		{"/a/-", 0, 0, ``},
		{"/a/-1", 0, 0, ``},
		{"/a/99999999999999999999", 0, 0, ``},
		{"/a/0/x", 0, 0, ``},
		{"/nope", 0, 0, ``},
		{"a", 0, 0, ``},
		{"/after/0", 0, 0, ``},
	} {
		line, col := doc.Position(tt.pointer)
		raw, ok := doc.Lookup(tt.pointer)
		if line != tt.line || col != tt.col || string(raw) != tt.raw || ok != (tt.line > 0) {
			t.Errorf("%q: %d:%d %q %v, want %d:%d %q", tt.pointer, line, col, raw, ok, tt.line, tt.col, tt.raw)
		}
	}
}

func TestKeysInFileOrder(t *testing.T) {
	doc := mustParse(t, sample)
	for _, tt := range []struct {
		pointer string
		want    []string
		n       int
	}{
		{"", []string{"a", "", "한국어", "after", "12", "escaped"}, 6},
		{"/a/1", []string{"b.c", "x~y/z"}, 2},
		{"/a", nil, 2},
		{"/12", nil, 0},
		{"/nope", nil, 0},
	} {
		if diff := cmp.Diff(tt.want, doc.Keys(tt.pointer)); diff != "" {
			t.Errorf("Keys(%q): %s", tt.pointer, diff)
		}
		if got := doc.Len(tt.pointer); got != tt.n {
			t.Errorf("Len(%q) = %d, want %d", tt.pointer, got, tt.n)
		}
	}
}

func TestDocByHandAnswersLikeParsed(t *testing.T) {
	hand := Doc{Name: "f", Raw: []byte(sample)}
	if line, col := hand.Position("/after"); line != 4 || col != 24 {
		t.Errorf("Position = %d:%d, want 4:24", line, col)
	}
	if line, col := (Doc{}).Position(""); line != 0 || col != 0 {
		t.Errorf("Position in the zero Doc = %d:%d, want 0:0", line, col)
	}
}

// The table's line and column are those of the plain count, wherever the
// offset lies in relation to its blocks.
func TestFastLineColIsSlowLineCol(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "語", "😀", "\n", "\r\n", strings.Repeat("x", 511)}), 0, 60).Draw(t, "text")
		raw := []byte(strings.Join(pieces, ""))
		tab := &table{raw: raw}
		offset := 0
		for _, r := range string(raw) {
			wantLine, wantCol := lineCol(raw, offset)
			if line, col := tab.lineCol(offset); line != wantLine || col != wantCol {
				t.Fatalf("offset %d: %d:%d, want %d:%d", offset, line, col, wantLine, wantCol)
			}
			offset += len(string(r))
		}
	})
}

// Every value is found by its pointer, and its text is the one that a walk
// over the decoded value expects there.
func TestLookupFindsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := anyJSON(4).Draw(t, "value")
		raw, err := Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Parse("f", raw)
		if err != nil {
			t.Fatal(err)
		}
		walk(value, "", func(pointer string, v any) {
			got, ok := doc.Lookup(pointer)
			if !ok {
				t.Fatalf("%s: %q not found", raw, pointer)
			}
			want, _ := MarshalLine(v)
			line, err := MarshalLine(got)
			if err != nil || !bytes.Equal(line, want) {
				t.Fatalf("%q: %s, want %s", pointer, line, want)
			}
		})
	})
}

func walk(v any, pointer string, visit func(string, any)) {
	visit(pointer, v)
	switch v := v.(type) {
	case map[string]any:
		for key, kid := range v {
			walk(kid, pointer+Pointer(key), visit)
		}
	case []any:
		for i, kid := range v {
			walk(kid, pointer+Pointer(strconv.Itoa(i)), visit)
		}
	}
}

// awkwardKeys are keys that some path language understands as something else.
var awkwardKeys = []string{
	"", ".", "a.b", "@this", "#", "0", "-1", ":1", "*", "a|b", `a\b`, `"`, "/", "~", "~1", "한", "\n", "[0]", "{", "a", "b", "-", "\u2028", "<",
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), toAny), rapid.Map(rapid.Int(), toAny), rapid.Map(rapid.String(), toAny),
	)
	if depth == 0 {
		return leaf
	}
	key := rapid.OneOf(rapid.SampledFrom(awkwardKeys), rapid.String())
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(depth - 1) })
	return rapid.OneOf(leaf,
		rapid.Map(rapid.MapOfN(key, inner, 0, 5), toAny),
		rapid.Map(rapid.SliceOfN(inner, 0, 5), toAny),
	)
}

func toAny[T any](v T) any { return v }

func TestPointerRoundTrip(t *testing.T) {
	for _, tt := range []struct {
		tokens  []string
		pointer string
	}{
		{nil, ""}, {[]string{""}, "/"}, {[]string{"a/b", "m~n", "~1"}, "/a~1b/m~0n/~01"},
	} {
		if got := Pointer(tt.tokens...); got != tt.pointer {
			t.Errorf("Pointer(%q) = %q, want %q", tt.tokens, got, tt.pointer)
		}
		if got, ok := Tokens(tt.pointer); !ok || !slices.Equal(got, tt.tokens) {
			t.Errorf("Tokens(%q) = %q %v, want %q", tt.pointer, got, ok, tt.tokens)
		}
	}
	if _, ok := Tokens("a/b"); ok {
		t.Error(`Tokens("a/b") accepted, want refused: no slash in front`)
	}
}

// largeDocument has n values on one line, so that columns are as far to the
// right as they can be.
func largeDocument(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"rows":[`)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n / 4 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"F-%06d","text":"größe %d %s","n":%d}`, i, rnd.Int(), strings.Repeat("wort ", 40), rnd.IntN(1e9))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkPositions asks for every value of a 10 MB document of one line; the
// time per value must not grow with the document.
func BenchmarkPositions(b *testing.B) {
	for _, values := range []int{10_000, 100_000} {
		raw := largeDocument(values)
		b.Run(strconv.Itoa(values), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				doc, err := Parse("f", raw)
				if err != nil {
					b.Fatal(err)
				}
				for i := range values / 4 {
					if line, _ := doc.Position("/rows/" + strconv.Itoa(i) + "/n"); line != 1 {
						b.Fatal("not found")
					}
				}
			}
		})
	}
}

func TestOneDocumentServesManyGoroutines(t *testing.T) {
	doc := mustParse(t, sample)
	done := make(chan [2]int)
	for range 8 {
		go func() {
			line, col := doc.Position("/after")
			done <- [2]int{line, col}
		}()
	}
	for range 8 {
		if got := <-done; got != [2]int{4, 24} {
			t.Errorf("Position = %v, want 4:24", got)
		}
	}
}
