package schema

import (
	"slices"
	"strings"
)

// shape is what a schema says about a place in a document, all of its
// branches taken together: which keys it names, and what stands under them.
// Validation picks branches; a shape does not, so it can tell an unknown key
// and list every place that a schema describes.
type shape struct {
	sources []source
	keys    map[string]*shape
	// rest is the shape of keys that are described without being named.
	rest *shape
	// free says that any key is welcome and nothing is said about it.
	free   bool
	items  *shape
	prefix []*shape
	// strict says that a key which is not named is worth a warning: keys are
	// named, no others are welcome, and they are not refused either.
	strict bool
	// deep says that an object may lie here or further down.
	deep bool
}

// source is a part of a schema with its location.
type source struct {
	node     map[string]any
	location string
	// always says that no condition stands before it.
	always bool
}

// shape gives the shape of an embedded schema file.
func (l *library) shape(file string) *shape {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.shapes[file]; ok {
		return s
	}
	root := urlPrefix + file + "#"
	s := l.outline([]part{{l.lookup(root), root, true}})
	l.shapes[file] = s
	return s
}

// part is a schema that may still be a boolean.
type part struct {
	schema   any
	location string
	always   bool
}

// outline builds the shape of parts that hold for the same place.
func (l *library) outline(parts []part) *shape {
	s := &shape{}
	for _, p := range parts {
		s.sources = append(s.sources, l.flatten(p)...)
	}
	named := map[string][]part{}
	var rest, items []part
	prefix := map[int][]part{}
	for _, src := range s.sources {
		for key, sub := range subschemas(src.node["properties"]) {
			named[key] = append(named[key], part{sub, src.location + "/properties/" + escape(key), true})
		}
		for pattern, sub := range subschemas(src.node["patternProperties"]) {
			rest = append(rest, part{sub, src.location + "/patternProperties/" + escape(pattern), true})
		}
		switch more := src.node["additionalProperties"].(type) {
		case bool:
			s.free = s.free || more
		case map[string]any:
			rest = append(rest, part{more, src.location + "/additionalProperties", true})
		}
		if sub, ok := src.node["items"]; ok {
			items = append(items, part{sub, src.location + "/items", true})
		}
		first, _ := src.node["prefixItems"].([]any)
		for i, sub := range first {
			prefix[i] = append(prefix[i], part{sub, src.location + "/prefixItems/" + itoa(i), true})
		}
	}
	s.keys = map[string]*shape{}
	for key, subs := range named {
		s.keys[key] = l.outline(subs)
	}
	if rest != nil {
		s.rest = l.outline(rest)
	}
	if items != nil {
		s.items = l.outline(items)
	}
	for i := range len(prefix) {
		s.prefix = append(s.prefix, l.outline(prefix[i]))
	}
	s.strict = len(s.keys) > 0 && !s.free && !s.closed()
	s.deep = len(s.keys) > 0 || s.rest != nil || s.items != nil && s.items.deep ||
		slices.ContainsFunc(s.prefix, func(p *shape) bool { return p.deep })
	return s
}

// flatten lists a schema and all that it refers to for the same place:
// references, conjunctions, alternatives and conditional branches. The
// condition itself and what must not hold describe nothing.
func (l *library) flatten(p part) []source {
	node, ok := p.schema.(map[string]any)
	if !ok {
		return nil
	}
	list := []source{{node, p.location, p.always}}
	if ref, ok := node["$ref"].(string); ok {
		if strings.HasPrefix(ref, "#") {
			base, _, _ := strings.Cut(p.location, "#")
			ref = base + ref
		}
		if !strings.Contains(ref, "#") {
			ref += "#"
		}
		list = append(list, l.flatten(part{l.lookup(ref), ref, p.always})...)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := node[keyword].([]any)
		for i, branch := range branches {
			list = append(list, l.flatten(part{branch, p.location + "/" + keyword + "/" + itoa(i), p.always})...)
		}
	}
	for _, keyword := range []string{"then", "else"} {
		if branch, ok := node[keyword]; ok {
			list = append(list, l.flatten(part{branch, p.location + "/" + keyword, false})...)
		}
	}
	return list
}

// subschemas gives the members of a keyword that maps names to schemas;
// false ones forbid a name and describe nothing.
func subschemas(keyword any) map[string]any {
	members, _ := keyword.(map[string]any)
	described := make(map[string]any, len(members))
	for name, sub := range members {
		if sub != false {
			described[name] = sub
		}
	}
	return described
}

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// child is the shape of the value under a key or an index, or nil.
func (s *shape) child(token string) *shape {
	switch {
	case s == nil:
		return nil
	case s.keys[token] != nil:
		return s.keys[token]
	case s.rest != nil && s.items == nil:
		return s.rest
	}
	if i, ok := index(token, 1<<30); ok {
		return s.element(i)
	}
	return nil
}

// unknownKeys gives a problem for each key that the schema does not name,
// where it names keys at all and welcomes no others. Closed objects are left
// out: in them such a key breaks the schema, which validation tells. at is
// used as a stack; the order of the problems is not determined.
func (s *shape) unknownKeys(v any, at []string, problems []problem) []problem {
	switch v := v.(type) {
	case map[string]any:
		for key, within := range v {
			switch sub := s.keys[key]; {
			case sub != nil:
				problems = sub.unknownKeys(within, append(at, key), problems)
			case s.rest != nil:
				problems = s.rest.unknownKeys(within, append(at, key), problems)
			case s.strict:
				problems = append(problems, problem{
					code: CodeUnknownKey, keyword: "properties", warning: true,
					tokens:  append(slices.Clone(at), key),
					message: "unknown key " + quote(key), found: shorten(key), expected: s.similar(key),
				})
			}
		}
	case []any:
		if s.items == nil && len(s.prefix) == 0 {
			return problems
		}
		for i, item := range v {
			if sub := s.element(i); sub != nil && sub.deep {
				problems = sub.unknownKeys(item, append(at, itoa(i)), problems)
			}
		}
	}
	return problems
}

// element is the shape of an array element, or nil.
func (s *shape) element(i int) *shape {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

func (s *shape) closed() bool {
	return slices.ContainsFunc(s.sources, func(src source) bool { return src.node["additionalProperties"] == false })
}

// similar names the known key that a reader most likely meant: the one that
// differs in case or hyphens only. It is "" when there is none.
func (s *shape) similar(key string) string {
	for _, known := range sortedKeys(s.keys) {
		if loose(known) == loose(key) {
			return known
		}
	}
	return ""
}

func loose(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
