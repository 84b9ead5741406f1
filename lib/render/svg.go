package render

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"okstra/lib/safetext"
)

// Measures of a bar chart, in the units of its view box.
const (
	chartWidth  = 800
	chartLabels = 200 // where the bars begin
	chartValues = 300 // room behind the longest bar
	barHeight   = 20
	barGap      = 8
	labelChars  = 26
	valueChars  = 42

	// maxBars and maxStages bound what a drawing can hold and still be read.
	maxBars   = 60
	maxStages = 60
)

// chart draws bars below each other. Each has its value as text, so colour and
// length say nothing that cannot be read.
func (w *htmlWriter) chart(c chart) {
	if len(c.bars) == 0 {
		return
	}
	left := len(c.bars) - maxBars
	if left > 0 {
		c.bars = append(slices.Clone(c.bars[:maxBars]), bar{label: "…", shown: plural(left, "more is", "more are") + " in the table"})
	}
	longest := 0.0
	for _, b := range c.bars {
		longest = max(longest, b.total())
	}
	height := len(c.bars)*(barHeight+barGap) + barGap
	w.figure(c.title, chartWidth, height)
	for i, b := range c.bars {
		y := barGap + i*(barHeight+barGap)
		w.put(svgText(0, y+15, "", b.label, labelChars))
		x := float64(chartLabels)
		for _, p := range b.parts {
			size := 0.0
			if longest > 0 {
				size = p.value / longest * (chartWidth - chartLabels - chartValues)
			}
			w.put(fmt.Sprintf(`<rect class="part %s" x="%.1f" y="%d" width="%.1f" height="%d"/>`, partClass(p.class), x, y, size, barHeight), "\n")
			x += size
		}
		w.put(svgText(int(x)+8, y+15, "", b.shown, valueChars))
	}
	w.put("</svg>\n</figure>\n")
}

func (b bar) total() float64 {
	sum := 0.0
	for _, p := range b.parts {
		sum += p.value
	}
	return sum
}

// partClasses are the classes that page.css knows; a name from the data that
// is none of them gets no class.
var partClasses = append([]string{"cost", "time", "source", "agree", "supplement", "disagree", "no-result"}, classes...)

func partClass(name string) string {
	if slices.Contains(partClasses, name) {
		return name
	}
	return "other"
}

// figure opens a figure with a drawing of the given size.
func (w *htmlWriter) figure(title string, width, height int) {
	w.charts++
	id := fmt.Sprintf("chart-%d", w.charts)
	w.put(`<figure dir="ltr"><figcaption id="`, id, `">`, w.own(title), "</figcaption>\n",
		fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="%s">`, width, height, id), "\n")
}

// svgText writes a text, cut to fit; what was cut off shows as a tooltip.
func svgText(x, y int, extra, s string, columns int) string {
	full := clean(strings.ReplaceAll(s, "\n", " "))
	shown := safetext.Cut(full, columns)
	tip := ""
	if shown != full {
		tip = "<title>" + html.EscapeString(full) + "</title>"
	}
	return fmt.Sprintf(`<text x="%d" y="%d"%s>%s%s</text>`, x, y, extra, html.EscapeString(shown), tip) + "\n"
}

// Measures of a stage map.
const (
	stageWidth  = 160
	stageHeight = 44
	stageGapX   = 40
	stageGapY   = 14
	stageChars  = 20
)

// stageMap draws the stages in columns: a stage stands one column behind the
// last of those it waits for, so stages in one column can run side by side.
func (w *htmlWriter) stageMap(m stageMap) {
	if len(m.stages) == 0 || len(m.stages) > maxStages {
		return
	}
	columns := stageColumns(m.stages)
	place := make(map[int64][2]int)
	rows := make(map[int]int)
	width, height := 0, 0
	for i, s := range m.stages {
		x := columns[i] * (stageWidth + stageGapX)
		y := stageGapY + rows[columns[i]]*(stageHeight+stageGapY)
		rows[columns[i]]++
		place[s.number] = [2]int{x, y}
		width, height = max(width, x+stageWidth), max(height, y+stageHeight+stageGapY)
	}
	w.figure(m.title, max(width+2, chartWidth), height)
	for _, s := range m.stages {
		to := place[s.number]
		for _, d := range s.dependsOn {
			from, ok := place[d]
			if !ok {
				continue
			}
			x1, y1, x2, y2 := from[0]+stageWidth, from[1]+stageHeight/2, to[0], to[1]+stageHeight/2
			w.put(fmt.Sprintf(`<path class="edge" d="M%d %d C%d %d %d %d %d %d"/>`, x1, y1, x1+stageGapX/2, y1, x2-stageGapX/2, y2, x2, y2), "\n")
		}
	}
	for _, s := range m.stages {
		at := place[s.number]
		w.put(fmt.Sprintf(`<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, at[0]+1, at[1], stageWidth, stageHeight), "\n",
			svgText(at[0]+10, at[1]+18, ` font-weight="600"`, fmt.Sprintf("Stage %d", s.number), stageChars),
			svgText(at[0]+10, at[1]+35, "", s.title, stageChars))
	}
	w.put("</svg>\n</figure>\n")
}

// stageColumns gives each stage its column. A cycle, which a faulty plan can
// have, ends at the number of stages.
func stageColumns(stages []stageNode) []int {
	index := make(map[int64]int)
	for i, s := range stages {
		index[s.number] = i
	}
	columns := make([]int, len(stages))
	for range stages {
		changed := false
		for i, s := range stages {
			for _, d := range s.dependsOn {
				if j, ok := index[d]; ok && j != i && columns[i] <= columns[j] && columns[j]+1 < len(stages) {
					columns[i] = columns[j] + 1
					changed = true
				}
			}
		}
		if !changed {
			break
		}
	}
	return columns
}
