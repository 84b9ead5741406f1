package wizard

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLabel   = 130 // of a question, in code points; the picker adds its place
	maxEcho    = 80  // of one answer in an echo
	shownFirst = 20  // values that a refusal lists
)

// usable leaves out options that a host could not give back: with a comma, a
// control character or a reserved beginning in their value, or a value that
// stands there already. It counts them.
func usable(options []Option) (kept []Option, leftOut int) {
	seen := make(map[string]bool, len(options))
	kept = make([]Option, 0, len(options)+1)
	for _, o := range options {
		if seen[o.Value] || !goodValue(o.Value) {
			leftOut++
			continue
		}
		seen[o.Value] = true
		kept = append(kept, o)
	}
	return kept, leftOut
}

func goodValue(value string) bool {
	return value != "" && utf8.ValidString(value) && !strings.Contains(value, ",") &&
		!strings.ContainsFunc(value, unicode.IsControl) && !strings.HasPrefix(value, "__okstra_")
}

func asOptions(values []string) []Option {
	options := make([]Option, len(values))
	for i, v := range values {
		options[i] = Option{Value: v, Label: v}
	}
	return options
}

func values(options []Option) []string {
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = o.Value
	}
	return out
}

// splitList reads what a person or a multi pick separated by commas. Blank
// parts and repetitions fall away.
func splitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// list joins words as a sentence does: "a, b or c".
func list(words []string, last string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
}

func join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}

// day is the date of a time as documents hold it.
func day(at string) string {
	if len(at) < 10 {
		return ""
	}
	return at[:10]
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

func base(p string) string { return path.Base(p) }

// cut shortens a text to n code points, at a space where there is one near.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	end := n - 1
	for i := end; i > n*3/4; i-- {
		if unicode.IsSpace(runes[i]) {
			end = i
			break
		}
	}
	return strings.TrimRightFunc(string(runes[:end]), unicode.IsSpace) + "…"
}

// oneLine is a text on a single line, short enough for an echo.
func oneLine(text string) string {
	return cut(strings.Join(strings.Fields(text), " "), maxEcho)
}
