package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Node is a place that a schema describes.
type Node struct {
	// Types lists the JSON types that the place takes, sorted; nil where the
	// schema leaves the type open.
	Types []string
	// Enum lists the texts that the place is limited to, sorted; nil where it
	// is not. Other values of an enumeration than texts are left out.
	Enum []string
	// Pattern is the pattern that a text must match, or "".
	Pattern string
	// Title is what a message calls the place, or "".
	Title string
	// Required says that the object around it must have it under all
	// conditions.
	Required bool
}

// Text says whether the place may hold a text.
func (n Node) Text() bool { return slices.Contains(n.Types, "string") }

// Walk calls visit for every place that the newest schema of a kind describes,
// parents first and keys sorted. A place is given as a pointer with "*" for an
// array index and for a key that the schema does not name; the document itself
// is "". Alternatives and conditional parts are visited like all others.
func Walk(kind string, visit func(pattern string, n Node)) error {
	e, ok := catalogue()[strings.TrimPrefix(kind, kindPrefix)]
	if !ok {
		return fmt.Errorf("no schema for kind %q", kind)
	}
	shared().shape(e.file(e.newest())).walk("", true, visit)
	return nil
}

func (s *shape) walk(pattern string, required bool, visit func(string, Node)) {
	visit(pattern, s.node(required))
	for _, key := range sortedKeys(s.keys) {
		s.keys[key].walk(pattern+"/"+escape(key), s.requires(key), visit)
	}
	if s.rest != nil {
		s.rest.walk(pattern+"/*", false, visit)
	}
	for i, sub := range s.prefix {
		sub.walk(pattern+"/"+itoa(i), true, visit)
	}
	if s.items != nil {
		s.items.walk(pattern+"/*", false, visit)
	}
}

// requires says whether a key is required under all conditions.
func (s *shape) requires(key string) bool {
	return slices.ContainsFunc(s.sources, func(src source) bool {
		return src.always && slices.Contains(src.rule.required, key)
	})
}

func (s *shape) node(required bool) Node {
	n := Node{Required: required}
	var types typeSet
	for _, src := range s.sources {
		r := src.rule
		types |= r.types
		if n.Title == "" {
			n.Title = r.title
		}
		if n.Pattern == "" && r.pattern != nil {
			n.Pattern = r.pattern.String()
		}
		for _, v := range r.values {
			if r.types == 0 {
				types |= typesOf(v)
			}
			if text, ok := v.(string); ok {
				n.Enum = append(n.Enum, text)
			}
		}
	}
	n.Types = types.names()
	slices.Sort(n.Types)
	slices.Sort(n.Enum)
	n.Enum = slices.Compact(n.Enum)
	return n
}
