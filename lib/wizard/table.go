package wizard

import "slices"

// rows is the step table, in the order in which questions are asked. Some rows
// depend on who takes part and on what the task left open, so the table is made
// from the view.
func rows(v view) []row {
	if !v.asksModels() {
		return table(designRows(v), nil)
	}
	return allRows(v)
}

// allRows are the rows that the table may have in this project, whatever is
// answered about the roster.
func allRows(v view) []row { return table(designRows(v), modelRows(possibleWorkers(v))) }

func table(design, models []row) []row {
	return slices.Concat(identityRows, briefRows, design, baseRows, planRows, stageRows, teamRows, models,
		[]row{criticRow}, extraRows, handoffRows, endRows())
}

// find returns the row of a step.
func find(table []row, id string) (row, bool) {
	i := slices.IndexFunc(table, func(r row) bool { return r.id == id })
	if i < 0 {
		return row{}, false
	}
	return table[i], true
}

// Step is a row of the step table, for people.
type Step struct {
	Step  string   `json:"step"`
	Kind  string   `json:"kind"`
	Multi bool     `json:"multi"`
	Group string   `json:"group"`
	When  string   `json:"when"`
	Reads []string `json:"reads"`
	Facts []string `json:"facts"`
	Typed string   `json:"typed"`
}

// Steps lists the step table. Rows of which there are many stand in it once,
// under the name of any worker or design item.
func Steps() []Step {
	design := []row{designRow(DesignItem{ID: "<id>"}), noteRow("<id>")}
	var out []Step
	for _, r := range table(design, modelRows([]string{"<worker>"})) {
		kind := KindPick
		if r.text {
			kind = KindText
		}
		when := r.when
		if when == "" {
			when = "always"
		}
		out = append(out, Step{r.id, kind, r.multi, r.group, when, append([]string{}, r.reads...), append([]string{}, r.facts...), r.typed})
	}
	return out
}

// closure is everything that a row reads, directly or through other rows.
func closure(table []row, id string) map[string]bool {
	seen := map[string]bool{}
	var follow func(string)
	follow = func(id string) {
		r, ok := find(table, id)
		if !ok {
			return
		}
		for _, next := range r.reads {
			if !seen[next] {
				seen[next] = true
				follow(next)
			}
		}
	}
	follow(id)
	return seen
}
