package jsondoc

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const document = `{
  "kind": "okstra-x",
  "models": {"claude-opus-4.1": 1, "@this": 2},
  "list": [
    1,
    2
  ],
  "unknown": { "kept" : [ ] }
}
`

func TestSetKeepsEverythingElse(t *testing.T) {
	for _, tt := range []struct {
		name, text, pointer string
		value               any
		want                string
	}{
		{"replace", `{"b":1, "a":2}`, "/a", "x", `{"b":1, "a":"x"}`},
		{"key with a dot", `{"a.b":1,"a":{"b":2}}`, "/a.b", 9, `{"a.b":9,"a":{"b":2}}`},
		{"key of gjson's modifiers", `{"@this":1}`, "/@this", 9, `{"@this":9}`},
		{"number as key of an object", `{"o":{"1":1}}`, "/o/1", 9, `{"o":{"1":9}}`},
		{"number as a new key", `{"o":{}}`, "/o/1", 9, `{"o":{"1":9}}`},
		{"minus one as key", `{"-1":0}`, "/-1", 9, `{"-1":9}`},
		{"bracketed key", `{"[0]":0,"a":1}`, "/[0]", 9, `{"[0]":9,"a":1}`},
		{"wildcard as key", `{"ab":0,"a*":1}`, "/a*", 9, `{"ab":0,"a*":9}`},
		{"empty key", `{"":0,"a":1}`, "/", 9, `{"":9,"a":1}`},
		{"empty key, new", `{"a":1}`, "/", 9, `{"a":1,"":9}`},
		{"empty keys nested", `{"":{"":1}}`, "//", 9, `{"":{"":9}}`},
		{"escaped key in the text", `{"\u0061":1}`, "/a", 9, `{"\u0061":9}`},
		{"slash and tilde", `{"a/b":{"c~d":1}}`, "/a~1b/c~0d", 9, `{"a/b":{"c~d":9}}`},
		{"whole document", ` {"a":1} `, "", []int{1}, ` [1] `},
		{"element", `[1, 2,3]`, "/1", 9, `[1, 9,3]`},
		{"append by dash", `[1, 2]`, "/-", 9, `[1, 2, 9]`},
		{"append by index", `[]`, "/0", 9, `[9]`},
		{"new member keeps the layout", "{\n  \"a\" : 1\n}\n", "/b", 9, "{\n  \"a\" : 1,\n  \"b\" : 9\n}\n"},
		{"new member of an empty object", `{"o":{ }}`, "/o/k", 9, `{"o":{"k":9 }}`},
		{"no HTML escapes", `{}`, "/<k>", "a<b&\u2028", "{\"<k>\":\"a<b&\u2028\"}"},
		{"digits survive", `{"a":12345678901234567890123,"b":1.0}`, "/c", 9, `{"a":12345678901234567890123,"b":1.0,"c":9}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := mustParse(t, tt.text)
			got, err := doc.Set(tt.pointer, tt.value)
			if err != nil || string(got.Raw) != tt.want {
				t.Errorf("Set(%q) of %s\n got %s %v\nwant %s", tt.pointer, tt.text, got.Raw, err, tt.want)
			}
			if string(doc.Raw) != tt.text {
				t.Errorf("Set changed the old document to %s", doc.Raw)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	doc := mustParse(t, document)
	for _, tt := range []struct {
		name, pointer string
		value         any
	}{
		{"missing parent", "/no/such", 1},
		{"scalar parent", "/kind/x", 1},
		{"index with a gap", "/list/3", 1},
		{"key in an array", "/list/x", 1},
		{"no pointer", "kind", 1},
		{"value that is no JSON", "/kind", []byte(`{"a":`)},
		{"value with a duplicate key", "/kind", []byte(`{"a":1,"a":2}`)},
		{"Go value without JSON", "/kind", func() {}},
	} {
		if got, err := doc.Set(tt.pointer, tt.value); err == nil {
			t.Errorf("%s: Set(%q) gave %s, want an error", tt.name, tt.pointer, got.Raw)
		}
	}
	if _, err := doc.Set("/no/such", 1); !errors.Is(err, ErrNoPlace) {
		t.Errorf("Set below nothing = %v, want ErrNoPlace", err)
	}
}

func TestDelete(t *testing.T) {
	for _, tt := range []struct{ name, text, pointer, want string }{
		{"first", `{"a": 1, "b": 2}`, "/a", `{"b": 2}`},
		{"middle", `{"a": 1, "b": 2, "c": 3}`, "/b", `{"a": 1, "c": 3}`},
		{"last", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/b", "{\n  \"a\": 1\n}\n"},
		{"only one", "{\n  \"a\": 1\n}\n", "/a", "{}\n"},
		{"element", `[1, 2, 3]`, "/0", `[2, 3]`},
		{"empty key", `{"": 1, "b": 2}`, "/", `{"b": 2}`},
		{"nothing there", `{"a": 1}`, "/b", `{"a": 1}`},
		{"key with a dot", `{"a":{"b":1},"a.b":2}`, "/a.b", `{"a":{"b":1}}`},
	} {
		got, err := mustParse(t, tt.text).Delete(tt.pointer)
		if err != nil || string(got.Raw) != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, got.Raw, err, tt.want)
		}
	}
	if _, err := mustParse(t, `{}`).Delete(""); !errors.Is(err, ErrNoPlace) {
		t.Errorf("Delete of the document = %v, want ErrNoPlace", err)
	}
}

// sjson and the splice by offsets give the same bytes wherever sjson is used.
func TestSjsonReplacesLikeSplice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, value := randomDocument(t)
		var pointers []string
		walk(value, "", func(pointer string, _ any) { pointers = append(pointers, pointer) })
		pointer := rapid.SampledFrom(pointers).Draw(t, "pointer")
		tab := doc.positions()
		n, ok := tab.find(pointer)
		if !ok {
			t.Fatalf("%q not found in %s", pointer, doc.Raw)
		}
		want, err := doc.splice(int(tab.nodes[n].start), int(tab.nodes[n].end), []byte(`{"new":true}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := doc.Set(pointer, map[string]bool{"new": true})
		if err != nil || string(got.Raw) != string(want.Raw) {
			t.Fatalf("Set(%q) of %s\n got %s %v\nwant %s", pointer, doc.Raw, got.Raw, err, want.Raw)
		}
	})
}

// What was set is found again, deleting a new member restores the bytes, and
// nothing else has changed.
func TestSetThenDeleteRestores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, value := randomDocument(t)
		object, ok := value.(map[string]any)
		if !ok {
			t.Skip("no object")
		}
		key := rapid.SampledFrom(awkwardKeys).Draw(t, "key")
		changed, err := doc.Set(Pointer(key), 42)
		if err != nil {
			t.Fatal(err)
		}
		if raw, ok := changed.Lookup(Pointer(key)); !ok || string(raw) != "42" {
			t.Fatalf("%s: %q is %s after Set", changed.Raw, key, raw)
		}
		if _, existed := object[key]; existed || len(object) == 0 {
			return
		}
		restored, err := changed.Delete(Pointer(key))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(doc.Raw), string(restored.Raw)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func randomDocument(t *rapid.T) (Doc, any) {
	value := anyJSON(3).Draw(t, "value")
	marshal := rapid.SampledFrom([]func(any) ([]byte, error){Marshal, MarshalLine}).Draw(t, "layout")
	raw, err := marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Parse("f", raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc, value
}

// FuzzEdit: on any accepted document and any pointer, Set and Delete give a
// document or an error, never rubbish with a nil error.
func FuzzEdit(f *testing.F) {
	for _, pointer := range []string{"", "/", "/a", "/a/0", "/a/-", "/@this", "/a.b", "/a~1b", "//", "/\xff"} {
		f.Add([]byte(`{"a":[1,2],"":{"":0},"@this":1,"a.b":{"a/b":null}}`), pointer)
	}
	f.Fuzz(func(t *testing.T, raw []byte, pointer string) {
		doc, err := Parse("f", raw)
		if err != nil {
			t.Skip()
		}
		if changed, err := doc.Set(pointer, "new"); err == nil {
			if _, err := Parse("f", changed.Raw); err != nil {
				t.Fatalf("Set(%q) of %s gave %s: %v", pointer, raw, changed.Raw, err)
			}
			if _, existed := doc.Lookup(pointer); existed {
				if got, _ := changed.Lookup(pointer); string(got) != `"new"` {
					t.Fatalf("Set(%q) of %s gave %s", pointer, raw, changed.Raw)
				}
			}
		}
		if shorter, err := doc.Delete(pointer); err == nil {
			if _, err := Parse("f", shorter.Raw); err != nil {
				t.Fatalf("Delete(%q) of %s gave %s: %v", pointer, raw, shorter.Raw, err)
			}
		}
	})
}
