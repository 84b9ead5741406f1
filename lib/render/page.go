package render

// page is a report laid out, before it is written in one form or the other.
type page struct {
	title    []span
	facts    table
	sections []section
}

// section is a numbered part of a page.
type section struct {
	number string // "1.2"; "" for the verdict card
	title  string
	level  int // 2 for a part, 3 and 4 below
	body   []block
}

// block is a table, list, paragraph or chart.
type block interface{ isBlock() }

// paragraph is one paragraph.
type paragraph []span

// list is a list of short texts, numbered where their order says something.
type list struct {
	ordered bool
	items   [][]span
}

// table is a table with a head; without titles it is a list of facts, whose
// first column names each row.
type table struct {
	caption string // for those who cannot see where it stands
	columns []column
	rows    [][]cell
}

type column struct {
	title string
	right bool // numbers
}

// cell is the content of a table cell: lines of spans.
type cell [][]span

// chart is a bar chart. The numbers are in a table nearby, so a form that
// cannot draw may leave it out.
type chart struct {
	title string
	bars  []bar
}

// bar is one row of a chart. parts add up to its length; a bar without parts
// was not measured.
type bar struct {
	label string
	parts []part
	shown string // the value as text
}

// part is a piece of a bar; class names its meaning and thereby its colour.
type part struct {
	class string
	value float64
}

// stageMap is the stages of a plan as a graph. Like a chart it says nothing
// that a table nearby does not say.
type stageMap struct {
	title  string
	stages []stageNode
}

// stageNode is a stage and the numbers of those it waits for.
type stageNode struct {
	number    int64
	title     string
	dependsOn []int64
}

func (paragraph) isBlock() {}
func (list) isBlock()      {}
func (table) isBlock()     {}
func (chart) isBlock()     {}
func (stageMap) isBlock()  {}

// spanKind says what a text is and so how it may be shown.
type spanKind int

const (
	label  spanKind = iota // our own words
	plain                  // a text of the data, shown letter by letter
	prose                  // a text of the data with light Markdown in it
	code                   // a text of the data in a fixed-width font
	token                  // an enumeration value of the data
	anchor                 // an id of the data, where the thing it names is shown
	ref                    // an id of the data that names something elsewhere
)

// span is a piece of text. at is the JSON pointer of prose.
type span struct {
	kind spanKind
	text string
	at   string
}

func labels(text string) []span { return []span{{kind: label, text: text}} }

func proseOf(n node) []span { return []span{{kind: prose, text: n.text(), at: n.at}} }

func line(spans ...span) cell { return cell{spans} }

// unknown stands where a value was not measured. It is never a zero.
const unknown = "--"

// none stands for a list without elements.
func none() block { return paragraph(labels("None.")) }
