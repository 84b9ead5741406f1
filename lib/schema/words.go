package schema

// words says in words what a rule takes: its title, or what follows from its
// keywords. It is "" when the rule says nothing.
func (r *rule) words() string {
	for range 16 { // chains of references are short; a cycle ends here
		switch {
		case r.title != "":
			return r.title
		case r.values != nil:
			return listValues(r.values)
		case r.types != 0:
			return r.types.words()
		case r.ref == nil:
			return ""
		}
		r = r.ref
	}
	return ""
}

// words is what the schema says about a place, whichever of its rules does.
func (s *shape) words() string {
	if s == nil {
		return ""
	}
	for _, src := range s.sources {
		if text := src.rule.words(); text != "" {
			return text
		}
	}
	return ""
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

// words names the types of a set.
func (s typeSet) words() string {
	var texts []string
	for _, t := range typeNames {
		if s&t.set != 0 {
			texts = append(texts, t.text)
		}
	}
	return alternatives(texts)
}

// names lists the types of a set as schemas call them, sorted.
func (s typeSet) names() []string {
	var names []string
	for _, t := range typeNames {
		if s&t.set != 0 {
			names = append(names, t.name)
		}
	}
	return names
}
