package sarif

import "testing"

func TestFileOfALocation(t *testing.T) {
	r := Run{
		OriginalURIBaseIDs: map[string]ArtifactLocation{
			"%SRCROOT%": {URI: "file:///home/ci/shop/"}, "LISTS": {URI: "src/lists/", URIBaseID: "%SRCROOT%"}, "BUILD": {URI: "file:///home/ci/shop/build/"},
			"A": {URI: "a/", URIBaseID: "B"}, "B": {URI: "b/", URIBaseID: "A"}, "ROOT": {URI: "file:///"},
		},
		Artifacts: []Artifact{{ArtifactLocation{URI: "x%20y.go", URIBaseID: "LISTS"}}},
	}
	for _, tt := range []struct {
		name string
		loc  ArtifactLocation
		want string
	}{
		{"relative to the root", ArtifactLocation{URI: "a.go", URIBaseID: "%SRCROOT%"}, "a.go"},
		{"relative to nothing known", ArtifactLocation{URI: "./a/../b.go", URIBaseID: "GONE"}, "b.go"},
		{"a base on a base", ArtifactLocation{URI: "a.go", URIBaseID: "LISTS"}, "src/lists/a.go"},
		{"by index", ArtifactLocation{Index: new(0)}, "src/lists/x y.go"},
		{"by an index out of range", ArtifactLocation{Index: new(1)}, ""},
		{"absolute, below the root", ArtifactLocation{URI: "file:///home/ci/shop/build/gen.go"}, "build/gen.go"},
		{"absolute, elsewhere", ArtifactLocation{URI: "file:///usr/include/stdio.h"}, "/usr/include/stdio.h"},
		{"no file", ArtifactLocation{URI: "https://example.com/a.go"}, "https://example.com/a.go"},
		{"no URI at all", ArtifactLocation{URI: "100%.go"}, "100%.go"},
		{"nothing", ArtifactLocation{}, ""},
	} {
		if got := r.File(tt.loc); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := r.File(ArtifactLocation{URI: "c.go", URIBaseID: "A"}); len(got) > 100 {
		t.Errorf("a ring of bases: %q", got)
	}
}

func TestTextOfAResult(t *testing.T) {
	r := Run{Tool: Tool{Driver: Driver{
		Rules:                []Rule{{ID: "R", MessageStrings: map[string]Message{"d": {Text: "{0} is {1}, not {{0}} or {7}"}}}},
		GlobalMessageStrings: map[string]Message{"g": {Text: "from the tool"}},
	}}}
	related := []Location{{}}
	for _, tt := range []struct {
		name string
		res  Result
		want string
	}{
		{"its own text", Result{Message: Message{Text: "{0} stays"}}, "{0} stays"},
		{"the rule's, by id", Result{RuleID: "R", Message: Message{ID: "d", Arguments: []string{"a", "{0}"}}}, "a is {0}, not {0} or {7}"},
		{"the rule's, by index", Result{RuleIndex: new(0), Message: Message{ID: "d", Arguments: []string{"a", "b"}}}, "a is b, not {0} or {7}"},
		{"the rule's, of a case", Result{RuleID: "R/1", Message: Message{ID: "d", Arguments: []string{"a", "b"}}}, "a is b, not {0} or {7}"},
		{"the tool's", Result{RuleID: "S", Message: Message{ID: "g"}}, "from the tool"},
		{"an index of another rule", Result{RuleID: "S", RuleIndex: new(0), Message: Message{ID: "d"}}, ""},
		{"an index out of range", Result{RuleIndex: new(-1), Message: Message{ID: "d"}}, ""},
		{"links to related places", Result{Message: Message{Text: "from [here](1) to a[i](2)"}, RelatedLocations: related}, "from here to ai"},
		{"no link without related places", Result{Message: Message{Text: "a[i](2)"}}, "a[i](2)"},
		{"markdown alone", Result{Message: Message{Markdown: "**x**"}}, "**x**"},
	} {
		if got := r.Text(tt.res); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLevelOfAResult(t *testing.T) {
	r := Run{Tool: Tool{Driver: Driver{Rules: []Rule{{ID: "R", DefaultConfiguration: &Configuration{Level: LevelNote}}, {ID: "S"}}}}}
	for _, tt := range []struct {
		res  Result
		want string
	}{
		{Result{RuleID: "R"}, LevelNote},
		{Result{RuleID: "R", Level: LevelError}, LevelError},
		{Result{RuleID: "S"}, LevelWarning},
		{Result{Kind: KindReview, RuleID: "R", Level: LevelError}, LevelNone},
	} {
		if got := r.LevelOf(tt.res); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.res, got, tt.want)
		}
	}
}

// A case of a rule may have a description of its own, wherever it stands.
func TestTheRuleOfACaseIsTheClosest(t *testing.T) {
	r := Run{Tool: Tool{Driver: Driver{Rules: []Rule{{ID: "CA1"}, {ID: "CA1/2/3", Name: "case of a case"}, {ID: "CA1/2", Name: "case"}, {ID: "CA1/2/3/4"}}}}}
	for id, want := range map[string]string{"CA1/2": "case", "CA1/2/3": "case of a case", "CA1/2/9": "case", "CA1/2/3/9": "case of a case", "CA1/9": "", "CA12": ""} {
		if got := r.RuleOf(Result{RuleID: id}); got.ID != id || got.Name != want {
			t.Errorf("%s: %+v, want %q", id, got, want)
		}
	}
}

// The identifier was computed by another implementation (Python's uuid).
func TestGUIDIsVersionFive(t *testing.T) {
	if got, want := GUID("http://www.example.com/"), "fcde3c85-2270-590f-9e7c-ee003d65e0e2"; got != want {
		t.Errorf("GUID = %s, want %s", got, want)
	}
}
