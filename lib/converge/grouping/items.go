package grouping

import (
	"regexp"
	"strings"
)

// Kind and version of the document that a line of items is.
const (
	ItemKind    = "okstra-convergence-item"
	itemVersion = "1.0"
)

// Item is one thing that a worker found.
type Item struct {
	SchemaVersion string   `json:"schemaVersion"`
	Kind          string   `json:"kind"`
	WorkerID      string   `json:"workerId"`
	ItemID        string   `json:"itemId"`
	Section       int      `json:"section"`
	Title         string   `json:"title"`
	Text          string   `json:"text"`
	Evidence      []string `json:"evidence"`
	Tickets       []string `json:"tickets"`
	Line          int      `json:"line"`
}

// Ref is the item's name from outside its result.
func (i Item) Ref() ItemRef { return ItemRef{i.WorkerID, i.ItemID} }

// itemCodes are the codes under which a kind of file reports its items.
type itemCodes struct {
	letter   string // of the ids
	item, id string
}

// itemReader reads items: a heading of level 3 with id and title, directly
// below it a list of tickets and evidence, then free text.
type itemReader struct {
	*source
	codes    itemCodes
	items    []Item
	expected int // number of the next id
	open     *Item
	tickets  int // ticket lists of the open item
	inText   bool
	text     []string
}

func newItemReader(s *source, codes itemCodes) *itemReader {
	return &itemReader{source: s, codes: codes, expected: 1}
}

var listForm = regexp.MustCompile(`^[-*][ \t]+(Tickets|Evidence):(?:[ \t]+(.*?))?[ \t]*$`)

// start opens an item from the text of its heading; it refuses a heading that
// is none.
func (r *itemReader) start(n, section int, text string) {
	id, title, _ := strings.Cut(text, " ")
	title = strings.TrimSpace(title)
	number := idNumber(r.codes.letter, id)
	switch {
	case number == 0:
		r.fault(n, r.codes.item, "heading %q is no item (expected \"### %s title\")", text, ID(r.codes.letter, r.expected))
		return
	case !Visible(title):
		r.fault(n, r.codes.item, "item %s has no title", id)
	case number != r.expected:
		r.fault(n, r.codes.id, "item %s is out of order (expected %s)", id, ID(r.codes.letter, r.expected))
	}
	r.expected = max(r.expected, number+1)
	r.open = &Item{
		SchemaVersion: itemVersion, Kind: ItemKind, ItemID: id, Section: section, Title: title,
		Evidence: []string{}, Tickets: []string{}, Line: n,
	}
	r.tickets, r.inText, r.text = 0, false, nil
}

// line takes a line that is no heading; fenced lines are text in any case.
func (r *itemReader) line(n int, line string, fenced bool) {
	var m []string
	if !fenced {
		m = listForm.FindStringSubmatch(line)
	}
	switch {
	case m != nil && r.open == nil:
		r.fault(n, r.codes.item, "%q stands outside an item (expected it directly below \"### %s title\")", line, ID(r.codes.letter, r.expected))
	case m != nil && r.inText:
		r.fault(n, r.codes.item, "%q stands in the text of item %s (expected it directly below the heading)", line, r.open.ItemID)
	case m != nil:
		r.listLine(n, m[1], m[2])
	case r.open == nil:
	case r.inText || fenced || !blank(line):
		r.inText = true
		r.text = append(r.text, line)
	}
}

func (r *itemReader) listLine(n int, name, value string) {
	if name == labelTickets {
		r.tickets++
		if r.tickets > 1 {
			r.fault(n, r.codes.item, "item %s lists tickets twice", r.open.ItemID)
			return
		}
		r.open.Tickets = r.source.tickets(n, value, r.codes.item)
		return
	}
	if !beginsWithLocation(value) {
		r.fault(n, r.codes.item, "evidence %q of item %s begins with no location (expected path:line or path:line-line, then text)", value, r.open.ItemID)
	}
	r.open.Evidence = append(r.open.Evidence, value)
}

// end closes the open item; evidenceDue says that one without evidence is a
// fault.
func (r *itemReader) end(evidenceDue bool) {
	if r.open == nil {
		return
	}
	item := r.open
	r.open = nil
	if r.tickets == 0 {
		r.fault(item.Line, r.codes.item, "item %s has no ticket list (expected \"- Tickets:\", empty where there is none)", item.ItemID)
	}
	if evidenceDue && len(item.Evidence) == 0 {
		r.fault(item.Line, r.codes.item, "item %s has no evidence (expected \"- Evidence: path:line\")", item.ItemID)
	}
	item.Text = strings.Join(trimBlank(r.text), "\n")
	r.items = append(r.items, *item)
}

// trimBlank drops blank lines at both ends and blanks at the ends of lines.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(line, " \t")
	}
	return out
}
