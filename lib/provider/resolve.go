package provider

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownModelError is a model name that the catalogue does not know, or one
// that several providers know.
type UnknownModelError struct {
	Provider   string // "" when the whole catalogue was searched
	Name       string
	Selectable []string // sorted; "provider/model" when Provider is ""
	Ambiguous  []string // the rows that the name could mean, if it is not unknown
}

// Error names the model, its provider and what could be asked for.
func (e *UnknownModelError) Error() string {
	if len(e.Ambiguous) > 0 {
		return fmt.Sprintf("model %q is known to several providers (expected %s)", e.Name, orList(e.Ambiguous))
	}
	expected := orList(e.Selectable)
	if expected == "" {
		expected = "none: it offers no model for selection"
	}
	if e.Provider == "" {
		return fmt.Sprintf("unknown model %q (expected %s)", e.Name, expected)
	}
	return fmt.Sprintf("unknown model %q of provider %q (expected %s)", e.Name, e.Provider, expected)
}

// ExitStatus says that the question was understood and is refused.
func (e *UnknownModelError) ExitStatus() int { return 1 }

// Resolve finds a model of the provider by its exact id, then by an exact
// alias, then by either without regard to case. The empty name is the default
// model. Models that are not selectable are found too. The error is an
// *UnknownModelError.
// Rule: docs/providers.md, "Model names".
func (p *Provider) Resolve(name string) (Model, error) {
	if name == "" {
		name = p.DefaultModel
	}
	for _, same := range sameness {
		for _, m := range p.Models {
			if same(m, name) {
				return m, nil
			}
		}
	}
	return Model{}, &UnknownModelError{Provider: p.ID, Name: name, Selectable: p.Selectable()}
}

// sameness lists the ways in which a name can mean a model, strictest first.
var sameness = []func(m Model, name string) bool{
	func(m Model, name string) bool { return m.ID == name },
	func(m Model, name string) bool { return slices.Contains(m.Aliases, name) },
	func(m Model, name string) bool {
		return strings.EqualFold(m.ID, name) || slices.ContainsFunc(m.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
	},
}

// Selectable gives the sorted ids of the models that may be offered.
func (p *Provider) Selectable() []string {
	var ids []string
	for _, m := range p.Models {
		if m.Selectable {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// Resolve finds a provider and its model by "provider/model", by a provider id
// alone (its default model), or by a model name that only one provider knows.
// A name that one provider knows more strictly than all others is that one's.
func (c *Catalogue) Resolve(name string) (*Provider, Model, error) {
	if id, model, cut := strings.Cut(name, "/"); cut {
		p, err := c.Provider(id)
		if err != nil {
			return nil, Model{}, err
		}
		if model == "" {
			return nil, Model{}, &UnknownModelError{Provider: id, Selectable: p.Selectable()}
		}
		m, err := p.Resolve(model)
		return p, m, err
	}
	if p, err := c.Provider(name); err == nil {
		m, err := p.Resolve("")
		return p, m, err
	}
	return c.search(name)
}

func (c *Catalogue) search(name string) (*Provider, Model, error) {
	for _, same := range sameness {
		var owner *Provider
		var found Model
		var hits []string
		for _, p := range c.providers {
			i := slices.IndexFunc(p.Models, func(m Model) bool { return same(m, name) })
			if i < 0 {
				continue
			}
			owner, found = p, p.Models[i]
			hits = append(hits, p.ID+"/"+found.ID)
		}
		switch {
		case len(hits) == 1:
			return owner, found, nil
		case len(hits) > 1:
			slices.Sort(hits)
			return nil, Model{}, &UnknownModelError{Name: name, Ambiguous: hits}
		}
	}
	var all []string
	for _, p := range c.providers {
		for _, id := range p.Selectable() {
			all = append(all, p.ID+"/"+id)
		}
	}
	slices.Sort(all)
	return nil, Model{}, &UnknownModelError{Name: name, Selectable: all}
}
