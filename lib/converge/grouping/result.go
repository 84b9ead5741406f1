package grouping

import (
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
)

// Codes of faults of a worker result.
const (
	CodeFrontMatter  = "result-front-matter"
	CodeSection      = "result-section"
	CodeConfirmation = "result-reading-confirmation"
	CodeItem         = "result-item"
	CodeItemID       = "result-item-id"
	CodeAudit        = "result-audit"
)

// The sections of a result: 1 to 5 are required, 6 never enters a grouping.
const (
	firstSection    = 1
	lastRequired    = 5
	OutOfScope      = 6
	findingsSection = 1
)

// Result is what a worker found.
type Result struct {
	FrontMatter FrontMatter
	Items       []Item // of all sections, 6 included, in order
}

// WorkerID is the worker that wrote the result, as its front matter says.
func (r Result) WorkerID() string { return r.FrontMatter.Text("workerId") }

// Sections maps the ids of the items to their sections.
func (r Result) Sections() map[string]int {
	at := make(map[string]int, len(r.Items))
	for _, item := range r.Items {
		at[item.ItemID] = item.Section
	}
	return at
}

// ParseResult reads a worker result. Whether its front matter fits a run is
// for CheckIdentity.
func ParseResult(name string, src []byte) (Result, []finding.Finding) {
	s := newSource(name, src)
	p := &resultParser{
		source: s,
		items:  newItemReader(s, itemCodes{"F", CodeItem, CodeItemID}),
		seen:   make(map[int]int),
	}
	var body int
	p.result.FrontMatter, body = p.frontMatter()
	var code fence
	for i := body; i < len(p.lines); i++ {
		line := p.lines[i]
		if code.inside(line) {
			p.content = true
			p.items.line(i+1, line, true)
		} else if level, text := heading(line); level > 0 && level <= 3 {
			p.heading(i+1, level, text)
		} else {
			p.content = p.content || !blank(line)
			p.items.line(i+1, line, false)
		}
	}
	p.endSection()
	p.complete()
	p.result.Items = p.items.items
	for i := range p.result.Items {
		p.result.Items[i].WorkerID = p.result.WorkerID()
	}
	return p.result, p.done()
}

type resultParser struct {
	*source
	result  Result
	items   *itemReader
	seen    map[int]int // section → line of its heading
	section int         // 0 before the first
	started int         // line of the section's heading
	content bool        // the section holds something
}

var (
	sectionForm  = regexp.MustCompile(`^([0-9]{1,3})\.(?:[ \t]+(.*))?$`)
	itemLikeForm = regexp.MustCompile(`^F[-_ ]?[0-9]`)
)

func (p *resultParser) heading(n, level int, text string) {
	p.items.end(p.section == findingsSection)
	switch {
	case level == 1:
	case level == 2:
		p.sectionHeading(n, text)
	case p.section == 0:
		p.fault(n, CodeItem, "heading %q stands before section 1", text)
	case p.section == findingsSection || itemLikeForm.MatchString(text):
		p.content = true
		p.items.start(n, p.section, text)
	default:
		p.content = true
	}
}

func (p *resultParser) sectionHeading(n int, text string) {
	if text == "Index" && p.section == 0 {
		return
	}
	m := sectionForm.FindStringSubmatch(text)
	if m != nil && strings.Trim(m[1], "0") == "" {
		p.fault(n, CodeConfirmation, "section %q stands in the result (expected it in the audit file)", text)
		return
	}
	number := 0
	if m != nil {
		number = int(m[1][0] - '0')
	}
	if m == nil || len(m[1]) > 1 || number > OutOfScope {
		p.fault(n, CodeSection, "unknown section %q (expected sections 1 to 5, then perhaps 6)", text)
		return
	}
	p.endSection()
	if first, again := p.seen[number]; again {
		p.fault(n, CodeSection, "section %d is repeated (first in line %d)", number, first)
	} else {
		p.seen[number] = n
		if number < p.section {
			p.fault(n, CodeSection, "section %d stands after section %d", number, p.section)
		}
	}
	p.section, p.started, p.content = number, n, false
}

func (p *resultParser) endSection() {
	p.items.end(p.section == findingsSection)
	if p.section != 0 && !p.content {
		p.fault(p.started, CodeSection, "section %d is empty (expected \"None.\")", p.section)
	}
}

// complete reports required sections that are missing.
func (p *resultParser) complete() {
	for n := firstSection; n <= lastRequired; n++ {
		if p.seen[n] == 0 {
			p.fault(max(len(p.lines), 1), CodeSection, "section %d is missing (expected sections 1 to 5)", n)
		}
	}
}

// CheckAudit reports what is wrong with an audit file of a result: it must
// hold the reading confirmation with an entry for each input.
func CheckAudit(name string, src []byte) []finding.Finding {
	s := newSource(name, src)
	at, entries := 0, 0
	var code fence
	for i, line := range s.lines {
		if code.inside(line) {
			continue
		}
		if level, text := heading(line); level > 0 && level <= 2 {
			if at > 0 {
				break
			}
			if level == 2 && slices.Equal(strings.Fields(text), []string{"0.", "Reading", "Confirmation"}) {
				at = i + 1
			}
			continue
		}
		if at > 0 && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")) && !blank(line[2:]) {
			entries++
		}
	}
	switch {
	case at == 0:
		s.fault(1, CodeAudit, "no section \"## 0. Reading Confirmation\"")
	case entries == 0:
		s.fault(at, CodeAudit, "reading confirmation is empty (expected a line for each input)")
	}
	return s.done()
}
