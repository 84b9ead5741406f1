package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A small parser of ICU MessageFormat, for its structure only:
//
//	message  = (text | "#" | argument)*
//	argument = "{" name "}"
//	         | "{" name "," type ["," style] "}"
//	         | "{" name "," ("plural" | "selectordinal") "," ["offset:" n] branch+ "}"
//	         | "{" name ",select," branch+ "}"
//	branch   = selector "{" message "}"
//
// An apostrophe quotes when a brace follows it; two are one.

// message is a parsed text.
type message struct {
	args  []argument
	hash  bool // a # of the plural around it
	empty bool // nothing but white space
}

type argument struct {
	name, kind string // kind is "" for {name}
	style      string
	branches   []branch
}

type branch struct {
	selector string
	message  *message
}

// simpleKinds take a style, branchKinds take branches.
var (
	simpleKinds = []string{"number", "date", "time", "spellout", "ordinal", "duration"}
	branchKinds = []string{"plural", "selectordinal", "select"}
)

// pluralWords are the plural categories of CLDR.
var pluralWords = []string{"zero", "one", "two", "few", "many", "other"}

// complex says whether the message has an argument of a kind: {name} alone is
// a placeholder like others.
func (m *message) complex() bool {
	return slices.ContainsFunc(m.args, func(a argument) bool { return a.kind != "" })
}

// icuDepth bounds the nesting, as a guard against hostile texts.
const icuDepth = 20

type icuParser struct {
	s     string
	i     int
	depth int
}

var errICU = errors.New("not an ICU message")

// parseICU parses a whole text. Text without braces is a message as well.
func parseICU(s string) (*message, error) {
	if !strings.Contains(s, "{") {
		if strings.Contains(s, "}") {
			return nil, errICU
		}
		return &message{empty: strings.TrimSpace(s) == ""}, nil
	}
	p := icuParser{s: s}
	m, err := p.message(false)
	if err != nil {
		return nil, err
	}
	if p.i < len(s) {
		return nil, errICU
	}
	return m, nil
}

// message parses up to the end or an unquoted "}", which it leaves.
func (p *icuParser) message(inPlural bool) (*message, error) {
	if p.depth++; p.depth > icuDepth {
		return nil, fmt.Errorf("%w: nested too deeply", errICU)
	}
	defer func() { p.depth-- }()
	m := &message{empty: true}
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case '}':
			return m, nil
		case '{':
			a, err := p.argument(inPlural)
			if err != nil {
				return nil, err
			}
			m.args = append(m.args, a)
			m.empty = false
		case '\'':
			p.quoted()
			m.empty = false
		case '#':
			m.hash = m.hash || inPlural
			m.empty = false
			p.i++
		default:
			text := p.s[p.i:]
			if end := strings.IndexAny(text, "{}'#"); end >= 0 {
				text = text[:end]
			}
			m.empty = m.empty && strings.Trim(text, " \t\r\n") == ""
			p.i += len(text)
		}
	}
	return m, nil
}

// quoted moves over an apostrophe and what it quotes.
func (p *icuParser) quoted() {
	p.i++
	if p.i >= len(p.s) || !strings.ContainsRune("'{}#", rune(p.s[p.i])) {
		return
	}
	if p.s[p.i] == '\'' {
		p.i++
		return
	}
	for p.i < len(p.s) {
		end := strings.IndexByte(p.s[p.i:], '\'')
		if end < 0 {
			p.i = len(p.s)
			return
		}
		p.i += end + 1
		if p.i >= len(p.s) || p.s[p.i] != '\'' {
			return
		}
		p.i++
	}
}

func (p *icuParser) argument(inPlural bool) (argument, error) {
	p.i++ // the brace
	a := argument{name: p.word()}
	if a.name == "" {
		return a, fmt.Errorf("%w: an argument without a name", errICU)
	}
	if p.take('}') {
		return a, nil
	}
	if !p.take(',') {
		return a, fmt.Errorf("%w: %q is no argument", errICU, "{"+a.name)
	}
	a.kind = p.word()
	switch {
	case slices.Contains(branchKinds, a.kind):
		if !p.take(',') {
			return a, fmt.Errorf("%w: no branches in {%s, %s}", errICU, a.name, a.kind)
		}
		return a, p.branches(&a, inPlural)
	case !slices.Contains(simpleKinds, a.kind):
		return a, fmt.Errorf("%w: %q is no keyword", errICU, a.kind)
	}
	if p.take(',') {
		end := strings.IndexAny(p.s[p.i:], "{}")
		if end < 0 || p.s[p.i+end] == '{' {
			return a, fmt.Errorf("%w: {%s, %s, is not closed", errICU, a.name, a.kind)
		}
		a.style = strings.TrimSpace(p.s[p.i : p.i+end])
		p.i += end
	}
	if !p.take('}') {
		return a, fmt.Errorf("%w: {%s, %s is not closed", errICU, a.name, a.kind)
	}
	return a, nil
}

func (p *icuParser) branches(a *argument, inPlural bool) error {
	plural := a.kind != "select"
	for first := true; ; first = false {
		selector := p.word()
		if plural && first && strings.HasPrefix(selector, "offset:") {
			if selector == "offset:" {
				selector += p.word()
			}
			a.style = selector
			selector = p.word()
		}
		if selector == "" {
			break
		}
		if a.branch(selector) != nil {
			return fmt.Errorf("%w: %s twice in {%s, %s}", errICU, selector, a.name, a.kind)
		}
		if !p.take('{') {
			return fmt.Errorf("%w: no text for %s in {%s, %s}", errICU, selector, a.name, a.kind)
		}
		m, err := p.message(plural || inPlural)
		if err != nil {
			return err
		}
		if !p.take('}') {
			return fmt.Errorf("%w: %s in {%s, %s} is not closed", errICU, selector, a.name, a.kind)
		}
		a.branches = append(a.branches, branch{selector, m})
	}
	if len(a.branches) == 0 {
		return fmt.Errorf("%w: no branches in {%s, %s}", errICU, a.name, a.kind)
	}
	if !p.take('}') {
		return fmt.Errorf("%w: {%s, %s} is not closed", errICU, a.name, a.kind)
	}
	return nil
}

// word reads a name, keyword or selector after white space.
func (p *icuParser) word() string {
	p.space()
	start := p.i
	end := strings.IndexFunc(p.s[start:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("{},#'", r) })
	if end < 0 {
		end = len(p.s) - start
	}
	p.i += end
	return p.s[start:p.i]
}

// take moves over white space and c, if c comes next.
func (p *icuParser) take(c byte) bool {
	p.space()
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *icuParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}
