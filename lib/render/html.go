package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"okstra/lib/jsondoc"
)

//go:embed page.css
var pageCSS string

// HTMLWith is the report as one HTML page that needs nothing else: no script, no
// font, no picture and no request.
func HTMLWith(doc jsondoc.Doc, opt Options) ([]byte, error) {
	p, err := layOut(doc)
	if err != nil {
		return nil, err
	}
	if opt.Lang == "" {
		opt.Lang = reportLanguage(doc)
	}
	if opt.SourceLang == "" {
		opt.SourceLang = opt.Lang
	}
	w := htmlWriter{opt: opt, anchors: make(map[string]bool)}
	w.collectAnchors(p)
	w.page(p)
	return []byte(w.out.String()), nil
}

func reportLanguage(doc jsondoc.Doc) string {
	v, err := doc.Value()
	if err != nil {
		return ""
	}
	return node{v: v}.get("header/reportLanguage").text()
}

type htmlWriter struct {
	out     strings.Builder
	opt     Options
	anchors map[string]bool // ids that are shown; true until the anchor is set
	used    map[string]bool // element ids
	charts  int
}

// uiLang is the language of our own words.
const uiLang = "en"

// ours is the attributes of an element with our own words on a page in
// another language.
func (w *htmlWriter) ours() string {
	if baseLang(w.opt.Lang) == uiLang {
		return ""
	}
	return ` lang="` + uiLang + `" dir="ltr"`
}

// own writes our own words. Language and direction go on the text, not on the
// block around it, so that the block stays on the side where the page begins.
func (w *htmlWriter) own(text string) string {
	if w.ours() == "" || strings.TrimSpace(text) == "" {
		return html.EscapeString(text)
	}
	return "<span" + w.ours() + ">" + html.EscapeString(text) + "</span>"
}

// element id and anchor names come from the data, so their form is checked.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]-[0-9]{3,9}$`) })

func (w *htmlWriter) collectAnchors(p page) {
	for _, s := range p.sections {
		for _, b := range s.body {
			t, ok := b.(table)
			if !ok {
				continue
			}
			for _, row := range t.rows {
				for _, spans := range row[0] {
					for _, s := range spans {
						if s.kind == anchor && idForm().MatchString(s.text) {
							w.anchors[s.text] = true
						}
					}
				}
			}
		}
	}
}

func (w *htmlWriter) page(p page) {
	w.used = make(map[string]bool)
	title := w.plainTitle(p.title)
	sum := sha256.Sum256([]byte(pageCSS))
	w.put(`<!DOCTYPE html>
<html lang="`, attr(htmlLang(w.opt.Lang)), `" dir="`, direction(w.opt.Lang), `">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-`, base64.StdEncoding.EncodeToString(sum[:]), `'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>`, html.EscapeString(title), `</title>
<style>`, pageCSS, `</style>
</head>
<body>
<a class="skip" href="#content">`, w.own("Skip to the report"), `</a>
<header>
<h1>`, w.spans(p.title, true), `</h1>
`)
	for _, notice := range []string{w.opt.Notice, w.opt.untranslatedNote()} {
		if notice != "" {
			w.put(`<p class="notice" role="note">`, w.own(clean(notice)), "</p>\n")
		}
	}
	w.facts(p.facts)
	w.put("</header>\n")
	w.contents(p)
	w.put(`<main id="content">` + "\n")
	for _, s := range p.sections {
		w.section(s)
	}
	w.put("</main>\n</body>\n</html>\n")
}

func (w *htmlWriter) plainTitle(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(strings.ReplaceAll(s.text, "\n", " "))
	}
	return clean(b.String())
}

func (w *htmlWriter) contents(p page) {
	w.put(`<nav aria-label="Contents">`, "\n<ol>\n")
	for _, s := range p.sections {
		switch s.level {
		case 2:
			w.put("<li>")
		case 3:
			w.put(`<li class="sub">`)
		default:
			continue
		}
		w.put(`<a href="#`, sectionID(s), `">`, w.own(s.heading()), "</a></li>\n")
	}
	w.put("</ol>\n</nav>\n")
}

// sectionID is the element id of a section of level 2 or 3.
func sectionID(s section) string {
	if s.number == "" {
		return "part-verdict"
	}
	return "part-" + strings.ReplaceAll(s.number, ".", "-")
}

// heading is the number and the title of a section, as both forms write it.
func (s section) heading() string {
	title := clean(strings.ReplaceAll(s.title, "\n", " "))
	switch {
	case s.number == "":
		return title
	case s.level == 2:
		return s.number + ". " + title
	}
	return s.number + " " + title
}

func (w *htmlWriter) section(s section) {
	tag := "h" + strconv.Itoa(s.level)
	w.put("<", tag)
	if id := sectionID(s); s.level < 4 && !w.used[id] {
		w.used[id] = true
		w.put(` id="`, id, `"`)
	}
	w.put(">", w.own(s.heading()), "</", tag, ">\n")
	for _, b := range s.body {
		w.block(b)
	}
}

