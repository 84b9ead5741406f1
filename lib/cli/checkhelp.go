package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"okstra/lib/safetext"
)

const (
	maxHelpLines   = 59
	maxHelpColumns = 79
	minExamples    = 2
)

var flagWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`--[a-z][a-z0-9-]*`)
})

// CheckHelp holds every page of a program to the layout of docs/cli.md: fewer
// than 60 lines of at most 79 columns, a synopsis that names the command,
// every visible flag (and no flag that does not exist) under FLAGS, the exit
// statuses, two examples; the program's own page lists the commands. It
// reports all that is wrong.
func CheckHelp(app App) error {
	p := wholeProgram(app)
	var errs []error
	check := func(name, text string, cmd *command) {
		for _, complaint := range p.checkPage(name, text, cmd) {
			errs = append(errs, fmt.Errorf("help of %q: %s", strings.TrimSpace(app.Name+" "+name), complaint))
		}
	}
	check("", p.helpText(""), p.commands[""])
	for _, c := range app.Commands {
		if c.Name == "" || c.Hidden {
			continue
		}
		check(c.Name, c.Help, p.commands[c.Name])
		if c.Summary == "" || strings.HasSuffix(c.Summary, ".") || strings.Contains(c.Summary, "\n") {
			errs = append(errs, fmt.Errorf("summary of %q: %q (expected one line without a full stop)", c.Name, c.Summary))
		}
	}
	if app.Summary == "" {
		errs = append(errs, fmt.Errorf("%s has no summary", app.Name))
	}
	return errors.Join(errs...)
}

func (p *program) checkPage(name, text string, cmd *command) []string {
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > maxHelpLines {
		complain("%d lines (expected at most %d)", len(lines), maxHelpLines)
	}
	for i, line := range lines {
		if width := safetext.Width(line); width > maxHelpColumns {
			complain("line %d has %d columns (expected at most %d)", i+1, width, maxHelpColumns)
		}
		if strings.ContainsRune(line, '\t') || strings.TrimRight(line, " ") != line {
			complain("line %d has a tab or ends in a blank", i+1)
		}
	}
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		complain("does not end with exactly one line feed")
	}
	parsed := parsePage(text)
	start := strings.TrimSpace("usage: " + p.app.Name + " " + name)
	if !strings.HasPrefix(text, start+" ") && !strings.HasPrefix(text, start+"\n") {
		complain("does not begin with %q", start)
	}
	if parsed.section("EXIT STATUS") == nil {
		complain("has no EXIT STATUS")
	}
	if n := len(parsed.examples()); n < minExamples {
		complain("has %d examples (expected %d or more)", n, minExamples)
	}
	for _, verb := range p.verbs("") {
		if name == "" && verb != "" && !regexp.MustCompile(`(?m)^  `+regexp.QuoteMeta(verb)+`\b`).MatchString(text) {
			complain("does not list the command %q", verb)
		}
	}
	return append(wrong, p.checkFlags(parsed, cmd)...)
}

// checkFlags compares the FLAGS section with the flags that are declared.
func (p *program) checkFlags(parsed page, cmd *command) []string {
	var wrong []string
	written := map[string]bool{}
	flags := p.visible(cmd)
	for _, s := range parsed.sections {
		if !strings.HasSuffix(s.title, "FLAGS") {
			continue
		}
		for _, line := range s.lines {
			for _, word := range flagWord().FindAllString(line, -1) {
				written[word] = true
			}
		}
	}
	for _, o := range flags {
		if !written["--"+o.name] {
			wrong = append(wrong, fmt.Sprintf("does not explain --%s under FLAGS", o.name))
		}
		if short := "-" + string(o.short); o.short != 0 && !strings.Contains(strings.Join(parsed.section("FLAGS"), "\n"), short) {
			wrong = append(wrong, fmt.Sprintf("does not name the short form %s", short))
		}
		delete(written, "--"+o.name)
	}
	for _, word := range sortedKeys(written) {
		if cmd == nil && p.declares(word[2:]) {
			continue // the program's page may speak of the flags of its commands
		}
		wrong = append(wrong, fmt.Sprintf("explains %s, which does not exist", word))
	}
	return wrong
}

func (p *program) declares(name string) bool {
	for _, cmd := range p.commands {
		for _, o := range cmd.flags.flags {
			if o.name == name {
				return true
			}
		}
	}
	return false
}
