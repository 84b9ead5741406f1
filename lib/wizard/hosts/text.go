// Package hosts turns a screen into what a host shows, and a host's reply
// into an answer.
//
// Rule: docs/wizard.md, "Hosts".
package hosts

import (
	"fmt"
	"strings"

	"okstra/lib/safetext"
	"okstra/lib/wizard"
)

// Text is a screen as numbered text: every choice, in its order, and how to
// answer. A group is one question after the other.
func Text(s wizard.Screen) string {
	var b strings.Builder
	if s.Detail != "" {
		fmt.Fprintf(&b, "%s\n\n", strings.TrimRight(safetext.Block(s.Detail), "\n"))
	}
	fmt.Fprintln(&b, safetext.Line(s.Label))
	switch {
	case s.Ended():
	case s.Kind == wizard.KindGroup:
		for _, q := range s.Questions {
			fmt.Fprintf(&b, "\n[%s] ", q.Step)
			fmt.Fprintln(&b, safetext.Line(q.Label))
			options(&b, q)
		}
		fmt.Fprintln(&b, "Answer with one JSON object keyed by the names in brackets:")
	case s.Kind == wizard.KindText:
		fmt.Fprintln(&b, textPrompt(s))
	default:
		options(&b, s)
		fmt.Fprintln(&b, pickPrompt(s))
	}
	return b.String()
}

func options(b *strings.Builder, s wizard.Screen) {
	for i, o := range s.Options {
		fmt.Fprintf(b, "  %d. %s", i+1, safetext.Line(o.Label))
		if o.Description != "" {
			fmt.Fprintf(b, " - %s", safetext.Line(o.Description))
		}
		b.WriteByte('\n')
	}
}

func pickPrompt(s wizard.Screen) string {
	if s.IsMulti() {
		return "Answer with numbers, labels or values, separated by commas:"
	}
	return "Answer with a number, a label or a value:"
}

func textPrompt(s wizard.Screen) string {
	if s.Optional != nil && *s.Optional {
		return "Answer with a text (- for none):"
	}
	return "Answer with a text:"
}
