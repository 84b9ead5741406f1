package xliff

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// element is an XML element; text between elements is an element without a
// name.
type element struct {
	space, name string
	attrs       map[string]string // those without a namespace
	children    []*element
	text        string
	line        int
}

// maxDepth bounds nesting; a file of ours has at most 8 levels and groups.
const maxDepth = 60

const (
	xmlNamespace = "http://www.w3.org/XML/1998/namespace"
	modules      = "urn:oasis:names:tc:xliff:"
	itsNamespace = "http://www.w3.org/2005/11/its"
)

// reader builds the tree and checks it against the grammar on the way.
type reader struct {
	name    string
	dec     *xml.Decoder
	dropped []string // what modules of the standard say; see Read
	said    map[string]bool
}

func (r *reader) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, line, fmt.Sprintf(format, args...))
}

// parse reads the whole file as one element.
func (r *reader) parse(raw []byte) (*element, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("%s: not UTF-8", r.name)
	}
	r.dec = xml.NewDecoder(bytes.NewReader(raw))
	var root *element
	for {
		token, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := r.dec.InputPos()
		if err != nil {
			return nil, r.syntax(line, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if root != nil {
				return nil, r.errorf(line, "a second root element <%s>", t.Name.Local)
			}
			if root, err = r.element(t, line, 1); err != nil {
				return nil, err
			}
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, r.errorf(line, "text outside of the root element")
			}
		case xml.Directive:
			return nil, r.errorf(line, "a document type declaration is not read")
		}
	}
	if root == nil {
		return nil, fmt.Errorf("%s: not XML: no element", r.name)
	}
	return root, nil
}

func (r *reader) syntax(line int, err error) error {
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		return r.errorf(s.Line, "not XML: %s", s.Msg)
	}
	return r.errorf(line, "not XML: %v", err)
}

