package provider

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"okstra/lib/jsondoc"
)

// RowError is a fault of a provider row, with its place in the file.
type RowError struct {
	Name      string
	Line, Col int
	Pointer   string
	Problem   string
}

// Error gives "name:line:col: /pointer: problem".
func (e *RowError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = e.Pointer + ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.Name, e.Line, e.Col, at, e.Problem)
}

// ExitStatus says that the input is the caller's mistake.
func (e *RowError) ExitStatus() int { return 2 }

// fault is an error with the position of the value at pointer, or of the
// nearest value around it that exists.
func fault(doc jsondoc.Doc, pointer, format string, args ...any) error {
	near := pointer
	line, col := doc.Position(near)
	for line == 0 && near != "" {
		near = near[:strings.LastIndexByte(near, '/')]
		line, col = doc.Position(near)
	}
	return &RowError{Name: doc.Name, Line: line, Col: col, Pointer: pointer, Problem: fmt.Sprintf(format, args...)}
}

func (c *checker) fault(pointer, format string, args ...any) {
	c.faults = append(c.faults, fault(c.doc, c.at+pointer, format, args...))
}

// readRow decodes and checks the row at a pointer. The error names every
// fault.
func readRow(doc jsondoc.Doc, at string) (*Provider, error) {
	raw, _ := doc.Lookup(at)
	var head struct{ SchemaVersion, Kind any }
	part, err := jsondoc.Parse(doc.Name, raw)
	if err != nil {
		return nil, err
	}
	if err := part.Decode(&head); err != nil {
		return nil, fault(doc, at, "no provider row (expected an object)")
	}
	if kind, _ := part.Lookup("/kind"); string(kind) != strconv.Quote(Kind) {
		return nil, fault(doc, at+"/kind", "%s (expected %q)", orMissing(kind), Kind)
	}
	if version, _ := part.Lookup("/schemaVersion"); !strings.HasPrefix(string(version), `"1.`) {
		return nil, fault(doc, at+"/schemaVersion", "%s (expected \"1.0\")", orMissing(version))
	}
	row := &Provider{}
	if err := part.Decode(row); err != nil {
		var de *jsondoc.DecodeError
		if errors.As(err, &de) {
			return nil, fault(doc, at+de.Pointer, "%s (expected %s)", de.Found, de.Expected)
		}
		return nil, fault(doc, at, "%v", err)
	}
	for i := range row.Models {
		row.Models[i].defaults(part, "/models/"+strconv.Itoa(i))
	}
	c := &checker{doc: doc, at: at, row: row}
	if whole, err := part.Value(); err == nil {
		c.nulls("", whole, false)
	}
	c.start()
	c.words()
	c.variants()
	c.environment()
	c.stream()
	c.models()
	if err := errors.Join(c.faults...); err != nil {
		return nil, err
	}
	row.defaults()
	return row, nil
}

func orMissing(raw []byte) string {
	if raw == nil {
		return "missing"
	}
	return string(raw)
}

// defaults fills in what a short model row leaves out: unless it says
// otherwise, a model is selectable.
func (m *Model) defaults(doc jsondoc.Doc, at string) {
	if _, said := doc.Lookup(at + "/selectable"); !said {
		m.Selectable = true
	}
	if m.DisplayName == "" {
		m.DisplayName = m.ID
	}
	if m.Aliases == nil {
		m.Aliases = []string{}
	}
}

// defaults fills in what a short row leaves out, so that no reader has to know
// what an absent key means.
func (p *Provider) defaults() {
	p.DisplayName = p.Name()
	if p.Cwd == "" {
		p.Cwd = "{workdir}"
	}
	if p.MaxBoundaryPrecision == "" {
		p.MaxBoundaryPrecision = "none"
	}
	if p.Boundaries == nil {
		p.Boundaries = []string{BoundaryNone}
	}
	if p.Variants == nil {
		p.Variants = map[string]Variant{}
	}
	if p.Stream == nil {
		p.Stream = &Stream{Format: "text"}
	}
	if p.Env.Set == nil {
		p.Env.Set = map[string]string{}
	}
	lists := []*[]string{&p.VersionArgs, &p.Env.Pass, &p.WritableHome, &p.ProgressPaths, &p.Stream.Good, &p.Stream.Bad, &p.Stream.Harmless, &p.Stream.Retry}
	for _, list := range lists {
		if *list == nil {
			*list = []string{}
		}
	}
	if p.Causes == nil {
		p.Causes = []Cause{}
	}
}
