package finding_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"okstra/lib/finding"
)

func TestShownTextsAreShortAndWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := finding.Shorten(s)
		if got == s {
			return
		}
		head, marked := strings.CutSuffix(got, "…")
		if !marked || !strings.HasPrefix(s, head) || !utf8.ValidString(got) || len(head) > 120 || len(head) < 117 {
			t.Fatalf("Shorten(%q) = %q", s, got)
		}
	})
}

func TestQuoteShowsWhatJSONWould(t *testing.T) {
	for in, want := range map[string]string{
		"":                            `""`,
		`a"b`:                         `"a\"b"`,
		"<a&b>":                       `"<a&b>"`,
		"line\nline":                  `"line\nline"`,
		strings.Repeat("ä", 61):       `"` + strings.Repeat("ä", 60) + `…"`,
		"x" + strings.Repeat("ä", 60): `"x` + strings.Repeat("ä", 59) + `…"`,
	} {
		if got := finding.Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestCountedThingsHaveTheirPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows"} {
		if got := finding.Count(n, "row"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
