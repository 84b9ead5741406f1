package check

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

const outerSpace = " \t\n\r"

var lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)

// compareStructure compares what would break a table cell, a line or a
// paragraph.
func compareStructure(p *pair) []Result {
	var results []Result
	count := func(what string, source, target int) {
		if source == target {
			return
		}
		r := Result{Message: fmt.Sprintf("%s: %d in the source, %d here", what, source, target)}
		if source > target {
			r.Missing = []string{what}
		} else {
			r.Extra = []string{what}
		}
		results = append(results, r)
	}
	source, target := p.source.bare, p.target.bare
	if strings.Contains(source, "<") || strings.Contains(target, "<") {
		count("<br>", len(lineBreak.FindAllString(source, -1)), len(lineBreak.FindAllString(target, -1)))
	}
	count("|", barePipes(source), barePipes(target))
	if !strings.Contains(strings.Trim(p.source.whole, outerSpace), "\n") && strings.Contains(strings.Trim(p.target.whole, outerSpace), "\n") {
		results = append(results, Result{Message: "a text of one line has become several"})
	}
	had := lineStarts(source)
	for kind, n := range lineStarts(target) {
		if n > had[kind] {
			results = append(results, Result{
				Extra:   []string{lineKind(kind).String()},
				Message: fmt.Sprintf("%s at a line start: %d in the source, %d here", lineKind(kind), had[kind], n),
			})
		}
	}
	return results
}

// barePipes counts the pipes that no backslash escapes.
func barePipes(s string) int {
	n := strings.Count(s, "|")
	if n == 0 {
		return 0
	}
	for i := range len(s) {
		if s[i] == '|' && (i-len(strings.TrimRight(s[:i], `\`)))%2 == 1 {
			n--
		}
	}
	return n
}

// lineKind is what the beginning of a line can make of it.
type lineKind int

const (
	lineHeading lineKind = iota
	lineBullet
	lineNumber
	lineKinds
)

func (k lineKind) String() string {
	return [...]string{"heading", "bullet", "list number"}[k]
}

// lineStarts counts the lines of each kind. The first line begins behind the
// white space around the text.
func lineStarts(s string) [lineKinds]int {
	var counts [lineKinds]int
	previous := ""
	for line := range strings.SplitSeq(strings.Trim(s, outerSpace), "\n") {
		line = strings.TrimRight(strings.TrimLeft(line, " "), " \t\r")
		if kind, ok := lineStart(line, previous); ok {
			counts[kind]++
		}
		previous = line
	}
	return counts
}

func lineStart(line, previous string) (lineKind, bool) {
	if line == "" {
		return 0, false
	}
	switch c := line[0]; {
	case c == '#':
		rest := strings.TrimLeft(line, "#")
		return lineHeading, len(line)-len(rest) <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
	case (c == '-' || c == '=') && previous != "" && strings.Trim(line, string(rune(c))) == "":
		return lineHeading, true
	case c == '-' || c == '*' || c == '+':
		return lineBullet, len(line) > 1 && (line[1] == ' ' || line[1] == '\t')
	case c >= '0' && c <= '9':
		digits := span(line, 0, "0123456789")
		return lineNumber, digits <= 9 && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' '
	}
	return 0, false
}

// compareNewlines compares whether the texts begin and end with a newline, as
// msgfmt does.
func compareNewlines(p *pair) []Result {
	var results []Result
	for _, end := range []struct {
		name string
		has  func(string) bool
	}{
		{"at the beginning", func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " \t\r"), "\n") }},
		{"at the end", func(s string) bool { return strings.HasSuffix(strings.TrimRight(s, " \t\r"), "\n") }},
	} {
		source, target := end.has(p.source.whole), end.has(p.target.whole)
		switch {
		case source && !target:
			results = append(results, Result{Missing: []string{`\n`}, Message: "newline missing " + end.name})
		case target && !source:
			results = append(results, Result{Extra: []string{`\n`}, Message: "extra newline " + end.name})
		}
	}
	return results
}

// compareControls looks for control characters that the source lacks. Tabs and
// newlines are the business of other checks.
func compareControls(p *pair) []Result {
	return surplus(p, "control character ", func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n'
	})
}

// surplus names the characters of one class that only the translation has.
func surplus(p *pair, what string, class func(rune) bool) []Result {
	if !strings.ContainsFunc(p.target.whole, class) {
		return nil
	}
	var extra []string
	seen := make(map[rune]bool)
	for _, r := range p.target.whole {
		if !class(r) || seen[r] {
			continue
		}
		seen[r] = true
		if !strings.ContainsRune(p.source.whole, r) {
			extra = append(extra, fmt.Sprintf("U+%04X", r))
		}
	}
	if extra == nil {
		return nil
	}
	return []Result{{Extra: extra, Message: "extra " + what + strings.Join(extra, " ")}}
}
