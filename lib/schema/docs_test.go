package schema

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/documents.md"

// The page's examples are parts of the documents that the other tests
// validate: each block names one, and everything in it stands there too.
func TestExamplesOfThePageAreParts(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```json ([a-z0-9-]+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		part, err := mustParse(t, block[2]).Value()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := exampleOf(t, block[1]).Value()
		if err != nil {
			t.Fatal(err)
		}
		if where, ok := contains(whole, part, ""); !ok {
			t.Errorf("%s: %s is not in the example", block[1], where)
		}
		name, _, _ := strings.Cut(block[1], "--")
		shown[name] = true
	}
	for name := range catalogue() {
		if !shown[name] {
			t.Errorf("the page shows no example of %s", name)
		}
	}
}

// contains says whether part is whole with keys and later elements left out.
func contains(whole, part any, at string) (string, bool) {
	switch part := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		if !ok {
			return at, false
		}
		for key, sub := range part {
			if where, ok := contains(w[key], sub, at+"/"+key); !ok {
				return where, false
			}
			if _, ok := w[key]; !ok {
				return at + "/" + key, false
			}
		}
		return "", true
	case []any:
		w, ok := whole.([]any)
		if !ok || len(part) > len(w) {
			return at, false
		}
		for i, sub := range part {
			if where, ok := contains(w[i], sub, at+"/"+itoa(i)); !ok {
				return where, false
			}
		}
		return "", true
	default:
		return at, reflect.DeepEqual(whole, part)
	}
}

func TestPageListsEveryKindWithItsVersions(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| ([0-9., ]+) \\|").FindAllStringSubmatch(string(text), -1) {
		if _, twice := listed[row[1]]; twice {
			t.Errorf("%s is listed twice", row[1])
		}
		listed[row[1]] = row[2]
	}
	for _, kind := range Kinds() {
		if want := strings.Join(Versions(kind), ", "); listed[kind] != want {
			t.Errorf("%s: versions %q on the page, %q here", kind, listed[kind], want)
		}
		delete(listed, kind)
	}
	for kind := range listed {
		t.Errorf("the page lists %s, which has no schema", kind)
	}
}
