package xliff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"okstra/lib/translate"
)

const namespace = "urn:oasis:names:tc:xliff:document:2.0"

// About is what an exchange file says in its head.
type About struct {
	Data       string // base name of the report's data
	SourceLang string
	Lang       string
	Digest     string // of what the file is made from; becomes the id of the file
}

// Code is a piece of a text that must be kept.
type Code struct {
	Start, End int // bytes of the text
	Kind       Kind
}

// Kind says whether a code stands alone, or opens or closes a stretch of text.
// Open and Close come in pairs that do not nest in each other.
type Kind int

// The kinds of codes.
const (
	Alone Kind = iota
	Open
	Close
)

// Make turns the items of a report into an XLIFF file. codes finds the pieces
// of a text that are protected, in order and without overlap.
func Make(units []translate.Unit, about About, codes func(string) []Code) []byte {
	var out bytes.Buffer
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	fmt.Fprintf(&out, `<xliff xmlns="%s" version="2.1" srcLang="%s"`, namespace, attribute(about.SourceLang))
	for _, u := range units {
		if u.Text != "" {
			fmt.Fprintf(&out, ` trgLang="%s"`, attribute(about.Lang))
			break
		}
	}
	fmt.Fprintf(&out, ">\n  <file id=\"%s\" original=\"%s\" xml:space=\"preserve\">\n", attribute(about.Digest), attribute(about.Data))
	if about.Lang != "" {
		fmt.Fprintf(&out, "    <notes>\n      <note category=\"%s\">%s</note>\n    </notes>\n", targetLang, content(about.Lang))
	}
	for _, u := range units {
		writeUnit(&out, u, codes)
	}
	out.WriteString("  </file>\n</xliff>\n")
	return out.Bytes()
}

// The categories of our notes. A file without a target has no trgLang, so the
// language asked for stands in a note.
const (
	targetLang     = "okstra-target-language"
	noteLocation   = "location"
	noteSource     = "previous-source"
	noteTarget     = "previous-target"
	stateInitial   = "initial"
	stateFinal     = "final"
	unitIndent     = "    "
	segmentIndent  = unitIndent + "    "
	codeAttributes = ` canCopy="no" canDelete="no"`
)

func writeUnit(out *bytes.Buffer, u translate.Unit, codes func(string) []Code) {
	fmt.Fprintf(out, "%s<unit id=\"%s\"", unitIndent, attribute(u.ID))
	if len(u.At) > 0 {
		fmt.Fprintf(out, " name=\"%s\"", attribute(u.At[0]))
	}
	out.WriteString(" xml:space=\"preserve\">\n")
	writeNotes(out, u)
	d := newData()
	source := d.inline(u.Source, codes(u.Source), true)
	state, target := stateInitial, ""
	if u.Text != "" {
		target = d.inline(u.Text, codes(u.Text), false)
		state = u.State
	}
	d.write(out)
	fmt.Fprintf(out, "%s<segment state=\"%s\">\n%s  <source>%s</source>\n", unitIndent+"  ", state, unitIndent+"  ", source)
	if u.Text != "" {
		fmt.Fprintf(out, "%s<target>%s</target>\n", segmentIndent, target)
	}
	out.WriteString(unitIndent + "  </segment>\n" + unitIndent + "</unit>\n")
}

func writeNotes(out *bytes.Buffer, u translate.Unit) {
	var notes [][2]string
	for i, at := range u.At {
		if i > 0 {
			notes = append(notes, [2]string{noteLocation, at})
		}
	}
	if u.Before != nil {
		notes = append(notes, [2]string{noteSource, u.Before.Source}, [2]string{noteTarget, u.Before.Text})
	}
	if notes == nil {
		return
	}
	out.WriteString(unitIndent + "  <notes>\n")
	for _, n := range notes {
		fmt.Fprintf(out, "%s<note category=\"%s\">%s</note>\n", segmentIndent, n[0], content(note(n[1])))
	}
	out.WriteString(unitIndent + "  </notes>\n")
}

// note is a text for the inside of a note, which cannot hold <cp>.
func note(s string) string {
	return strings.Map(func(r rune) rune {
		if !legal(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

// data collects the original data of a unit and numbers its codes. The codes
// of the target are those of the source where their data agree.
type data struct {
	ids   map[string]string // text to id
	order []string
	free  map[[2]string][]int // codes of the source, by data, not yet met in the target
	next  int
}

func newData() *data {
	return &data{ids: make(map[string]string), free: make(map[[2]string][]int), next: 1}
}

func (d *data) ref(text string) string {
	id, ok := d.ids[text]
	if !ok {
		d.order = append(d.order, text)
		id = "d" + strconv.Itoa(len(d.order))
		d.ids[text] = id
	}
	return id
}

// number gives a code its id.
func (d *data) number(key [2]string, source bool) int {
	if list := d.free[key]; !source && len(list) > 0 {
		d.free[key] = list[1:]
		return list[0]
	}
	n := d.next
	d.next++
	if source {
		d.free[key] = append(d.free[key], n)
	}
	return n
}

// inline writes a text with its codes as elements.
func (d *data) inline(s string, codes []Code, source bool) string {
	var b strings.Builder
	done := 0
	for i, c := range codes {
		b.WriteString(content(s[done:c.Start]))
		done = c.End
		text := s[c.Start:c.End]
		switch c.Kind {
		case Alone:
			fmt.Fprintf(&b, `<ph id="%d" dataRef="%s"%s/>`, d.number([2]string{text}, source), d.ref(text), codeAttributes)
		case Open:
			end := closing(s, codes[i+1:])
			fmt.Fprintf(&b, `<pc id="%d" dataRefStart="%s" dataRefEnd="%s"%s>`, d.number([2]string{text, end}, source), d.ref(text), d.ref(end), codeAttributes)
		case Close:
			b.WriteString("</pc>")
		}
	}
	b.WriteString(content(s[done:]))
	return b.String()
}

// closing is the text of the code that closes the one just opened.
func closing(s string, codes []Code) string {
	for _, c := range codes {
		if c.Kind == Close {
			return s[c.Start:c.End]
		}
	}
	return ""
}

func (d *data) write(out *bytes.Buffer) {
	if len(d.order) == 0 {
		return
	}
	out.WriteString(unitIndent + "  <originalData>\n")
	for _, text := range d.order {
		fmt.Fprintf(out, "%s<data id=\"%s\">%s</data>\n", segmentIndent, d.ids[text], content(text))
	}
	out.WriteString(unitIndent + "  </originalData>\n")
}

// legal says whether XML 1.0 can hold a character at all.
func legal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != '\ufffe' && r != '\uffff'
}

// content writes text. A CR goes as a reference, since a parser would make an
// LF of it; what XML cannot hold goes as <cp>.
func content(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == '<' || r == '>' || r == '&' || r == '\r' || !legal(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '\r':
			b.WriteString("&#13;")
		case !legal(r):
			fmt.Fprintf(&b, `<cp hex="%04X"/>`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// attribute writes text for between quotes. What XML cannot hold is replaced:
// attributes are names and pointers, never translated text.
func attribute(s string) string {
	s = content(note(s))
	return strings.NewReplacer(`"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(s)
}
