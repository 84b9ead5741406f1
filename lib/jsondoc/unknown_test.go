package jsondoc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	Name string            `json:"name"`
	Any  any               `json:"any"`
	Refs map[string]string `json:"refs"`
}

type outer struct {
	inner

	List  []*inner         `json:"list"`
	By    map[string]inner `json:"by"`
	Plain []string
	Not   int `json:"-"`
}

// What Decode skips is found, wherever it stands, and what it stores is not.
func TestUnknownFindsWhatDecodeSkips(t *testing.T) {
	doc, err := Parse("d.json", []byte(`{"new": 1, "name": "a", "Name": "b", "any": {"x": 1}, "refs": {"y": "z"}, "Not": 1, "-": 2,
		"list": [{"name": "b"}, {"a/b~c": [1], "name": "c"}, null, 7], "by": {"k/1": {"later": null, "refs": 3}}, "Plain": ["a", {}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/new", "/Name", "/Not", "/-", "/list/1/a~1b~0c", "/by/k~11/later"}
	if diff := cmp.Diff(want, doc.Unknown(&outer{})); diff != "" {
		t.Error(diff)
	}
	if got := (Doc{}).Unknown(outer{}); got != nil {
		t.Errorf("of no document: %v", got)
	}
}

func TestAddPutsMembersAtTheEndOfTheirObjects(t *testing.T) {
	doc, err := Parse("d.json", []byte("{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": [\n    {\n      \"d\": 2\n    }\n  ],\n  \"e\": {}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := doc.Add([]Member{
		{"/z", []byte(`"last"`)},
		{"/a/x", []byte("1")},
		{"/a/y", []byte(`[2]`)},
		{"/c/0/é~1", []byte("3")},
		{"/a/b", []byte("4")},    // has it already
		{"/gone/b", []byte("5")}, // no such object
		{"/c/1", []byte("6")},
		{"/e/f", []byte("7")},
		{"/e/g", []byte("8")},
		{"", []byte("8")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"a\": {\n    \"b\": 1,\n    \"x\": 1,\n    \"y\": [2]\n  },\n  \"c\": [\n    {\n      \"d\": 2,\n      \"é/\": 3\n    }\n  ],\n  \"e\": {\"f\":7,\"g\":8},\n  \"z\": \"last\"\n}\n"
	if diff := cmp.Diff(want, string(got.Raw)); diff != "" {
		t.Error(diff)
	}
}
