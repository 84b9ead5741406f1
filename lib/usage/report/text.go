package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"okstra/lib/price"
	"okstra/lib/safetext"
)

// unknown stands where nothing is known. It is never a zero.
const unknown = "--"

// nameless stands for a key that is not known.
const nameless = "(unknown)"

// column is one of the figures of a listing. The last ones have room for a mark
// behind the digits.
type column struct {
	title string
	width int
	room  bool
}

var columns = []column{
	{"RUNS", 4, false},
	{"COVERED", 7, false},
	{"TOKENS", 10, false},
	{"BILLABLE", 10, false},
	{"COST", 7, true},
	{"CPU", 5, true},
	{"WALL", 5, true},
}

// Text writes the report for people.
func (r Report) Text(w io.Writer) error {
	var out strings.Builder
	c := r.Coverage
	fmt.Fprintf(&out, "project %s  %s  runs %d  covered %d  unavailable %d\n", safetext.Line(r.title()), r.period(), c.Total, c.Covered, c.Unavailable)
	head := []string{}
	for _, word := range r.options.By {
		head = append(head, strings.ToUpper(dimensions[word].title))
	}
	rows := []row{}
	for _, g := range r.Groups {
		names := []string{}
		for _, one := range g.Key {
			names = append(names, safetext.Line(show(one.Value)))
		}
		rows = append(rows, row{names, g.cells()})
	}
	total := make([]string, len(head))
	if len(total) > 0 {
		total[0] = "total"
	}
	layOut(&out, head, append(rows, row{total, r.Totals.cells()}))
	for _, note := range r.notes() {
		out.WriteString(safetext.Line(note) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// row is a line of the listing: keys to the left, figures to the right.
type row struct {
	keys    []string
	figures []cell
}

// cell is a figure as people read it. least says that it is a lower bound,
// which a + behind it shows.
type cell struct {
	text  string
	least bool
}

func (c cell) String() string {
	if c.least {
		return c.text + "+"
	}
	return c.text
}

// layOut writes rows so that keys and digits line up, marks standing outside.
func layOut(out *strings.Builder, head []string, rows []row) {
	names, figures := make([]int, len(head)), make([]int, len(columns))
	for i, title := range head {
		names[i] = safetext.Width(title)
		for _, r := range rows {
			names[i] = max(names[i], safetext.Width(r.keys[i]))
		}
	}
	for i, c := range columns {
		figures[i] = c.width
		for _, r := range rows {
			figures[i] = max(figures[i], len(r.figures[i].text))
		}
	}
	var line strings.Builder
	end := func() {
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		line.Reset()
	}
	for i, title := range head {
		line.WriteString(left(title, names[i]))
	}
	for i, c := range columns {
		width := figures[i]
		if c.room {
			width++
		}
		fmt.Fprintf(&line, "%*s  ", width, c.title)
	}
	end()
	for _, r := range rows {
		for i, name := range r.keys {
			line.WriteString(left(name, names[i]))
		}
		for i, c := range columns {
			fmt.Fprintf(&line, "%*s%s", figures[i], r.figures[i].text, gap(r.figures[i].least, c.room))
		}
		end()
	}
}

func left(name string, width int) string {
	return name + strings.Repeat(" ", width-safetext.Width(name)+2)
}

// gap is what stands between a figure and the next.
func gap(marked, room bool) string {
	text := " "
	if marked {
		text = "+"
	}
	if room {
		text += " "
	}
	return text + " "
}

// The places of figures among cells, and of the same ones among fields.
const (
	tokensCell = iota + 2
	billableCell
	costCell
	cpuCell
	wallCell
)

var fieldOfCell = []int{0, 1, 2, 3, 4, 6, 7}

// cells are the figures as people read them.
func (f Figures) cells() []cell {
	part := f.Unmeasured > 0 && f.Covered > 0
	return []cell{
		{strconv.Itoa(f.Runs), false},
		{strconv.Itoa(f.Covered), false},
		{count(f.Tokens), part && f.Tokens != nil},
		{count(f.Billable), part && f.Billable != nil},
		{dollars(f.CostUSD), f.CostUSD != nil && (part || !f.CostComplete)},
		{duration(f.CPU), false},
		{duration(f.Wall), false},
	}
}

func (r Report) title() string {
	if r.ProjectRoot == "" {
		return "(several)"
	}
	return r.ProjectRoot
}

// period is the window as the days in which it begins and ends.
func (r Report) period() string {
	o := r.options
	if o.Since.IsZero() && o.Until.IsZero() {
		return "all runs"
	}
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.In(o.Location).Format(time.DateOnly)
	}
	return strings.TrimSpace(day(o.Since) + " .. " + day(o.Until))
}

// notes say what the figures leave out.
func (r Report) notes() []string {
	var notes []string
	var reasons []string
	for _, reason := range Reasons {
		if n := r.Coverage.Reasons[reason]; n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, n))
		}
	}
	if reasons != nil {
		notes = append(notes, "unavailable: "+strings.Join(reasons, ", "))
	}
	f := r.Totals
	switch {
	case len(f.Unmatched) > 0:
		notes = append(notes, "no price: "+strings.Join(f.Unmatched, ", ")+"  (cost shown with + is a lower bound)")
	case f.Covered > 0 && !f.CostComplete:
		notes = append(notes, "no price for a part of what was used  (cost shown with + is a lower bound)")
	}
	if f.Unmeasured > 0 {
		notes = append(notes, "not measured: "+plural(f.Unmeasured, "participant", "participants")+" of covered runs  (figures shown with + are lower bounds)")
	}
	return notes
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func show(key *string) string {
	if key == nil {
		return nameless
	}
	return *key
}

// count is a number with its thousands set apart.
func count(n *int64) string {
	if n == nil {
		return unknown
	}
	digits := strconv.FormatInt(*n, 10)
	var out strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}

// dollars is an amount of money in cents; below one cent with as many digits as
// show something.
func dollars(usd *price.USD) string {
	if usd == nil {
		return unknown
	}
	micros := usd.Micros()
	if micros > 0 && micros < 10_000 {
		return "$" + strings.TrimRight(fmt.Sprintf("0.%06d", micros), "0")
	}
	cents := (micros + 5_000) / 10_000
	whole := cents / 100
	return fmt.Sprintf("$%s.%02d", count(&whole), cents%100)
}

// duration is a span of time in the two largest units that matter.
func duration(ms *int64) string {
	if ms == nil {
		return unknown
	}
	switch s := *ms / 1000; {
	case s == 0:
		return fmt.Sprintf("%dms", *ms)
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
	}
}