func (w *htmlWriter) block(b block) {
	switch b := b.(type) {
	case paragraph:
		w.put("<p>", w.spans(b, true), "</p>\n")
	case list:
		w.list(b)
	case table:
		if b.columns == nil {
			w.facts(b)
		} else {
			w.table(b)
		}
	case chart:
		w.chart(b)
	case stageMap:
		w.stageMap(b)
	}
}

func (w *htmlWriter) list(l list) {
	if len(l.items) == 0 {
		return
	}
	tag := "ul"
	if l.ordered {
		tag = "ol"
	}
	w.put("<", tag, ">\n")
	for _, item := range l.items {
		w.put("<li>", w.spans(item, false), "</li>\n")
	}
	w.put("</", tag, ">\n")
}

func (w *htmlWriter) facts(t table) {
	if len(t.rows) == 0 {
		return
	}
	w.put("<dl>\n")
	for _, row := range t.rows {
		w.put("<dt>", w.cell(row[0]), "</dt><dd>", w.cell(row[1]), "</dd>\n")
	}
	w.put("</dl>\n")
}

func (w *htmlWriter) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	title := clean(strings.ReplaceAll(t.caption, "\n", " "))
	w.put(`<div class="scroll" role="region" tabindex="0" aria-label="`, attr(title), `">`, "\n<table>\n<caption>", w.own(title), "</caption>\n<thead><tr>")
	for _, c := range t.columns {
		w.put(`<th scope="col"`, numberClass(c), ">", w.own(c.title), "</th>")
	}
	w.put("</tr></thead>\n<tbody>\n")
	for _, row := range t.rows {
		w.put("<tr>")
		for i, c := range row {
			if i == 0 {
				w.put(`<th scope="row"`, w.rowID(c), ">", w.cell(c), "</th>")
				continue
			}
			w.put("<td", numberClass(t.columns[i]), ">", w.cell(c), "</td>")
		}
		w.put("</tr>\n")
	}
	w.put("</tbody>\n</table>\n</div>\n")
}

func numberClass(c column) string {
	if c.right {
		return ` class="number"`
	}
	return ""
}

// rowID is the id attribute of the first row that shows a thing with an id.
func (w *htmlWriter) rowID(c cell) string {
	if len(c) == 0 || len(c[0]) == 0 {
		return ""
	}
	s := c[0][0]
	if s.kind != anchor || !w.anchors[s.text] || w.used[s.text] {
		return ""
	}
	w.used[s.text] = true
	return ` id="` + s.text + `"`
}

func (w *htmlWriter) cell(c cell) string {
	lines := make([]string, len(c))
	for i, spans := range c {
		lines[i] = w.spans(spans, false)
	}
	return strings.Join(lines, "<br>")
}

// spans writes texts in a row. flat is for places that take no blocks, such as
// headings: prose is then shown letter by letter.
func (w *htmlWriter) spans(spans []span, flat bool) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(w.span(s, flat))
	}
	if w.ours() != "" && ourSentence(spans) {
		return "<span" + w.ours() + ">" + b.String() + "</span>"
	}
	return b.String()
}

// ourSentence says whether several spans make one sentence of ours: then they
// run in our direction together, or their order would be the page's.
func ourSentence(spans []span) bool {
	labels := false
	for _, s := range spans {
		if s.kind == prose {
			return false
		}
		labels = labels || s.kind == label
	}
	return labels && len(spans) > 1
}

func (w *htmlWriter) span(s span, flat bool) string {
	switch s.kind {
	case label:
		return w.own(s.text)
	case code:
		return htmlCode(s.text)
	case token:
		return "<span" + w.ours() + ` translate="no">` + html.EscapeString(clean(s.text)) + "</span>"
	case ref:
		if text := clean(s.text); w.anchors[text] {
			return `<a href="#` + text + `">` + text + "</a>"
		}
	case prose:
		return w.prose(s, flat)
	}
	return "<bdi>" + htmlLines(s.text) + "</bdi>"
}

func (w *htmlWriter) prose(s span, flat bool) string {
	var content string
	if flat || w.opt.Prose == nil {
		content = htmlLines(s.text)
	} else {
		content = w.opt.Prose(s.text)
	}
	if !w.opt.marked(s) {
		return content
	}
	source, tag := htmlLang(w.opt.SourceLang), "div"
	if flat {
		tag = "span"
	}
	return "<" + tag + ` class="untranslated" lang="` + attr(source) + `" dir="` + direction(source) + `"><span class="mark" title="not translated">` +
		html.EscapeString(w.opt.mark()) + "</span> " + content + "</" + tag + ">"
}

func (w *htmlWriter) put(parts ...string) {
	for _, p := range parts {
		w.out.WriteString(p)
	}
}

func attr(s string) string { return html.EscapeString(s) }
