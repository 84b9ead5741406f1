package dispatch

import (
	"strings"
	"testing"
)

// A header that somebody removed is named before anything runs; a prompt
// written by hand needs none.
func TestAMissingHeaderIsNamed(t *testing.T) {
	whole := headers{}.format() + "\nDo it.\n"
	for _, tt := range []struct{ name, text, missing string }{
		{"whole", whole, ""},
		{"no role", strings.Replace(whole, "**Role:**\n", "", 1), "Role"},
		{"no first line", strings.Replace(whole, "**Project Root:**\n", "", 1), "Project Root"},
		{"by hand", "Do it.\n\n**Role:** none\n", ""},
		{"by hand, with a bold word", "**Note:** do it\n", ""},
		{"empty", "", ""},
	} {
		err := checkHeaders("p.md", tt.text)
		if (err == nil) != (tt.missing == "") || err != nil && !strings.Contains(err.Error(), "header "+tt.missing+" is missing") {
			t.Errorf("%s: %v, want %q to be named", tt.name, err, tt.missing)
		}
	}
}
