package grouping

import (
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/run"
)

// File is the lead's grouping of findings.
type File struct {
	Title  string // of the first heading, "" without one
	Roster []Seat
	Groups []Group
}

// Seat is a participant as the lead lists it. Role is "" where the line names
// none.
type Seat struct {
	WorkerID, Audience, Role string
	Line                     int
}

// Group is what the lead holds to be one finding.
type Group struct {
	ID, Claim        string
	Tickets          []string
	Origin           string
	OriginEvidence   string
	DiscoveredBy     []string
	SourceItems      []ItemRef
	CapturedEvidence string // "" for none; lines are separated by LF
	Line             int
	lines            map[string]int // where each label stands
}

// LineOf is the line of a label of the group, or of its heading.
func (g Group) LineOf(label string) int {
	if line, ok := g.lines[label]; ok {
		return line
	}
	return g.Line
}

// ItemRef names an item of a worker's result.
type ItemRef struct {
	WorkerID string `json:"workerId"`
	ItemID   string `json:"itemId"`
}

// String is "<worker>#<item>".
func (r ItemRef) String() string { return r.WorkerID + "#" + r.ItemID }

// The labels of a group, in the order in which Format writes them.
const (
	labelTickets    = "Tickets"
	labelOrigin     = "Origin"
	labelEvidence   = "Origin Evidence"
	labelDiscovered = "Discovered By"
	labelItems      = "Source Items"
	labelCaptured   = "Captured Evidence"
)

var requiredLabels = []string{labelTickets, labelOrigin, labelEvidence, labelDiscovered, labelItems}

var seatForm = regexp.MustCompile(`^- ([^:\s]+):[ \t]+(\S+)(?:[ \t]+\(([^()]*)\))?[ \t]*$`)

// Parse reads a grouping. Names are checked against the roster of the file
// itself; Seat lines against a run manifest, and items against the results,
// are others' to check.
func Parse(name string, src []byte) (File, []finding.Finding) {
	p := &groupingParser{source: newSource(name, src)}
	for i, line := range p.lines {
		p.line(i+1, line)
	}
	p.closeGroup()
	p.sections()
	p.roster()
	p.ids()
	p.references()
	return p.file, p.done()
}

type section int

const (
	preamble section = iota
	inRoster
	inGroups
)

// groupingParser is a machine over lines: a section, within the groups the
// group that is open, and the label that a continuation line would continue.
type groupingParser struct {
	*source
	file    File
	section section
	seen    map[section]int // line of each section's heading
	none    int             // line of "(none)"
	open    *Group
	values  map[string]string
	last    string
}

func (p *groupingParser) line(n int, line string) {
	if blank(line) {
		return
	}
	if level, text := heading(line); level > 0 {
		p.heading(n, level, text)
		return
	}
	text, continues := continuation(line)
	switch {
	case p.section == inRoster && strings.HasPrefix(line, "- "):
		p.seat(n, line)
	case continues && p.last == labelCaptured:
		p.captured(text)
	case stateForm.MatchString(line) && strings.Contains(line, ":"):
		p.fault(n, "state-in-input", "label %q is for the program to decide (expected no queue, classification or verdict)", line)
		p.last = ""
	case p.section == inGroups && p.open != nil:
		p.groupLine(n, line)
	case p.section == inGroups && strings.TrimSpace(line) == "(none)" && p.none == 0:
		p.none = n
	default:
		p.fault(n, CodeSyntax, "unexpected text %q (expected %s)", line, p.expected())
	}
}

func (p *groupingParser) expected() string {
	switch p.section {
	case inGroups:
		return `"### G-001 claim" or "(none)"`
	case inRoster:
		return `"- worker-id: audience (role)" or "## Groups"`
	default:
		return `a heading "## Roster"`
	}
}

// captured adds a line to the captured evidence of the open group.
func (p *groupingParser) captured(text string) {
	if before := p.values[labelCaptured]; before != "" {
		p.values[labelCaptured] = before + "\n" + text
	} else {
		p.values[labelCaptured] = strings.TrimSpace(text)
	}
}

// stateForm recognises what would anticipate the program's result.
var stateForm = regexp.MustCompile(`(?i)^(queue|classification|verdict)s?(?:[ \t]*:.*)?$`)