// element reads up to the end of an element that has begun.
func (r *reader) element(start xml.StartElement, line, depth int) (*element, error) {
	if depth > maxDepth {
		return nil, r.errorf(line, "nested more than %d levels deep", maxDepth)
	}
	e := &element{space: start.Name.Space, name: start.Name.Local, line: line}
	if err := r.attributes(e, start.Attr); err != nil {
		return nil, err
	}
	for {
		token, err := r.dec.Token()
		at, _ := r.dec.InputPos()
		if err != nil {
			return nil, r.syntax(at, err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			return e, nil
		case xml.CharData:
			e.children = append(e.children, &element{text: string(t), line: at})
		case xml.StartElement:
			child, err := r.element(t, at, depth+1)
			if err != nil {
				return nil, err
			}
			e.children = append(e.children, child)
		case xml.ProcInst:
			return nil, r.errorf(at, "the processing instruction <?%s?> would be lost", t.Target)
		case xml.Directive:
			return nil, r.errorf(at, "a declaration inside <%s>", e.name)
		}
	}
}

// attributes sorts the attributes of an element: the core's are kept, those of
// the standard's modules are dropped with a note, others are refused.
func (r *reader) attributes(e *element, attrs []xml.Attr) error {
	e.attrs = make(map[string]string)
	known := grammar[e.name].attrs
	foreign := e.space != namespace
	for _, a := range attrs {
		name := a.Name.Local
		switch {
		case a.Name.Space == "xmlns" || a.Name.Space == "" && name == "xmlns":
			continue
		case a.Name.Space == "xml" || a.Name.Space == xmlNamespace:
			name = "xml:" + name
		case a.Name.Space != "" && ofModule(a.Name.Space):
			r.drop(e, a.Name.Space+" "+name)
			continue
		case a.Name.Space != "":
			return r.errorf(e.line, "<%s> has an attribute of %s, which would be lost: %q", e.name, a.Name.Space, name)
		}
		if _, twice := e.attrs[name]; twice {
			return r.errorf(e.line, "<%s> has the attribute %q twice", e.name, name)
		}
		if !foreign && !slices.Contains(strings.Fields(known), name) {
			return r.errorf(e.line, "<%s> has the attribute %q, which is not XLIFF and would be lost", e.name, name)
		}
		e.attrs[name] = a.Value
	}
	return nil
}

// ofModule says whether a namespace belongs to a module of the standard.
func ofModule(space string) bool {
	return strings.HasPrefix(space, modules) && space != namespace && !strings.HasPrefix(space, modules+"document:") || space == itsNamespace
}

func (r *reader) drop(e *element, what string) {
	note := fmt.Sprintf("%s:%d: not kept: %s of <%s>", r.name, e.line, what, e.name)
	if !r.said[note] {
		r.said[note] = true
		r.dropped = append(r.dropped, note)
	}
}

// rule is what an element of the core may have.
type rule struct {
	attrs    string
	children string
	text     bool // character data
}

const inlines = "cp ph pc sc ec mrk sm em"

const codeAttrs = "id canCopy canDelete canReorder copyOf subType type "

var grammar = map[string]rule{
	"xliff":        {"version srcLang trgLang xml:space", "file", false},
	"file":         {"id canResegment original translate srcDir trgDir xml:space", "skeleton notes unit group", false},
	"skeleton":     {"href", "", true},
	"group":        {"id name canResegment translate srcDir trgDir type xml:space", "notes unit group", false},
	"unit":         {"id name canResegment translate srcDir trgDir type xml:space", "notes originalData segment ignorable", false},
	"notes":        {"", "note", false},
	"note":         {"id appliesTo category priority", "", true},
	"originalData": {"", "data", false},
	"data":         {"id dir xml:space", "cp", true},
	"segment":      {"id canResegment state subState", "source target", false},
	"ignorable":    {"id", "source target", false},
	"source":       {"xml:lang xml:space", inlines, true},
	"target":       {"xml:lang xml:space order", inlines, true},
	"cp":           {"hex", "", false},
	"ph":           {codeAttrs + "disp equiv dataRef subFlows", "", false},
	"pc":           {codeAttrs + "canOverlap dispStart dispEnd equivStart equivEnd dataRefStart dataRefEnd subFlowsStart subFlowsEnd dir", inlines, true},
	"sc":           {codeAttrs + "canOverlap dataRef dir disp equiv isolated subFlows", "", false},
	"ec":           {codeAttrs + "canOverlap dataRef dir disp equiv isolated startRef subFlows", "", false},
	"mrk":          {"id translate type ref value", inlines, true},
	"sm":           {"id translate type ref value", "", false},
	"em":           {"startRef", "", false},
}

// check walks the tree and refuses what the grammar does not know. Elements of
// the standard's modules are taken out, with a note.
func (r *reader) check(e *element) error {
	rule, known := grammar[e.name]
	if e.space != namespace || !known {
		return r.errorf(e.line, "<%s> is not known and would be lost", e.name)
	}
	kept := e.children[:0]
	for _, c := range e.children {
		switch {
		case c.name == "":
			if !rule.text && strings.TrimSpace(c.text) != "" {
				return r.errorf(c.line, "text inside <%s>", e.name)
			}
			kept = append(kept, c)
			continue
		case ofModule(c.space) && !rule.text:
			r.drop(e, "<"+c.name+"> of "+c.space)
			continue
		case c.space != namespace:
			return r.errorf(c.line, "<%s> of %q is not known and would be lost", c.name, c.space)
		case !slices.Contains(strings.Fields(rule.children), c.name):
			return r.errorf(c.line, "<%s> inside <%s>", c.name, e.name)
		}
		if err := r.check(c); err != nil {
			return err
		}
		kept = append(kept, c)
	}
	e.children = kept
	return nil
}

// all lists the children of a name.
func (e *element) all(names ...string) []*element {
	var found []*element
	for _, c := range e.children {
		if c.name != "" && slices.Contains(names, c.name) {
			found = append(found, c)
		}
	}
	return found
}

// first is the first child of a name, nil when there is none.
func (e *element) first(name string) *element {
	if found := e.all(name); found != nil {
		return found[0]
	}
	return nil
}
