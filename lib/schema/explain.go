package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explainer turns the error tree of the schema library into problems in our
// own words. root is the value that was validated.
//
// The tree mirrors the schema: a node that only groups (a reference, allOf)
// says nothing by itself, its causes do. A node with alternatives (anyOf) says
// too much: each branch complains about not being another branch. So one
// branch is picked, the one that the value was meant for:
//
//	value {"a": 1, "b": "x"} against  null  or  {"a": int, "b": int}
//
//	  null      complains about the value itself   → never meant
//	  object    complains about /b only            → told
//
// If every branch complains about the value itself, the place is told once,
// with what the alternatives have in common: their title.
type explainer struct {
	lib   *library
	root  any
	shape *shape
}

func (x explainer) explain(e *jsonschema.ValidationError) []problem {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return x.pick(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return x.pick(e)
		}
	case *kind.Required:
		return x.missing(e, k.Missing)
	case *kind.DependentRequired:
		return x.missing(e, k.Missing)
	case *kind.AdditionalProperties:
		return x.surplus(e, k.Properties)
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var all []problem
		for _, cause := range e.Causes {
			all = append(all, x.explain(cause)...)
		}
		return all
	}
	return []problem{x.value(e)}
}

// missing gives one problem per key, at the pointer that the key would have.
func (x explainer) missing(e *jsonschema.ValidationError, keys []string) []problem {
	var all []problem
	for _, key := range keys {
		place := append(slices.Clone(e.InstanceLocation), key)
		all = append(all, problem{
			code: CodeSchema, keyword: "required", rank: rankValue, tokens: place,
			message: "missing key " + quote(key), expected: x.expected(place),
		})
	}
	return all
}

// surplus gives one problem per key that a closed object must not have.
func (x explainer) surplus(e *jsonschema.ValidationError, keys []string) []problem {
	expected := x.lib.describe(e.SchemaURL)
	if node, ok := x.lib.at(e.SchemaURL).(map[string]any); ok && node["patternProperties"] == nil {
		expected = "only " + strings.Join(namedKeys(node), ", ")
	}
	var all []problem
	for _, key := range keys {
		all = append(all, problem{
			code: CodeSchema, keyword: "additionalProperties", rank: rankValue,
			tokens:  append(slices.Clone(e.InstanceLocation), key),
			message: "unknown key " + quote(key), found: shorten(key), expected: expected,
		})
	}
	return all
}

func namedKeys(node map[string]any) []string {
	properties, _ := node["properties"].(map[string]any)
	keys := make([]string, 0, len(properties))
	for key := range properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// value is the problem of a value that its own schema refuses.
func (x explainer) value(e *jsonschema.ValidationError) problem {
	at := lookupValue(x.root, e.InstanceLocation)
	p := problem{
		code: CodeSchema, tokens: slices.Clone(e.InstanceLocation), rank: rankForm,
		message: describeValue(at), found: plain(at), expected: x.lib.describe(e.SchemaURL),
	}
	if e.ErrorKind != nil {
		p.keyword = strings.Join(e.ErrorKind.KeywordPath(), "/")
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type, *kind.AnyOf, *kind.OneOf:
		p.rank = rankType
	case *kind.Const, *kind.Enum:
		p.rank = rankValue
	case *kind.FalseSchema:
		p.rank, p.keyword, p.expected = rankValue, "false", "no such key here"
	case *kind.UniqueItems:
		p.message = fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
		p.tokens = append(p.tokens, fmt.Sprint(max(k.Duplicates[0], k.Duplicates[1])))
		p.found = plain(lookupValue(x.root, p.tokens))
	}
	return p
}

// pick explains a value that fits none of several alternatives.
func (x explainer) pick(e *jsonschema.ValidationError) []problem {
	var best []problem
	for _, cause := range e.Causes {
		branch := x.explain(cause)
		if !meant(branch, len(e.InstanceLocation)) {
			continue
		}
		if best == nil || deeper(branch, best) {
			best = branch
		}
	}
	if best == nil {
		return []problem{x.value(e)}
	}
	return best
}

// meant says whether a branch is one that the value may have been written
// for: it does not refuse the value itself, nor the constant that tells
// branches apart.
func meant(branch []problem, depth int) bool {
	for _, p := range branch {
		if len(p.tokens) <= depth && p.rank <= rankValue {
			return false
		}
		if len(p.tokens) == depth+1 && p.keyword == "const" {
			return false
		}
	}
	return true
}

// deeper prefers the branch whose complaints lie deeper, then the one with
// fewer of them.
func deeper(a, b []problem) bool {
	if da, db := depth(a), depth(b); da != db {
		return da > db
	}
	return len(a) < len(b)
}

func depth(branch []problem) int {
	deepest := 0
	for _, p := range branch {
		deepest = max(deepest, len(p.tokens))
	}
	return deepest
}

// lookupValue follows tokens into a decoded value; nil where they lead nowhere.
func lookupValue(v any, tokens []string) any {
	for _, token := range tokens {
		switch within := v.(type) {
		case map[string]any:
			v = within[token]
		case []any:
			i, ok := index(token, len(within))
			if !ok {
				return nil
			}
			v = within[i]
		default:
			return nil
		}
	}
	return v
}

func index(token string, length int) (int, bool) {
	n := 0
	if !isIndex(token) || len(token) > 9 {
		return 0, false
	}
	for _, c := range token {
		n = n*10 + int(c-'0')
	}
	return n, n < length
}

// expected describes what the schema wants at a place, whichever of its
// branches says so.
func (x explainer) expected(tokens []string) string {
	at := x.shape
	for _, token := range tokens {
		at = at.child(token)
	}
	if at == nil {
		return ""
	}
	for _, src := range at.sources {
		if text := x.lib.describe(src.location); text != "" {
			return text
		}
	}
	return ""
}

// describe says in words what the schema at a location takes: its title, or
// what follows from its keywords. It is "" when the schema says nothing.
func (l *library) describe(location string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.words(l.lookup(location), location, 0)
}

// words is describe for a schema that was looked up. level bounds chains of
// references.
func (l *library) words(schema any, location string, level int) string {
	node, ok := schema.(map[string]any)
	if !ok || level > 8 {
		return ""
	}
	if title, ok := node["title"].(string); ok {
		return title
	}
	if ref, ok := node["$ref"].(string); ok {
		if strings.HasPrefix(ref, "#") {
			base, _, _ := strings.Cut(location, "#")
			ref = base + ref
		}
		return l.words(l.lookup(ref), ref, level+1)
	}
	if values, ok := node["enum"].([]any); ok {
		return listValues(values)
	}
	if value, ok := node["const"]; ok {
		return listValues([]any{value})
	}
	return typeWords(node["type"])
}

// listValues lists the values of an enumeration. Texts stand without quotes,
// the empty one with them.
func listValues(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = plain(v)
		if v == "" {
			texts[i] = `""`
		}
	}
	return alternatives(texts)
}

var typeNames = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "an object", "null": "null",
}

// typeWords names the types that a schema takes.
func typeWords(types any) string {
	switch types := types.(type) {
	case string:
		return typeNames[types]
	case []any:
		var texts []string
		for _, t := range types {
			name, _ := t.(string)
			texts = append(texts, typeNames[name])
		}
		return alternatives(texts)
	}
	return ""
}
