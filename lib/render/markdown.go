package render

import (
	"strconv"
	"strings"
)

type markdownWriter struct {
	out strings.Builder
	opt Options
}

// place is where a text stands, which decides what has to be escaped.
type place struct {
	table bool // in a cell: a pipe would end it
	start bool // at the start of a line: a block marker would count
}

func (w *markdownWriter) page(p page) {
	w.out.WriteString("# " + w.spans(p.title, place{}) + "\n")
	for _, notice := range []string{w.opt.Notice, w.opt.untranslatedNote()} {
		if notice != "" {
			w.out.WriteString("\n> **" + markdownPlain(notice, place{}) + "**\n")
		}
	}
	w.block(p.facts)
	for _, s := range p.sections {
		w.section(s)
	}
}

func (w *markdownWriter) section(s section) {
	title := markdownPlain(s.title, place{})
	if s.number != "" {
		if s.level == 2 {
			title = s.number + ". " + title
		} else {
			title = s.number + " " + title
		}
	}
	w.out.WriteString("\n" + strings.Repeat("#", s.level) + " " + title + "\n")
	for _, b := range s.body {
		w.block(b)
	}
}

func (w *markdownWriter) block(b block) {
	switch b := b.(type) {
	case paragraph:
		w.out.WriteString("\n" + w.spans(b, place{start: true}) + "\n")
	case list:
		w.list(b)
	case table:
		w.table(b)
	case chart, stageMap:
		// What they show is in a table as well.
	}
}

func (w *markdownWriter) list(l list) {
	if len(l.items) == 0 {
		return
	}
	w.out.WriteString("\n")
	for i, item := range l.items {
		marker := "- "
		if l.ordered {
			marker = strconv.Itoa(i+1) + ". "
		}
		w.out.WriteString(marker + w.spans(item, place{start: true}) + "\n")
	}
}

func (w *markdownWriter) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	w.out.WriteString("\n")
	if t.columns == nil {
		for _, row := range t.rows {
			w.out.WriteString("- **" + w.cell(row[0], place{}) + ":** " + w.cell(row[1], place{}) + "\n")
		}
		return
	}
	head, rule := "|", "|"
	for _, c := range t.columns {
		head += " " + c.title + " |"
		if c.right {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	w.out.WriteString(head + "\n" + rule + "\n")
	for _, row := range t.rows {
		w.out.WriteString("|")
		for _, c := range row {
			if text := w.cell(c, place{table: true}); text != "" {
				w.out.WriteString(" " + text)
			}
			w.out.WriteString(" |")
		}
		w.out.WriteString("\n")
	}
}

func (w *markdownWriter) cell(c cell, at place) string {
	lines := make([]string, len(c))
	for i, spans := range c {
		lines[i] = w.spans(spans, at)
	}
	return strings.Join(lines, "<br>")
}

func (w *markdownWriter) spans(spans []span, at place) string {
	var out strings.Builder
	for _, s := range spans {
		if w.opt.marked(s) {
			out.WriteString(markdownPlain("["+w.opt.mark()+"]", at) + " ")
			at.start = false
		}
		switch s.kind {
		case label:
			out.WriteString(markdownLiteral(s.text, at))
		case plain, token, anchor, ref:
			out.WriteString(markdownPlain(s.text, at))
		case code:
			out.WriteString(markdownCode(s.text, at))
		case prose:
			out.WriteString(markdownProse(s.text, at))
		}
		at.start = at.start && s.text == ""
	}
	return out.String()
}
