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
	l := shared()
	l.walk(l.shape(e.file(e.newest())), "", true, visit)
	return nil
}

func (l *library) walk(s *shape, pattern string, required bool, visit func(string, Node)) {
	visit(pattern, l.node(s, required))
	for _, key := range sortedKeys(s.keys) {
		l.walk(s.keys[key], pattern+"/"+escape(key), s.requires(key), visit)
	}
	if s.rest != nil {
		l.walk(s.rest, pattern+"/*", false, visit)
	}
	for i, sub := range s.prefix {
		l.walk(sub, pattern+"/"+itoa(i), true, visit)
	}
	if s.items != nil {
		l.walk(s.items, pattern+"/*", false, visit)
	}
}

// requires says whether a key is required under all conditions.
func (s *shape) requires(key string) bool {
	return slices.ContainsFunc(s.sources, func(src source) bool {
		required, _ := src.node["required"].([]any)
		return src.always && slices.Contains(required, any(key))
	})
}

func (l *library) node(s *shape, required bool) Node {
	n := Node{Required: required}
	for _, src := range s.sources {
		n.Types = append(n.Types, typesOf(src.node)...)
		if n.Title == "" {
			n.Title, _ = src.node["title"].(string)
		}
		if pattern, ok := src.node["pattern"].(string); ok && n.Pattern == "" {
			n.Pattern = pattern
		}
		for _, v := range valuesOf(src.node) {
			if text, ok := v.(string); ok {
				n.Enum = append(n.Enum, text)
			}
		}
	}
	slices.Sort(n.Types)
	n.Types = slices.Compact(n.Types)
	slices.Sort(n.Enum)
	n.Enum = slices.Compact(n.Enum)
	return n
}

// valuesOf lists the values that a schema is limited to, by enum or const.
func valuesOf(node map[string]any) []any {
	values, _ := node["enum"].([]any)
	if v, ok := node["const"]; ok {
		values = append(slices.Clone(values), v)
	}
	return values
}

// typesOf lists the types of a schema; those of its values where it has no
// type.
func typesOf(node map[string]any) []string {
	switch types := node["type"].(type) {
	case string:
		return []string{types}
	case []any:
		var names []string
		for _, t := range types {
			if name, ok := t.(string); ok {
				names = append(names, name)
			}
		}
		return names
	}
	var names []string
	for _, v := range valuesOf(node) {
		names = append(names, typeOf(v))
	}
	return names
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	default:
		return "number"
	}
}
