package cli

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// manPage is the program's manual: the help pages in roff, the program's own
// first, then one subsection for each command. There is no other source, so
// the manual cannot disagree with --help.
func (p *program) manPage() string {
	m := &roff{}
	top := parsePage(p.helpText(""))
	m.line(`.TH %s 1 "" okstra "okstra manual"`, strings.ToUpper(p.app.Name))
	m.line(".SH NAME")
	m.line("%s \\- %s", escapeRoff(p.app.Name), escapeRoff(p.app.Summary))
	m.line(".SH SYNOPSIS")
	m.synopsis(p.app.Name, top.usage)
	m.line(".SH DESCRIPTION")
	m.prose(top.intro)
	var closing []section // statuses and examples stand after the commands
	for _, s := range top.sections {
		switch {
		case s.title == "COMMANDS":
		case len(p.app.Commands) > 1 && (s.title == "EXIT STATUS" || s.title == "EXAMPLES"):
			closing = append(closing, s)
		default:
			m.section(".SH ", s)
		}
	}
	if p.commands[""] == nil {
		m.line(".SH COMMANDS")
		for _, c := range p.app.Commands {
			if !c.Hidden {
				m.command(p.app.Name, c)
			}
		}
	}
	for _, s := range closing {
		m.section(".SH ", s)
	}
	return m.b.String()
}

// roff writes a manual page line by line.
type roff struct{ b strings.Builder }

func (m *roff) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// synopsis indents what continues a line above.
func (m *roff) synopsis(program string, usage []string) {
	var lines []string
	for _, line := range usage {
		if !strings.HasPrefix(line, program) {
			line = "    " + line
		}
		lines = append(lines, "  "+line)
	}
	m.verbatim(lines)
}

func (m *roff) command(program string, c Command) {
	page := parsePage(c.Help)
	m.line(".SS %s", escapeRoff(c.Name))
	m.line("%s.", escapeRoff(strings.ToUpper(c.Summary[:1])+c.Summary[1:]))
	m.synopsis(program, page.usage)
	m.prose(page.intro)
	for _, s := range page.sections {
		m.section(".PP\n.B ", s)
	}
}

// flagTerm is what a line of FLAGS is about: flags with the name of a value,
// in capitals, and the blanks behind them. One blank may have to do, where the
// term fills the column.
var flagTerm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-[a-z-]+(?: [A-Z][A-Z=]*\b)?(?:, -[a-z-]+(?: [A-Z][A-Z=]*\b)?)*(?: +|$)`)
})

// section writes flags and statuses as a list of terms, anything else as it
// stands.
func (m *roff) section(head string, s section) {
	m.line("%s%s", head, escapeRoff(s.title))
	var first string // what the first character of a term can be
	switch {
	case strings.HasSuffix(s.title, "FLAGS"):
		first = "-"
	case s.title == "EXIT STATUS":
		first = "0123456789"
	default:
		m.verbatim(s.lines)
		return
	}
	for _, line := range s.lines {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.IndexByte(first, line[0]) >= 0:
			name, text, _ := strings.Cut(line, "  ")
			if term := flagTerm().FindString(line); term != "" {
				name, text = strings.TrimSpace(term), line[len(term):]
			}
			m.line(".TP\n.B %s", escapeRoff(name))
			if text = strings.TrimSpace(text); text != "" {
				m.line("%s", escapeRoff(text))
			}
		default:
			m.line("%s", escapeRoff(line))
		}
	}
}

func (m *roff) verbatim(lines []string) {
	if len(lines) == 0 {
		return
	}
	m.line(".PP\n.RS 4\n.nf")
	for _, line := range lines {
		m.line("%s", escapeRoff(strings.TrimPrefix(line, "  ")))
	}
	m.line(".fi\n.RE")
}

// prose fills paragraphs, which blank lines separate; indented lines stay as
// they are.
func (m *roff) prose(lines []string) {
	fresh := true
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			fresh = true
		case strings.HasPrefix(line, " "):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], " ") {
				end++
			}
			m.verbatim(lines[i:end])
			i, fresh = end-1, true
		default:
			if fresh {
				m.line(".PP")
			}
			fresh = false
			m.line("%s", escapeRoff(line))
		}
	}
}

// escapeRoff keeps a line from being taken for a request.
func escapeRoff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
