package translate

import (
	"strings"
	"unicode"
)

// outerSpace is the white space that stays outside of what a translator sees:
// space, tab, LF and CR. No-break spaces, the ideographic space and the Unicode
// line separators are content.
const outerSpace = " \t\n\r"

// Split takes a string apart into its outer white space and the core between.
// lead+core+tail is always s; a string of white space only is all lead.
func Split(s string) (lead, core, tail string) {
	core = strings.TrimLeft(s, outerSpace)
	lead = s[:len(s)-len(core)]
	core = strings.TrimRight(core, outerSpace)
	tail = s[len(lead)+len(core):]
	return lead, core, tail
}

// Restore puts the outer white space of source around a translated text, whose
// own outer white space is dropped. So both ends of a translation have the
// newlines of their source whatever the translator's editor did to them.
func Restore(source, text string) string {
	lead, _, tail := Split(source)
	core := strings.Trim(text, outerSpace)
	if lead == "" && tail == "" {
		return core
	}
	return lead + core + tail
}

// escapeCore writes the core of a source string as block text.
//
// Three things would not survive a Markdown file: a CR (line ends are cleaned
// up by editors), a backtick with a backslash before it (rule 4 of the block
// grammar removes that backslash) and a line that the reader would take for a
// heading. Each gets an escape that unescapeCore undoes:
//
//	CR                   &#13;        and a literal &#13; becomes &amp;#13;
//	`                    \`
//	## T-003             \## T-003    and a literal \## T-003 becomes \\## T-003
func escapeCore(core string) string {
	s := core
	if strings.Contains(s, "#13;") || strings.Contains(s, "\r") {
		s = strings.ReplaceAll(deepenCR(s), "\r", "&#13;")
	}
	if strings.Contains(s, "`") {
		s = strings.ReplaceAll(s, "`", "\\`")
	}
	if !strings.Contains(s, "T-") {
		return s
	}
	return eachLine(s, func(line string) string {
		if _, ok := guarded(line); ok {
			return `\` + line
		}
		return line
	})
}

// unescapeCore reads the text of a block, outer white space already removed.
// It is the inverse of escapeCore and reads bare backticks as well, since a
// translator need not know about the backslashes.
func unescapeCore(text string) string {
	s := text
	if strings.Contains(s, "T-") && strings.Contains(s, `\`) {
		s = eachLine(s, func(line string) string {
			if n, ok := guarded(line); ok && n > 0 {
				return line[1:]
			}
			return line
		})
	}
	if strings.Contains(s, "\\`") {
		s = strings.ReplaceAll(s, "\\`", "`")
	}
	if strings.Contains(s, "#13;") {
		s = shallowCR(s)
	}
	return s
}

// guarded says whether a line, after any number of backslashes, begins like a
// block heading, a damaged one or the text of a setext one. It must accept
// every line that classify takes for a heading: what is guarded here is what
// keeps a source line from ending its block.
func guarded(line string) (backslashes int, ok bool) {
	rest := strings.TrimLeft(line, `\`)
	backslashes = len(line) - len(rest)
	if strings.HasPrefix(rest, "## T-") {
		return backslashes, true
	}
	_, ok = parseMarker(rest)
	return backslashes, ok
}

// marker is what a line that names an item id at its beginning is made of.
type marker struct {
	indent int    // spaces before
	hashes int    // number signs, 0 to 6
	gap    string // white space between them and the id
	digits string // of the id, three or more
	rest   string // behind the digits
}

// parseMarker takes a line apart as ^[ ]{0,3}#{0,6}\s*T-\d{3,}; ok is false
// when it is not of that shape.
func parseMarker(line string) (m marker, ok bool) {
	s := line
	for m.indent < 3 && strings.HasPrefix(s, " ") {
		s, m.indent = s[1:], m.indent+1
	}
	for m.hashes < 6 && strings.HasPrefix(s, "#") {
		s, m.hashes = s[1:], m.hashes+1
	}
	id := strings.TrimLeftFunc(s, unicode.IsSpace)
	m.gap = s[:len(s)-len(id)]
	if m.hashes == 0 && m.gap != "" {
		return marker{}, false
	}
	if !strings.HasPrefix(id, "T-") {
		return marker{}, false
	}
	id = id[len("T-"):]
	n := 0
	for n < len(id) && id[n] >= '0' && id[n] <= '9' {
		n++
	}
	if n < 3 {
		return marker{}, false
	}
	m.digits, m.rest = id[:n], id[n:]
	return m, true
}

// deepenCR adds one amp; to every &#13;, &amp;#13;, &amp;amp;#13; and so on,
// which frees &#13; to stand for CR.
func deepenCR(s string) string {
	return eachCR(s, func(amps int) string {
		return "&amp;" + strings.Repeat("amp;", amps) + "#13;"
	})
}

// shallowCR undoes deepenCR and turns the undeepened &#13; into CR.
func shallowCR(s string) string {
	return eachCR(s, func(amps int) string {
		if amps == 0 {
			return "\r"
		}
		return "&" + strings.Repeat("amp;", amps-1) + "#13;"
	})
}

// eachCR replaces every &(amp;)*#13; by what replace makes of its number of
// amp; parts.
func eachCR(s string, replace func(amps int) string) string {
	const end = "#13;"
	var out strings.Builder
	for {
		i := strings.Index(s, end)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		head, amps := s[:i], 0
		for strings.HasSuffix(head, "amp;") {
			head, amps = head[:len(head)-len("amp;")], amps+1
		}
		if strings.HasSuffix(head, "&") {
			out.WriteString(head[:len(head)-1])
			out.WriteString(replace(amps))
		} else {
			out.WriteString(s[:i+len(end)])
		}
		s = s[i+len(end):]
	}
}

// eachLine applies edit to every LF line of s.
func eachLine(s string, edit func(string) string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = edit(line)
	}
	return strings.Join(lines, "\n")
}
