package grouping

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"okstra/lib/finding"
)

// Codes of faults that any of the files can have.
const (
	CodeSyntax  = "grouping-syntax"
	codeNotUTF8 = "text-encoding"
)

// source is a file as lines, and the faults found in it.
type source struct {
	name   string
	lines  []string // without their endings
	faults []finding.Finding
}

// newSource splits src at LF or CRLF and reports lines that are not UTF-8.
func newSource(name string, src []byte) *source {
	s := &source{name: name}
	text := strings.TrimPrefix(string(src), "\ufeff")
	if text == "" {
		return s
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if !utf8.ValidString(line) {
			s.fault(i+1, codeNotUTF8, "line is not UTF-8")
			line = strings.ToValidUTF8(line, "\uFFFD")
		}
		s.lines = append(s.lines, strings.TrimSuffix(line, "\r"))
	}
	return s
}

func (s *source) fault(line int, code, format string, args ...any) {
	s.faults = append(s.faults, s.at(line, code, format, args...))
}

// at makes a fault without adding it. The line's own text is its anchor, so
// that it is recognised after lines were inserted in front of it.
func (s *source) at(line int, code, format string, args ...any) finding.Finding {
	f := finding.Finding{
		Level: finding.Error, Code: code, Artifact: s.name, Line: line, Message: fmt.Sprintf(format, args...),
	}
	if 1 <= line && line <= len(s.lines) {
		f.Anchor = s.lines[line-1]
	}
	return f
}

// done gives the faults in order of their lines.
func (s *source) done() []finding.Finding {
	finding.Sort(s.faults)
	return s.faults
}

var (
	labelForm   = regexp.MustCompile(`^([A-Za-z][A-Za-z ]{0,39}):(?:[ \t](.*))?$`)
	headingForm = regexp.MustCompile(`^(#{1,6})(?:[ \t]+(.*?))?[ \t]*$`)
)

// label splits "Name: value".
func label(line string) (name, value string, ok bool) {
	m := labelForm.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSpace(m[2]), true
}

// heading splits "## text"; level is 0 for any other line.
func heading(line string) (level int, text string) {
	m := headingForm.FindStringSubmatch(line)
	if m == nil {
		return 0, ""
	}
	return len(m[1]), m[2]
}

// continuation is the text of a line that continues a value.
func continuation(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "  ")
	return strings.TrimRight(text, " \t"), ok && strings.TrimSpace(text) != ""
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// idNumber is n of an id "<letter>-n", or 0 when id has not that form. Ids
// count from 001; beyond three digits there is no zero in front. The scan is
// by hand because every vote of a state names a group.
func idNumber(letter, id string) int {
	const fewest, most = 3, 9 // digits
	if len(id) < 2 || id[:1] != letter || id[1] != '-' {
		return 0
	}
	digits := id[2:]
	if len(digits) < fewest || len(digits) > most || len(digits) > fewest && digits[0] == '0' {
		return 0
	}
	n := 0
	for i := range len(digits) {
		d := digits[i]
		if d < '0' || d > '9' {
			return 0
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// ID writes number n as an id of a letter.
func ID(letter string, n int) string { return fmt.Sprintf("%s-%03d", letter, n) }

// Number is n of an id such as "G-012", or 0 when it has not that form.
func Number(id string) int {
	if len(id) < 2 {
		return 0
	}
	return idNumber(id[:1], id)
}

// splitList splits a value at commas; an empty value is an empty list.
func splitList(value string) []string {
	if value == "" {
		return []string{}
	}
	items := strings.Split(value, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// fence follows code fences, inside which every line is text.
type fence struct{ open string }

var fenceForm = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$")

// inside says whether line belongs to a fenced block, its two fences included.
func (f *fence) inside(line string) bool {
	m := fenceForm.FindStringSubmatch(line)
	switch {
	case f.open == "" && m != nil && !(m[1][0] == '`' && strings.Contains(m[2], "`")):
		f.open = m[1]
		return true
	case f.open == "":
		return false
	case m != nil && strings.HasPrefix(m[1], f.open) && blank(m[2]):
		f.open = ""
	}
	return true
}

// placeholders are words that stand for no ticket; an empty value says it.
var placeholders = map[string]bool{"-": true, "none": true, "n/a": true, "na": true, "tbd": true, "unknown": true, "?": true}

// tickets splits the value of a ticket list and reports what is no ticket.
// form is the code for a fault that has none of its own.
func (s *source) tickets(line int, value, form string) []string {
	list := splitList(value)
	seen := make(map[string]bool)
	for _, t := range list {
		switch {
		case !Visible(t):
			s.fault(line, form, "empty ticket in %q (expected a list as PAY-1, PAY-2, or nothing)", value)
		case placeholders[strings.ToLower(t)]:
			s.fault(line, "ticket-placeholder", "%q is no ticket (expected nothing after the colon where there is none)", t)
		case seen[t]:
			s.fault(line, "ticket-duplicate", "ticket %q is named twice", t)
		}
		seen[t] = true
	}
	return list
}
