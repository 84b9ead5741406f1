package schema

import (
	"slices"
	"strings"

	"okstra/lib/finding"
)

// shape is what a schema says about a place in a document, all of its
// branches taken together: which keys it names, and what stands under them.
// Checking picks branches; a shape does not, so it can tell an unknown key
// and list every place that a schema describes.
type shape struct {
	sources []source
	keys    map[string]*shape
	// rest is the shape of keys that are described without being named.
	rest   *shape
	items  *shape
	prefix []*shape
	// strict says that a key which is not named is worth a warning: keys are
	// named, no others are welcome, and they are not refused either.
	strict bool
	// deep says that an object may lie here or further down.
	deep bool
}

// source is a rule that may hold for a place; always says that no condition
// stands before it.
type source struct {
	rule   *rule
	always bool
}

// outline builds the shape of rules that hold for the same place.
func outline(rules []*rule) *shape {
	s := &shape{keys: map[string]*shape{}}
	for _, r := range rules {
		s.sources = flatten(s.sources, source{r, true})
	}
	named := map[string][]*rule{}
	var rest, items []*rule
	var prefix [][]*rule
	free, closed := false, false
	for _, src := range s.sources {
		r := src.rule
		for key, sub := range r.properties {
			if !sub.never {
				named[key] = append(named[key], sub)
			}
		}
		for _, p := range r.patterns {
			rest = append(rest, p.rule)
		}
		if r.extra != nil {
			rest = append(rest, r.extra)
		}
		if r.items != nil {
			items = append(items, r.items)
		}
		for i, sub := range r.prefix {
			if i == len(prefix) {
				prefix = append(prefix, nil)
			}
			prefix[i] = append(prefix[i], sub)
		}
		free, closed = free || r.free, closed || r.closed
	}
	for key, subs := range named {
		s.keys[key] = outline(subs)
	}
	if rest != nil {
		s.rest = outline(rest)
	}
	if items != nil {
		s.items = outline(items)
	}
	for _, subs := range prefix {
		s.prefix = append(s.prefix, outline(subs))
	}
	s.strict = len(s.keys) > 0 && !free && !closed
	s.deep = len(s.keys) > 0 || s.rest != nil || s.items != nil && s.items.deep ||
		slices.ContainsFunc(s.prefix, func(p *shape) bool { return p.deep })
	return s
}

// flatten adds a rule and all that it refers to for the same place:
// references, conjunctions, alternatives and conditional branches. The
// condition itself describes nothing.
func flatten(list []source, src source) []source {
	list = append(list, src)
	if src.rule.ref != nil {
		list = flatten(list, source{src.rule.ref, src.always})
	}
	for _, sub := range src.rule.allOf {
		list = flatten(list, source{sub, src.always})
	}
	for _, sub := range src.rule.anyOf {
		list = flatten(list, source{sub, src.always})
	}
	for _, sub := range []*rule{src.rule.then, src.rule.els} {
		if sub != nil {
			list = flatten(list, source{sub, false})
		}
	}
	return list
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
	if i, ok := index(token); ok {
		return s.element(i)
	}
	return nil
}

// at is the shape at a place below, or nil.
func (s *shape) at(tokens []string) *shape {
	for _, token := range tokens {
		s = s.child(token)
	}
	return s
}

// element is the shape of an array element, or nil.
func (s *shape) element(i int) *shape {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

// index reads a token as an array index, of nine digits at most.
func index(token string) (int, bool) {
	if !isIndex(token) || len(token) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range token {
		n = n*10 + int(c-'0')
	}
	return n, true
}

// unknownKeys gives a problem for each key that the schema does not name,
// where it names keys at all and welcomes no others. Closed objects are left
// out: in them such a key breaks the schema, which checking tells. at is used
// as a stack; the order of the problems is not determined.
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
					message: "unknown key " + finding.Quote(key), found: finding.Shorten(key), expected: s.similar(key),
				})
			}
		}
	case []any:
		for i, item := range v {
			if sub := s.element(i); sub != nil && sub.deep {
				problems = sub.unknownKeys(item, append(at, itoa(i)), problems)
			}
		}
	}
	return problems
}

// similar names the known key that a reader most likely meant: the one that
// differs in case, hyphens or underscores only. It is "" when there is none.
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
