package provider

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/jsondoc"
)

//go:embed providers.json
var builtin []byte

// Catalogue is a set of providers in a fixed order: that of the embedded file,
// then what was added, in the order in which it was added.
type Catalogue struct {
	providers []*Provider
}

// Builtin is the catalogue that comes with okstra.
func Builtin() (*Catalogue, error) {
	c := &Catalogue{}
	doc, err := jsondoc.Parse("providers.json", builtin)
	if err != nil {
		return nil, err
	}
	if err := c.Add(doc); err != nil {
		return nil, err
	}
	return c, nil
}

// Load is Builtin with the rows of the user's files, in the order given.
func Load(files []string) (*Catalogue, error) {
	c, err := Builtin()
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, name := range files {
		doc, err := jsondoc.ReadFile(name)
		if err == nil {
			err = c.Add(doc)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return c, nil
}

// Add takes one row, or an array of rows, into the catalogue. A row with the
// id of another one replaces it where it stands, whole: what the new row does
// not say is not taken over from the old one. The error names every fault of
// the document, and nothing is added when there is one.
func (c *Catalogue) Add(doc jsondoc.Doc) error {
	rows, err := readRows(doc)
	if err != nil {
		return err
	}
	for _, row := range rows {
		i := slices.IndexFunc(c.providers, func(p *Provider) bool { return p.ID == row.ID })
		if i < 0 {
			c.providers = append(c.providers, row)
		} else {
			c.providers[i] = row
		}
	}
	return nil
}

func readRows(doc jsondoc.Doc) ([]*Provider, error) {
	pointers := []string{""}
	if strings.HasPrefix(strings.TrimLeft(string(doc.Raw[:min(64, len(doc.Raw))]), " \t\r\n"), "[") {
		pointers = nil
		for i := range doc.Len("") {
			pointers = append(pointers, "/"+strconv.Itoa(i))
		}
	}
	var rows []*Provider
	var faults []error
	seen := make(map[string]bool)
	for _, at := range pointers {
		row, err := readRow(doc, at)
		if err == nil && seen[row.ID] {
			err = fault(doc, at+"/id", "provider %q stands twice in this file", row.ID)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		seen[row.ID] = true
		rows = append(rows, row)
	}
	return rows, errors.Join(faults...)
}

// Providers gives the providers in the order of the catalogue.
func (c *Catalogue) Providers() []*Provider { return slices.Clone(c.providers) }

// IDs gives the ids of the providers in the order of the catalogue.
func (c *Catalogue) IDs() []string {
	ids := make([]string, len(c.providers))
	for i, p := range c.providers {
		ids[i] = p.ID
	}
	return ids
}

// Provider gives the provider of an id; the error is an
// *UnknownProviderError.
func (c *Catalogue) Provider(id string) (*Provider, error) {
	for _, p := range c.providers {
		if p.ID == id {
			return p, nil
		}
	}
	known := c.IDs()
	slices.Sort(known)
	return nil, &UnknownProviderError{ID: id, Known: known}
}

// UnknownProviderError is a provider id that no row has.
type UnknownProviderError struct {
	ID    string
	Known []string // sorted
}

// Error names the id and the known ones.
func (e *UnknownProviderError) Error() string {
	return fmt.Sprintf("unknown provider %q (expected %s)", e.ID, orList(e.Known))
}

// ExitStatus says that the question was understood and is refused.
func (e *UnknownProviderError) ExitStatus() int { return 1 }

// orList is "a, b or c".
func orList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
