package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kingpin/v2"
)

// Help pages are written by hand; docs/cli.md describes their layout, and
// CheckHelp holds them to it. These two pieces are the same on every page.
const (
	// CommonFlags ends the FLAGS section of every page.
	CommonFlags = `      --select EXPR   apply a jq expression to the JSON output
  -h, --help          print this page; --version prints the version
`
	// ExitStatus is the EXIT STATUS section of commands that have nothing more
	// precise to say.
	ExitStatus = `EXIT STATUS
  0         done, nothing to report
  1         understood, but the verdict is negative
  2         usage, unreadable or malformed input, unknown schema version
  3         write error, full disk, or a fault of the program
  75        a lock stayed busy
  130, 143  interrupted; what was finished is on disk
`
)

// page is a help text in its parts.
type page struct {
	usage    []string // the synopsis, without "usage: "
	intro    []string // the lines before the first heading
	sections []section
}

// section is what stands below one heading.
type section struct {
	title string
	lines []string
}

// parsePage takes a help text apart: "usage:" lines, prose, then headings in
// capitals at the start of a line.
func parsePage(text string) page {
	var p page
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if first, ok := strings.CutPrefix(lines[0], "usage: "); ok {
		p.usage = append(p.usage, strings.TrimSpace(first))
		lines = lines[1:]
		for len(lines) > 0 && strings.HasPrefix(lines[0], " ") {
			p.usage = append(p.usage, strings.TrimSpace(lines[0]))
			lines = lines[1:]
		}
	}
	for _, line := range lines {
		switch {
		case isHeading(line):
			p.sections = append(p.sections, section{title: line})
		case len(p.sections) == 0:
			p.intro = append(p.intro, line)
		default:
			last := &p.sections[len(p.sections)-1]
			last.lines = append(last.lines, line)
		}
	}
	p.intro = trimBlank(p.intro)
	for i := range p.sections {
		p.sections[i].lines = trimBlank(p.sections[i].lines)
	}
	return p
}

func isHeading(line string) bool {
	return line != "" && line[0] >= 'A' && line[0] <= 'Z' && len(line) > 1 && line == strings.ToUpper(line)
}

func trimBlank(lines []string) []string {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (p page) section(title string) []string {
	for _, s := range p.sections {
		if s.title == title {
			return s.lines
		}
	}
	return nil
}

// synopsis is the usage of a page as one line.
func synopsis(text string) string {
	p := parsePage(text)
	if len(p.usage) == 0 {
		return ""
	}
	return "usage: " + strings.Join(strings.Fields(strings.Join(p.usage, " ")), " ")
}

// printing is a call that writes a text and nothing else.
func printing(text func() string) *call {
	return &call{reads: true, body: func(_ context.Context, std IO) error {
		_, err := io.WriteString(std.Out, text())
		return err
	}}
}

// helpFor prints the page of a command or group, or the program's.
func (p *program) helpFor(name string) *call {
	return printing(func() string { return p.helpText(name) })
}

// helpWords answers "help COMMAND".
func (p *program) helpWords(parsed *kingpin.ParseContext) (*call, error) {
	var words []string
	for _, element := range parsed.Elements {
		if _, ok := element.Clause.(*kingpin.ArgClause); ok {
			words = append(words, unmask(*element.Value))
		}
	}
	name := strings.Join(words, " ")
	if name != "" && p.helpText(name) == "" {
		return &call{}, Usagef("unknown command %q (expected %s)", name, OneOf(p.verbs("")))
	}
	return p.helpFor(name), nil
}

// helpText is the page of a command, a group or, for "", the program. It is
// "" for anything else.
func (p *program) helpText(name string) string {
	if name == "" {
		if p.app.Help == "" && p.commands[""] != nil {
			return p.commands[""].Help
		}
		return p.app.Help
	}
	if cmd := p.commands[name]; cmd != nil {
		return cmd.Help
	}
	return p.groupHelp(name)
}

// groupHelp lists the commands of a group: "policy" for "policy build" and
// "policy check".
func (p *program) groupHelp(group string) string {
	verbs := p.verbs(group)
	if len(verbs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("usage: " + p.app.Name + " " + group + " {" + strings.Join(verbs, "|") + "}\n\nCOMMANDS\n")
	width := len(slices.MaxFunc(verbs, func(a, b string) int { return len(a) - len(b) }))
	for _, verb := range verbs {
		summary := p.commands[group+" "+verb].Summary
		b.WriteString("  " + verb + strings.Repeat(" ", width-len(verb)+2) + summary + "\n")
	}
	b.WriteString("\nEach has its own page: " + p.app.Name + " " + group + " " + verbs[0] + " --help\n")
	return b.String()
}