func (p *groupingParser) heading(n, level int, text string) {
	if m := stateForm.FindStringSubmatch(text); m != nil {
		p.fault(n, "state-in-input", "heading %q is for the program to decide (expected no queue, classification or verdict)", m[1])
		p.closeGroup()
		return
	}
	switch {
	case level == 1 && p.section == preamble && p.file.Title == "" && text != "":
		p.file.Title = text
	case level == 2 && text == "Roster":
		p.enter(n, inRoster)
	case level == 2 && text == "Groups":
		p.enter(n, inGroups)
	case level == 3 && p.section == inGroups:
		p.openGroup(n, text)
	default:
		p.closeGroup()
		p.fault(n, CodeSyntax, "unexpected heading %q (expected \"## Roster\", then \"## Groups\" with \"### G-001 claim\")", text)
	}
}

func (p *groupingParser) enter(n int, s section) {
	p.closeGroup()
	if p.seen == nil {
		p.seen = make(map[section]int)
	}
	if first, again := p.seen[s]; again {
		p.fault(n, CodeSyntax, "section is repeated (first in line %d)", first)
	} else {
		p.seen[s] = n
	}
	if s == inRoster && p.section == inGroups {
		p.fault(n, CodeSyntax, "roster stands after the groups (expected it before them)")
	}
	p.section = s
}

func (p *groupingParser) seat(n int, line string) {
	m := seatForm.FindStringSubmatch(line)
	if m == nil {
		p.fault(n, CodeSyntax, "unexpected roster line %q (expected \"- worker-id: audience (role)\")", line)
		return
	}
	if err := run.CheckWorkerID(m[1]); err != nil {
		p.fault(n, CodeSyntax, "%v", err)
	}
	p.file.Roster = append(p.file.Roster, Seat{WorkerID: m[1], Audience: m[2], Role: strings.TrimSpace(m[3]), Line: n})
}

func (p *groupingParser) openGroup(n int, text string) {
	p.closeGroup()
	id, claim, _ := strings.Cut(text, " ")
	claim = strings.TrimSpace(claim)
	p.open = &Group{ID: id, Claim: claim, Line: n, lines: make(map[string]int)}
	p.values = make(map[string]string)
	if Number(id) == 0 || id[:1] != "G" {
		p.fault(n, "group-id", "%q is no group id (expected G-001, G-002, …)", id)
	} else if !Visible(claim) {
		p.fault(n, CodeSyntax, "group %s has no claim (expected \"### %s claim\")", id, id)
	}
}

func (p *groupingParser) groupLine(n int, line string) {
	name, value, ok := label(line)
	p.last = ""
	if !ok {
		p.fault(n, CodeSyntax, "unexpected text %q in group %s (expected a label; only %s goes on over indented lines)", line, p.open.ID, labelCaptured)
		return
	}
	switch {
	case name != labelCaptured && !contains(requiredLabels, name):
		p.fault(n, "group-label-unknown", "label %q (expected %s or %s)", name, strings.Join(requiredLabels, ", "), labelCaptured)
	case p.open.lines[name] != 0:
		p.fault(n, "group-label-duplicate", "label %q is repeated in group %s (first in line %d)", name, p.open.ID, p.open.lines[name])
	default:
		p.open.lines[name] = n
		p.values[name] = value
		p.last = name
	}
}

// closeGroup turns the labels of the open group into its fields.
func (p *groupingParser) closeGroup() {
	g := p.open
	if g == nil {
		return
	}
	p.open, p.last = nil, ""
	for _, name := range requiredLabels {
		if g.lines[name] == 0 {
			p.fault(g.Line, "group-label-missing", "group %s has no label %q", g.ID, name)
		}
	}
	g.Tickets = p.tickets(g.LineOf(labelTickets), p.values[labelTickets], CodeSyntax)
	g.Origin = p.values[labelOrigin]
	g.OriginEvidence = p.values[labelEvidence]
	if g.lines[labelEvidence] != 0 && !Visible(g.OriginEvidence) {
		p.fault(g.LineOf(labelEvidence), "evidence-empty", "group %s quotes no evidence (expected path:line)", g.ID)
	}
	g.DiscoveredBy = splitList(p.values[labelDiscovered])
	g.SourceItems = p.itemRefs(g)
	g.CapturedEvidence = p.values[labelCaptured]
	p.file.Groups = append(p.file.Groups, *g)
}

func (p *groupingParser) itemRefs(g *Group) []ItemRef {
	refs := []ItemRef{}
	for _, text := range splitList(p.values[labelItems]) {
		worker, item, ok := strings.Cut(text, "#")
		switch {
		case !ok:
			p.fault(g.LineOf(labelItems), CodeSyntax, "source item %q (expected worker-id#F-001)", text)
		case idNumber("F", item) == 0:
			p.fault(g.LineOf(labelItems), "item-unknown", "%q is no item id (expected worker-id#F-001)", text)
		default:
			refs = append(refs, ItemRef{worker, item})
		}
	}
	return refs
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}
