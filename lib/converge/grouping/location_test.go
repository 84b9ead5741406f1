package grouping

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLocations(t *testing.T) {
	for text, want := range map[string]string{
		"main.go:20":                        "main.go:20",
		"a/b.go:31-58":                      "a/b.go:31-58",
		"a/b.go:31-58; c.go:2 with a note":  "a/b.go:31-58 c.go:2",
		"see `a.go:3`, and (b.go:4)":        "a.go:3 b.go:4",
		"a.go:3:14":                         "a.go:3",
		"./a/../b.go:1":                     "b.go:1",
		"a.go:0":                            "",
		"a.go:9-3":                          "",
		"at 12:30 o'clock":                  "",
		"localhost:8080":                    "localhost:8080",
		"http://host/x:80":                  "",
		"http://h:80/x.go:9":                "",
		"(https://u:p@h:80/x.go:9), b.go:2": "b.go:2",
		"[x](http://h:80/x.go:9)":           "",
		"http://[::1]:80/x.go:9":            "",
		"http://h:80/x.go:9,main.go:3":      "main.go:3",
		"C:/x.go:8":                         "C:/x.go:8",
		`see "c:\src\x.go:8-9"`:             `c:\src\x.go:8-9`,
		"file:main.go:3":                    "main.go:3",
		"in:/srv/x.go:3":                    "/srv/x.go:3",
		"a.go":                              "",
		"größe.go:7":                        "größe.go:7",
		"a.go:1x":                           "",
		"":                                  "",
		strings.Repeat(":", 50):             "",
		"a.go:99999999999":                  "",
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

// TestAnyPathSurvivesALocation: a quoted path stands in evidence as one place,
// and names the file that it was made of.
func TestAnyPathSurvivesALocation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := path.Clean("a/" + rapid.StringOf(rapid.SampledFrom([]rune("ab/.%02 fF:;,()'\"[]\n\u00e9"))).Draw(t, "name"))
		if !strings.HasPrefix(name, "a/") {
			t.Skip("outside")
		}
		quoted := QuotePath(name)
		if got := UnquotePath(quoted); got != name {
			t.Fatalf("%q became %q, and then %q", name, quoted, got)
		}
		var got []Location
		for l := range Locations("at " + Location{quoted, 3, 4}.String() + " of it") {
			got = append(got, l)
		}
		if diff := cmp.Diff([]Location{{quoted, 3, 4}}, got); diff != "" {
			t.Fatalf("%q: %s", name, diff)
		}
	})
}
