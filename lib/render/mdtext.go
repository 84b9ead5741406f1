package render

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"okstra/lib/safetext"
)

// Texts of the data inside Markdown. Three laws hold, and fuzz targets state
// them: a text stays on the one line it is written on, it makes no block and
// no cell of its own, and it makes no HTML and no link that is not safe.
//
// A plain text shows letter by letter. Prose keeps the light Markdown that
// reports are written in: code spans, emphasis and safe inline links.

// clean is a text of the data, fit to be shown.
func clean(s string) string { return safetext.Prose(s) }

// markdownPlain shows a text letter by letter.
func markdownPlain(s string, at place) string { return markdownLiteral(clean(s), at) }

// markdownLiteral is markdownPlain for a text that is clean and may begin or
// end with a space that counts.
func markdownLiteral(s string, at place) string {
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			out.WriteString("<br>")
		case r == '<':
			out.WriteString("&lt;")
		case r == '&':
			out.WriteString("&amp;")
		case r == '|':
			out.WriteString("&#124;")
		case r == '`':
			out.WriteString("&#96;")
		case strings.ContainsRune("\\*[]~", r), r == '_' && !insideWord(s, i):
			out.WriteString(`\` + string(r))
		default:
			out.WriteRune(r)
		}
	}
	return guardStart(out.String(), at)
}

// insideWord says whether the byte at i stands between two letters or digits,
// where an underscore means nothing.
func insideWord(s string, i int) bool {
	word := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return i > 0 && i+1 < len(s) && word(s[i-1]) && word(s[i+1])
}

// markdownCode shows a text as a code span, or one for each of its lines.
func markdownCode(s string, at place) string {
	lines := strings.Split(clean(s), "\n")
	for i, text := range lines {
		lines[i] = codeSpan(text, at)
	}
	return strings.Join(lines, "<br>")
}

// codeSpan wraps one line; the fence is longer than any run inside.
func codeSpan(text string, at place) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	if at.table {
		// Inside a table the backslash is taken away before code is looked at.
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	return fence + text + fence
}

// markdownProse shows prose on one line. Fenced code becomes a code span per
// line, since a fence cannot stand in a cell.
func markdownProse(s string, at place) string {
	var out strings.Builder
	for _, p := range splitFences(clean(s)) {
		if out.Len() > 0 {
			out.WriteString("<br>")
		}
		if p.fenced {
			out.WriteString(markdownCode(p.text, at))
		} else {
			out.WriteString(markdownInline(strings.Trim(p.text, "\n"), at))
		}
	}
	return guardStart(out.String(), at)
}

// passage is a part of a prose text: lines of prose, or the inside of a fence.
type passage struct {
	text   string
	fenced bool
}

// fenceLine opens or closes a code fence.
var fenceLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[^`]*$") })

func splitFences(s string) []passage {
	var passages []passage
	var lines []string
	var fence string
	flush := func(fenced bool) {
		if text := strings.Join(lines, "\n"); strings.TrimSpace(text) != "" {
			passages = append(passages, passage{text, fenced})
		}
		lines = nil
	}
	for l := range strings.SplitSeq(s, "\n") {
		m := fenceLine().FindStringSubmatch(l)
		switch {
		case fence == "" && m != nil:
			flush(false)
			fence = m[1]
		case fence != "" && m != nil && strings.HasPrefix(m[1], fence) && strings.TrimSpace(l) == m[1]:
			flush(true)
			fence = ""
		default:
			lines = append(lines, l)
		}
	}
	flush(fence != "")
	return passages
}

// markdownInline escapes the lines of prose between fences.
func markdownInline(s string, at place) string {
	var out strings.Builder
	paragraph := 0 // where the paragraph ends
	for i := 0; i < len(s); {
		if i >= paragraph {
			paragraph = len(s)
			if end := strings.Index(s[i:], "\n\n"); end >= 0 {
				paragraph = i + end + 2
			}
		}
		switch c := s[i]; c {
		case '`':
			size, text := takeCode(s[i:paragraph])
			if text == "" {
				out.WriteString(strings.Repeat("&#96;", size))
			} else {
				out.WriteString(codeSpan(text, at))
			}
			i += size
		case '\n':
			out.WriteString("<br>")
			i++
		case '[':
			link := takeLink(s[i:])
			if link == "" {
				out.WriteString(`\[`)
				i++
				continue
			}
			out.WriteString(pipes(link, at))
			i += len(link)
		case '!':
			// An image would be fetched, so only its link is left.
			if strings.HasPrefix(s[i:], "![") {
				out.WriteByte('\\')
			}
			out.WriteByte('!')
			i++
		case '\\':
			text, size := takeBackslash(s[i:])
			out.WriteString(text)
			i += size
		default:
			out.WriteString(escapeByte(c))
			i++
		}
	}
	return out.String()
}

func escapeByte(c byte) string {
	switch c {
	case '<':
		return "&lt;"
	case '|':
		return "&#124;"
	case '`':
		// An escaped backtick would lengthen the fence of a code span behind it.
		return "&#96;"
	}
	return string([]byte{c})
}

// takeBackslash reads a backslash and what it escapes. Before a character
// that is written as an entity it is dropped, before one that it cannot
// escape it is shown.
func takeBackslash(s string) (text string, size int) {
	if len(s) < 2 || !isPunct(s[1]) {
		return `\\`, 1
	}
	if e := escapeByte(s[1]); len(e) > 1 {
		return e, 2
	}
	return s[:2], 2
}

func isPunct(c byte) bool {
	return c < 0x80 && c > ' ' && c != 0x7f && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c))
}

