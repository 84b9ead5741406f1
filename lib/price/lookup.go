package price

import "strings"

// Match is how a model name was found.
type Match struct {
	Row  *Row   // nil when there is none
	Rule string // exact, alias, prefix or none
	Name string // the name that was looked up, after cleaning
}

// Priced reports whether the match leads to a price. A row without one is a
// match and stops the search, but prices nothing.
func (m Match) Priced() bool { return m.Row != nil && m.Row.Base != nil }

// Lookup finds the row of a model as a transcript names it, else as a CLI shows
// it to people. Rule: docs/prices.md, "How a name finds its row".
func (t *Table) Lookup(model string) Match {
	m := t.find(clean(model))
	if id := ModelID(model); m.Row == nil && id != model {
		if shown := t.find(clean(id)); shown.Row != nil {
			return shown
		}
	}
	return m
}

// ModelID turns the name under which a CLI shows a model, with its effort in
// brackets, into a model id: "Claude Opus 4.6 (Thinking)" is claude-opus-4-6. An id
// stays as it is.
func ModelID(model string) string {
	name, _, shown := strings.Cut(strings.TrimSpace(model), "(")
	name = strings.TrimSpace(name)
	if !shown && !strings.Contains(name, " ") {
		return name
	}
	name = strings.Join(strings.Fields(strings.ToLower(name)), "-")
	if strings.HasPrefix(name, "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	return name
}

// find looks a cleaned name up.
func (t *Table) find(name string) Match {
	if row := t.names[name]; row != nil {
		return Match{row, "exact", name}
	}
	if row := t.alias[name]; row != nil {
		return Match{row, "alias", name}
	}
	var best *Row
	for _, row := range t.Rows {
		if row.Prefix && continues(name, row.Model) && (best == nil || len(row.Model) > len(best.Model)) {
			best = row
		}
	}
	if best != nil {
		return Match{best, "prefix", name}
	}
	return Match{nil, "none", name}
}

func continues(name, prefix string) bool {
	return len(name) > len(prefix) && strings.HasPrefix(name, prefix) && strings.IndexByte("-.:@", name[len(prefix)]) >= 0
}

// clean strips what says who serves a model, how much context it was given and
// when it was released.
func clean(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:]
	}
	name = strings.TrimSuffix(name, "[1m]")
	if n := len(name) - 9; n > 0 && (name[n] == '-' || name[n] == '@') && isDate(name[n+1:]) {
		name = name[:n]
	}
	return strings.TrimSpace(name)
}

// isDate reports whether eight characters can be a YYYYMMDD.
func isDate(s string) bool {
	if strings.Trim(s, "0123456789") != "" {
		return false
	}
	return s[:2] == "20" && s[4:6] >= "01" && s[4:6] <= "12" && s[6:] >= "01" && s[6:] <= "31"
}
