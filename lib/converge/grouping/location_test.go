package grouping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocations(t *testing.T) {
	for text, want := range map[string]string{
		"main.go:20":                       "main.go:20",
		"a/b.go:31-58":                     "a/b.go:31-58",
		"a/b.go:31-58; c.go:2 with a note": "a/b.go:31-58 c.go:2",
		"see `a.go:3`, and (b.go:4)":       "a.go:3 b.go:4",
		"a.go:3:14":                        "a.go:3",
		"./a/../b.go:1":                    "b.go:1",
		"a.go:0":                           "",
		"a.go:9-3":                         "",
		"at 12:30 o'clock":                 "",
		"localhost:8080":                   "localhost:8080",
		"http://host/x:80":                 "",
		"a.go":                             "",
		"größe.go:7":                       "größe.go:7",
		"a.go:1x":                          "",
		"":                                 "",
		strings.Repeat(":", 50):            "",
		"a.go:99999999999":                 "",
		"printed value was 0 on a cold start\nb.go:2": "b.go:2",
	} {
		var got []string
		for l := range Locations(text) {
			got = append(got, l.String())
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

// TestSplitEvidence: a semicolon parts locations only.
func TestSplitEvidence(t *testing.T) {
	for text, want := range map[string][]string{
		"a.go:1":                     {"a.go:1"},
		"a.go:1; b.go:2":             {"a.go:1", "b.go:2"},
		"a.go:1 first; b.go:2-3 and": {"a.go:1 first", "b.go:2-3 and"},
		"a.go:1; then it fails":      {"a.go:1; then it fails"},
		"no place at all":            {"no place at all"},
	} {
		if diff := cmp.Diff(want, SplitEvidence(text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}
