package translate

import (
	"slices"
	"strings"
	"testing"

	"okstra/lib/schema"
)

// Every string of the schema has a line, and every line a string: a property
// that is new, renamed or gone is noticed here.
func TestTheRulesNameEveryStringOfTheSchema(t *testing.T) {
	var strs []string
	err := schema.Walk(ReportKind, func(pattern string, n schema.Node) {
		if n.Text() {
			strs = append(strs, pattern)
		}
	})
	if err != nil || len(strs) < 100 {
		t.Fatalf("%d strings in the schema, error %v", len(strs), err)
	}
	root := rules()
	for _, pattern := range strs {
		taken, known := root.ruled(pattern)
		if !known {
			t.Errorf("%s is neither taken nor left alone on purpose", pattern)
		}
		if taken && len(enumOf(t, pattern)) > 0 {
			t.Errorf("%s is taken and an enumeration", pattern)
		}
	}
	for line := range strings.SplitSeq(stringsTxt, "\n") {
		fields := strings.Fields(line)
		if len(fields) != 2 || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, below := strings.CutSuffix(fields[1], "/**")
		if !slices.ContainsFunc(strs, func(s string) bool { return s == pattern || below && strings.HasPrefix(s, pattern+"/") }) {
			t.Errorf("%s names no string of the schema", fields[1])
		}
	}
}

func enumOf(t *testing.T, pattern string) (enum []string) {
	err := schema.Walk(ReportKind, func(p string, n schema.Node) {
		if p == pattern {
			enum = n.Enum
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return enum
}

func TestTheRulesOfTheDataFileAreReadable(t *testing.T) {
	root, err := parseRules(stringsTxt)
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string][2]bool{
		"/verdictCard/nextStep":         {true, true},
		"/verdictCard/direction":        {false, true},
		"/usageSummary/roles/*/label":   {false, true},
		"/nothing":                      {false, false},
		"/risks/*":                      {false, false},
		"/errorAnalysis/validationPath": {false, false},
	} {
		if taken, known := root.ruled(pattern); taken != want[0] || known != want[1] {
			t.Errorf("ruled(%q) = %v, %v, want %v", pattern, taken, known, want)
		}
	}
}

func TestBadRuleLinesAreNamed(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"# only\n\ntake", "strings.txt:3:"},
		{"take /a\nleave /a", "strings.txt:2: /a has two lines"},
		{"give /a", "expected take or leave"},
		{"take /a/**", "expected take or leave"},
		{"take a", "JSON pointer"},
	} {
		if _, err := parseRules(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.want)
		}
	}
}
