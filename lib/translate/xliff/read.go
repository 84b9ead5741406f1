package xliff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"okstra/lib/translate"
)

// Read turns an XLIFF 2.1 file into what a report can take. dropped tells, one
// line each, what the modules of the standard had to say: hints between tools
// that say nothing of the texts. Anything else that has no place in a report's
// translation is an error.
func Read(name string, raw []byte, lang string) (x translate.Exchange, dropped []string, err error) {
	r := &reader{name: name, said: make(map[string]bool)}
	root, err := r.parse(raw)
	if err != nil {
		return x, nil, err
	}
	if root.name != "xliff" || root.space != namespace {
		return x, nil, r.errorf(root.line, "<%s> of %q (expected XLIFF 2.1)", root.name, root.space)
	}
	if v := root.attrs["version"]; v != "2.0" && v != "2.1" {
		return x, nil, r.errorf(root.line, "XLIFF %q (expected 2.1)", v)
	}
	if err := r.check(root); err != nil {
		return x, nil, err
	}
	files := root.all("file")
	if len(files) != 1 {
		return x, nil, r.errorf(root.line, "%d <file> elements (expected 1)", len(files))
	}
	x = translate.Exchange{Name: name, Origin: translate.OriginXLIFF, Digest: files[0].attrs["id"]}
	if got := targetOf(root, files[0]); got != "" && !strings.EqualFold(got, lang) {
		x.Lang = got
	}
	if x.Units, err = r.units(files[0], nil); err != nil {
		return translate.Exchange{}, nil, err
	}
	return x, r.dropped, nil
}

// targetOf is the language a file is translated into.
func targetOf(root, file *element) string {
	if lang := root.attrs["trgLang"]; lang != "" {
		return lang
	}
	if notes := file.first("notes"); notes != nil {
		for _, n := range notes.all("note") {
			if n.attrs["category"] == targetLang {
				return strings.TrimSpace(n.characters())
			}
		}
	}
	return ""
}

// characters is the text directly inside an element.
func (e *element) characters() string {
	var b strings.Builder
	for _, c := range e.children {
		b.WriteString(c.text)
	}
	return b.String()
}

// units reads the units of a file and of its groups, in order.
func (r *reader) units(parent *element, units []translate.Unit) ([]translate.Unit, error) {
	for _, e := range parent.all("unit", "group") {
		if e.name == "group" {
			var err error
			if units, err = r.units(e, units); err != nil {
				return nil, err
			}
			continue
		}
		u, err := r.unit(e)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// codes is the data of a unit's codes: by the id of the data, and by the id of
// the code for those that are copies of others.
type codes struct {
	data map[string]string
	byID map[string]*element
}

func (r *reader) unit(e *element) (translate.Unit, error) {
	u := translate.Unit{ID: e.attrs["id"], Line: e.line}
	c := codes{data: make(map[string]string), byID: make(map[string]*element)}
	if original := e.first("originalData"); original != nil {
		for _, d := range original.all("data") {
			text, err := r.text(d, c)
			if err != nil {
				return u, err
			}
			c.data[d.attrs["id"]] = text
		}
	}
	segments := e.all("segment", "ignorable")
	c.collect(e)
	var err error
	if u.Source, err = r.join(segments, c, "source"); err != nil {
		return u, err
	}
	state, complete := stateOf(segments)
	if !complete {
		return u, nil
	}
	if u.Text, err = r.join(inTargetOrder(segments), c, "target"); err != nil {
		return u, err
	}
	if u.Text != "" {
		u.State = state
	}
	return u, nil
}

// collect notes the codes of a unit that have an id.
func (c codes) collect(e *element) {
	for _, child := range e.children {
		if id := child.attrs["id"]; id != "" && strings.Contains(" ph pc sc ec ", " "+child.name+" ") && child.attrs["copyOf"] == "" {
			if c.byID[id] == nil {
				c.byID[id] = child
			}
		}
		c.collect(child)
	}
}

// stateOf is the state of a unit: reviewed if every segment is. A unit is only
// complete if every segment has a target.
func stateOf(segments []*element) (state string, complete bool) {
	state = translate.StateReviewed
	for _, s := range segments {
		if s.name == "ignorable" {
			continue
		}
		if s.first("target") == nil {
			return "", false
		}
		if got := s.attrs["state"]; got != translate.StateReviewed && got != stateFinal {
			state = translate.StateTranslated
		}
		complete = true
	}
	return state, complete
}

// inTargetOrder puts segments in the order that their targets ask for; one
// that does not ask stays at its place.
func inTargetOrder(segments []*element) []*element {
	place := func(i int) int {
		if target := segments[i].first("target"); target != nil {
			if n, err := strconv.Atoi(target.attrs["order"]); err == nil {
				return n
			}
		}
		return i + 1
	}
	order := make([]int, len(segments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	sorted := make([]*element, len(segments))
	for i, from := range order {
		sorted[i] = segments[from]
	}
	return sorted
}

// join puts the sources or targets of a unit's segments together. What is
// between segments stays as it is unless it has a target.
func (r *reader) join(segments []*element, c codes, side string) (string, error) {
	var b strings.Builder
	for _, s := range segments {
		part := s.first(side)
		if part == nil {
			part = s.first("source")
		}
		if part == nil {
			return "", r.errorf(s.line, "<%s> without <source>", s.name)
		}
		text, err := r.text(part, c)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// text is the content of an element with its codes put back.
func (r *reader) text(e *element, c codes) (string, error) {
	var b strings.Builder
	for _, child := range e.children {
		if child.name == "" {
			b.WriteString(child.text)
			continue
		}
		text, err := r.inline(child, c)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (r *reader) inline(e *element, c codes) (string, error) {
	switch e.name {
	case "cp":
		return r.codePoint(e)
	case "ph", "sc", "ec":
		return r.data(e, c, "dataRef")
	case "pc":
		start, err := r.data(e, c, "dataRefStart")
		if err != nil {
			return "", err
		}
		end, err := r.data(e, c, "dataRefEnd")
		if err != nil {
			return "", err
		}
		inside, err := r.text(e, c)
		return start + inside + end, err
	}
	// mrk, sm and em annotate text and add none.
	return r.text(e, c)
}

// data is the original text of a code, or of the code it is a copy of.
func (r *reader) data(e *element, c codes, attr string) (string, error) {
	of := e
	if copied := e.attrs["copyOf"]; copied != "" && e.attrs[attr] == "" {
		of = c.byID[copied]
		if of == nil {
			return "", r.errorf(e.line, "<%s> is a copy of %q, which is not there", e.name, copied)
		}
	}
	text, ok := c.data[of.attrs[attr]]
	if !ok {
		return "", r.errorf(e.line, "<%s> has no original data: %s %q", e.name, attr, of.attrs[attr])
	}
	return text, nil
}

func (r *reader) codePoint(e *element) (string, error) {
	n, err := strconv.ParseUint(e.attrs["hex"], 16, 32)
	if err != nil || n > utf8.MaxRune || n >= 0xd800 && n <= 0xdfff {
		return "", r.errorf(e.line, "<cp hex=%q> is no character", e.attrs["hex"])
	}
	return string(rune(n)), nil
}
