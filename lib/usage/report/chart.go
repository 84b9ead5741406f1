package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"time"

	"okstra/lib/safetext"
)

// bar is one value of a chart; one that is not known has no length.
type bar struct {
	label string
	value float64
	known bool
	shown string // the value as people read it
}

// measure is what a chart shows of the groups.
type measure struct {
	title, class string
	of           func(Figures) (value float64, known bool, shown string)
	tick         func(float64) string
}

var measures = []measure{
	{"Cost", "cost", func(f Figures) (float64, bool, string) {
		if f.CostUSD == nil {
			return 0, false, ""
		}
		return float64(*f.CostUSD) / 1e9, true, f.cells()[costCell].String()
	}, func(v float64) string { return "$" + short(v) }},
	{"Tokens", "tokens", func(f Figures) (float64, bool, string) {
		if f.Tokens == nil {
			return 0, false, ""
		}
		return float64(*f.Tokens), true, f.cells()[tokensCell].String()
	}, short},
}

// bars are the groups' values of a measure, labelled by their keys.
func (r Report) bars(m measure) []bar {
	var bars []bar
	for _, g := range r.Groups {
		bars = append(bars, m.bar(g.Key.text(), g.Figures))
	}
	return bars
}

func (m measure) bar(label string, f Figures) bar {
	value, known, shown := m.of(f)
	if !known {
		shown = "not known"
	}
	return bar{label, value, known, shown}
}

func (k Key) text() string {
	var parts []string
	for _, one := range k {
		parts = append(parts, show(one.Value))
	}
	return strings.Join(parts, " / ")
}

// drawing is the inside of an SVG and its height.
type drawing struct {
	body   strings.Builder
	height int
}

// Measures of a drawing, in the units of its view box.
const (
	chartWidth = 640
	barsFrom   = 200
	barsRoom   = 110 // behind the longest bar, for its value
	rowHeight  = 26
	barHeight  = 16
	labelChars = 26
	maxBars    = 30
)

// lyingBars draws bars below each other, each with its value as text: length
// and colour say nothing that cannot be read.
func lyingBars(bars []bar, class string) *drawing {
	more := len(bars) - maxBars
	if more > 0 {
		bars = bars[:maxBars]
	}
	longest := 0.0
	for _, b := range bars {
		longest = max(longest, b.value)
	}
	d := &drawing{height: len(bars) * rowHeight}
	for i, b := range bars {
		y := i * rowHeight
		d.text(0, y+17, "", b.label, labelChars)
		size := 0.0
		if longest > 0 {
			size = b.value / longest * (chartWidth - barsFrom - barsRoom)
		}
		if b.known {
			d.rect(class, barsFrom, float64(y+5), max(size, 1), barHeight, "")
		}
		d.text(barsFrom+int(size)+8, y+17, "", b.shown, labelChars)
	}
	if more > 0 {
		d.text(0, d.height+17, "tick", plural(more, "more is", "more are")+" in the table", 2*labelChars)
		d.height += rowHeight
	}
	return d
}

// Measures of a chart of days.
const (
	daysHeight = 190
	daysTop    = 12
	daysFrom   = 56
	daysFoot   = 168
	maxDays    = 400
	dayLabels  = 6
)

// days draws a standing bar for each day from first to last, days without a
// run included, over a scale.
func days(bars []bar, first, last time.Time, m measure) *drawing {
	d := &drawing{height: daysHeight}
	values := map[string]bar{}
	most := 0.0
	for _, b := range bars {
		values[b.label] = b
		most = max(most, b.value)
	}
	step := niceStep(most)
	top := max(step, math.Ceil(most/step)*step)
	y := func(v float64) float64 { return daysFoot - v/top*(daysFoot-daysTop) }
	for i := 0; float64(i)*step <= top; i++ {
		at := y(float64(i) * step)
		fmt.Fprintf(&d.body, `<line class="grid" x1="%d" x2="%d" y1="%s" y2="%s"/>`+"\n", daysFrom, chartWidth, units(at), units(at))
		d.text(daysFrom-8, int(at)+4, "tick end", m.tick(float64(i)*step), labelChars)
	}
	number := int(last.Sub(first).Hours()/24+.5) + 1
	slot := float64(chartWidth-daysFrom) / float64(number)
	every := max(1, (number+dayLabels-1)/dayLabels)
	for i := range number {
		day := first.AddDate(0, 0, i).Format(time.DateOnly)
		x := daysFrom + float64(i)*slot
		if i%every == 0 {
			d.text(int(x+slot/2), daysHeight-4, "tick middle", day[len("2006-"):], labelChars)
		}
		if b, ok := values[day]; ok && b.known {
			d.rect(m.class, x+slot*.1, min(y(b.value), daysFoot-1), slot*.8, daysFoot-min(y(b.value), daysFoot-1), day+": "+b.shown)
		}
	}
	return d
}

// niceStep is the distance of the lines of a scale that reaches to most: 1, 2
// or 5 times a power of ten, for two to five lines.
func niceStep(most float64) float64 {
	if most <= 0 {
		return 1
	}
	raw := most / 4
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return m * power
		}
	}
	return 10 * power
}

// short is a number for a scale, as 1.5M.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// units is a coordinate with one decimal, so that the bytes do not depend on
// the machine's last digit.
func units(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func (d *drawing) rect(class string, x, y, width, height float64, tip string) {
	fmt.Fprintf(&d.body, `<rect class=%q x="%s" y="%s" width="%s" height="%s" rx="2">`, class, units(x), units(y), units(width), units(height))
	if tip != "" {
		d.body.WriteString("<title>" + html.EscapeString(safetext.Line(tip)) + "</title>")
	}
	d.body.WriteString("</rect>\n")
}

// text writes a text, cut to fit; what was cut off shows as a tooltip.
func (d *drawing) text(x, y int, class, s string, columns int) {
	full := safetext.Line(s)
	shown := safetext.Cut(full, columns)
	if class != "" {
		class = fmt.Sprintf(" class=%q", class)
	}
	fmt.Fprintf(&d.body, `<text x="%d" y="%d"%s>%s`, x, y, class, html.EscapeString(shown))
	if shown != full {
		d.body.WriteString("<title>" + html.EscapeString(full) + "</title>")
	}
	d.body.WriteString("</text>\n")
}