// takeCode reads a run of backticks and, where a run of the same length follows
// in the rest of the paragraph, the code between; text is "" when none does, and
// size then covers the run alone.
func takeCode(paragraph string) (size int, text string) {
	run := len(paragraph) - len(strings.TrimLeft(paragraph, "`"))
	for i := run; i < len(paragraph); {
		next := strings.IndexByte(paragraph[i:], '`')
		if next < 0 {
			break
		}
		i += next
		length := len(paragraph[i:]) - len(strings.TrimLeft(paragraph[i:], "`"))
		if length == run {
			text = strings.TrimSpace(strings.ReplaceAll(paragraph[run:i], "\n", " "))
			if text == "" {
				break
			}
			return i + length, text
		}
		i += length
	}
	return run, ""
}

// inlineLink is a link simple enough to be sure of: no brackets, code or
// backslashes in its text, no spaces or parentheses in its destination.
var inlineLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\\[[^\\[\\]`<>\n\\\\!]+\\]\\(([^\\s()<>\\[\\]\\\\]+)(?: +\"[^\"\n<>\\\\]*\")?\\)")
})

func takeLink(s string) string {
	m := inlineLink().FindStringSubmatch(s)
	if m == nil || !safetext.SafeLink(m[1]) {
		return ""
	}
	return m[0]
}

func pipes(link string, at place) string {
	if !at.table {
		return link
	}
	text, rest, _ := strings.Cut(link, "](")
	return strings.ReplaceAll(text, "|", "&#124;") + "](" + strings.ReplaceAll(rest, "|", "%7C")
}

// blockStart is what would make a line more than a paragraph.
var blockStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(#{1,6}( |$)|>|[-+*]( |$)|[-*_= ]{3,}$|~{3,}|\d{1,9}[.)]( |$))`)
})

// guardStart escapes the beginning of a text that starts its line.
func guardStart(s string, at place) string {
	if !at.start || !blockStart().MatchString(s) {
		return s
	}
	if i := strings.IndexAny(s, ".)"); s[0] >= '0' && s[0] <= '9' && i > 0 {
		return s[:i] + `\` + s[i:]
	}
	return `\` + s
}
