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

// Text is a screen as a host without a picker writes it out: every choice, in
// its order, and how to answer. The questions of a group stand one below the
// other, each with the name that the answer is to be keyed by.
func Text(s wizard.Screen, say wizard.Texts) string {
	var b strings.Builder
	switch {
	case s.Ended():
		fmt.Fprintln(&b, safetext.Line(s.Label))
	case s.Kind == wizard.KindGroup:
		fmt.Fprintln(&b, safetext.Line(s.Label))
		for _, q := range s.Questions {
			b.WriteByte('\n')
			detail(&b, q)
			fmt.Fprintf(&b, "[%s] %s\n", q.Step, safetext.Line(q.Label))
			options(&b, q)
		}
		b.WriteByte('\n')
		fmt.Fprintln(&b, say.Text("text.group"))
	default:
		Question(&b, s)
		fmt.Fprintln(&b, say.Text("text."+manner(s)))
	}
	return b.String()
}

// Question writes one question and its choices.
func Question(b *strings.Builder, s wizard.Screen) {
	detail(b, s)
	fmt.Fprintln(b, safetext.Line(s.Label))
	options(b, s)
}

// Prompt is the line at which a person at a terminal answers.
func Prompt(s wizard.Screen, say wizard.Texts) string { return say.Text("dialogue." + manner(s)) }

// manner is how a question is answered: with one choice, with many, or with a
// text that may be left out or not.
func manner(s wizard.Screen) string {
	switch {
	case s.Kind == wizard.KindText && s.IsOptional():
		return "optional"
	case s.Kind == wizard.KindText:
		return "free"
	case s.IsMulti():
		return "many"
	}
	return "one"
}

func detail(b *strings.Builder, s wizard.Screen) {
	if s.Detail != "" {
		fmt.Fprintf(b, "%s\n\n", strings.TrimRight(safetext.Block(s.Detail), "\n"))
	}
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
