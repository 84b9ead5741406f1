package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"okstra/lib/safetext"
)

//go:embed page.css
var pageCSS string

// Page writes reports on the same runs, each by something else, as one HTML
// page that needs nothing else: no script, no font, no picture, no request.
// What the charts show stands in the tables as numbers; a number's exact value
// is the value of its data element.
func Page(w io.Writer, reports ...Report) error {
	p := page{}
	p.head(reports[0])
	for i, r := range reports {
		p.section(i, r)
	}
	p.put("</main>\n<footer>Public list prices, however the accounts are billed. A figure with + is a lower bound.</footer>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.out.String())
	return err
}

type page struct{ out strings.Builder }

func (p *page) put(parts ...string) {
	for _, part := range parts {
		p.out.WriteString(part)
	}
}

func escape(s string) string { return html.EscapeString(safetext.Line(s)) }

func (p *page) head(r Report) {
	sum := sha256.Sum256([]byte(pageCSS))
	title := "Usage of " + path.Base(r.title())
	if r.ProjectRoot == "" {
		title = "Usage of several projects"
	}
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`, base64.StdEncoding.EncodeToString(sum[:]), `'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>`, escape(title), `</title>
<style>`, pageCSS, `</style>
</head>
<body>
<a class="skip" href="#content">Skip to the figures</a>
<header>
<h1>`, escape(title), `</h1>
<p><bdi>`, escape(r.title()), "</bdi>, ", escape(r.period()), `</p>
</header>
<main id="content">
`)
	cells := r.Totals.cells()
	p.put(`<dl class="totals">`, "\n")
	p.tile("Runs covered", fmt.Sprintf("%d of %d", r.Coverage.Covered, r.Coverage.Total))
	for _, tile := range []struct {
		title string
		cell  int
	}{{"Tokens", tokensCell}, {"Billable equivalent", billableCell}, {"Cost", costCell}, {"Agents' time", cpuCell}, {"Wall-clock time", wallCell}} {
		p.tile(tile.title, cells[tile.cell].String())
	}
	p.put("</dl>\n")
	if notes := r.notes(); len(notes) > 0 {
		p.put(`<ul class="notes">`, "\n")
		for _, note := range notes {
			p.put("<li>", escape(note), "</li>\n")
		}
		p.put("</ul>\n")
	}
}

func (p *page) tile(title, value string) {
	p.put("<div><dt>", escape(title), "</dt><dd>", escape(value), "</dd></div>\n")
}

// section is one way of looking at the runs.
func (p *page) section(number int, r Report) {
	var words []string
	for _, word := range r.options.By {
		words = append(words, dimensions[word].title)
	}
	title := "All runs"
	if len(words) > 0 {
		title = "By " + strings.Join(words, " and ")
	}
	p.put(`<section id="by-`, strings.Join(r.options.By, "-"), `">`, "\n<h2>", escape(title), "</h2>\n")
	if len(r.Groups) == 0 {
		p.put("<p>No run.</p>\n</section>\n")
		return
	}
	p.put(`<div class="charts">`, "\n")
	for i, m := range measures {
		id := fmt.Sprintf("chart-%d-%d", number, i)
		d := r.draw(m)
		p.put(`<figure><figcaption id="`, id, `">`, escape(m.title+" "+strings.ToLower(title[:1])+title[1:]), "</figcaption>\n",
			fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="%s">`, chartWidth, d.height, id), "\n",
			d.body.String(), "</svg></figure>\n")
	}
	p.put("</div>\n")
	p.table(r, title)
	p.put("</section>\n")
}

// draw chooses the form of a chart: days stand beside each other in time, all
// else lies below each other.
func (r Report) draw(m measure) *drawing {
	bars := r.bars(m)
	if len(r.options.By) == 1 && r.options.By[0] == "day" {
		if first, last, ok := r.span(); ok {
			return days(bars, first, last, m)
		}
	}
	return lyingBars(bars, m.class)
}

// span is the first and the last day of a report by day: those of its window, or
// of its runs where that is open. False: there are none, or too many to draw.
func (r Report) span() (first, last time.Time, ok bool) {
	for _, g := range r.Groups {
		if v := g.Key[0].Value; v != nil {
			day, err := time.Parse(time.DateOnly, *v)
			if err != nil {
				continue
			}
			if first.IsZero() {
				first = day
			}
			last = day
		}
	}
	if first.IsZero() {
		return first, last, false
	}
	date := func(t time.Time) time.Time {
		y, m, d := t.In(r.options.Location).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	if !r.options.Since.IsZero() {
		first = date(r.options.Since)
	}
	if !r.options.Until.IsZero() {
		last = date(r.options.Until)
	}
	return first, last, last.Sub(first) < maxDays*24*time.Hour
}

var pageTitles = []string{"Runs", "Covered", "Tokens", "Billable equivalent", "Cost", "Agents' time", "Wall-clock time"}

func (p *page) table(r Report, title string) {
	p.put(`<div class="scroll" role="region" tabindex="0" aria-label="`, escape("Usage "+strings.ToLower(title)), `">`, "\n<table>\n<caption>", escape("Usage "+strings.ToLower(title)), "</caption>\n<thead><tr>")
	for _, word := range r.options.By {
		name := dimensions[word].title
		p.put(`<th scope="col">`, escape(strings.ToUpper(name[:1])+name[1:]), "</th>")
	}
	for _, name := range pageTitles {
		p.put(`<th scope="col" class="number">`, escape(name), "</th>")
	}
	p.put(`<th scope="col">Without a price</th></tr></thead>`, "\n<tbody>\n")
	for _, g := range r.Groups {
		p.put("<tr>")
		for _, one := range g.Key {
			p.put(`<th scope="row"><bdi>`, escape(show(one.Value)), "</bdi></th>")
		}
		p.figures(g.Figures)
	}
	p.put("</tbody>\n<tfoot>\n<tr>")
	if n := len(r.options.By); n > 0 {
		p.put(`<th scope="row" colspan="`, strconv.Itoa(n), `">Total</th>`)
	}
	p.figures(r.Totals)
	p.put("</tfoot>\n</table>\n</div>\n")
}

func (p *page) figures(f Figures) {
	values := f.fields()
	for i, c := range f.cells() {
		p.put(`<td class="number">`)
		if at := fieldOfCell[i]; values[at] == "" {
			p.put(c.String())
		} else {
			p.put(`<data value="`, values[at], `">`, escape(c.String()), "</data>")
		}
		p.put("</td>")
	}
	p.put("<td>")
	for i, name := range f.Unmatched {
		if i > 0 {
			p.put("<br>")
		}
		p.put("<bdi>", escape(name), "</bdi>")
	}
	p.put("</td></tr>\n")
}
