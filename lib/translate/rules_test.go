package translate

import (
	"strings"
	"testing"
)

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
