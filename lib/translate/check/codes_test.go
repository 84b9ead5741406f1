package check

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shown writes a text with its codes in brackets: ⟦alone⟧, ⟦open> and <close⟧.
func shown(s string) string {
	var b strings.Builder
	done := 0
	for _, c := range Codes(s) {
		form := [...]string{"⟦%s⟧", "⟦%s>", "<%s⟧"}[c.Kind]
		b.WriteString(s[done:c.Start])
		fmt.Fprintf(&b, form, s[c.Start:c.End])
		done = c.End
	}
	return b.String() + s[done:]
}

func TestCodesThatATranslationToolProtects(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"Use `fmt` here.", "Use ⟦`fmt`⟧ here."},
		{"`` a`b ``", "⟦`` a`b ``⟧"},
		{"{n} of %d, ${x} and {{y}}", "⟦{n}⟧ of ⟦%d⟧, ⟦${x}⟧ and ⟦{{y}}⟧"},
		{"[the guide](docs/x.md).", "⟦[>the guide<](docs/x.md)⟧."},
		{"[a `b` c](x) and ![d](y)", "⟦[>a ⟦`b`⟧ c<](x)⟧ and ⟦![>d<](y)⟧"},
		{"[a](x \"T\")", "[a](x \"T\")"},
		{"<b>x</b> <process ID>", "⟦<b>⟧x⟦</b>⟧ <process ID>"},
		{"See https://e.org/a.", "See ⟦https://e.org/a⟧."},
		{"See <https://e.org>.", "See ⟦<https://e.org>⟧."},
		{"```\n{a}\n```", "```\n⟦{a}\n⟧```"},
		{"{n, plural, other {# files}}", "{n, plural, other {# files}}"},
	} {
		if got := shown(tt.in); got != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestCodesNeverOverlapAndPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "text")
		done, open := 0, false
		for _, c := range Codes(s) {
			if c.Start < done || c.End <= c.Start || c.End > len(s) {
				t.Fatalf("%q has code %+v behind %d", s, c, done)
			}
			done = c.End
			switch c.Kind {
			case Open:
				if open {
					t.Fatalf("%q opens twice", s)
				}
				open = true
			case Close:
				if !open {
					t.Fatalf("%q closes what is not open", s)
				}
				open = false
			}
		}
		if open {
			t.Fatalf("%q does not close", s)
		}
	})
}
