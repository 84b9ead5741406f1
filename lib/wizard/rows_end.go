package wizard

const (
	confirmStep = "confirm"
	editStep    = "edit_pick"
	everything  = "*" // in reads: every other row
)

// endRows close the walk. It is a function because the confirmation looks at
// every other row.
func endRows() []row {
	return []row{
		{
			id: confirmStep, when: "all others are answered", reads: []string{everything}, facts: []string{everything},
			options: plain(confirmStep, "proceed", "edit", "abort"),
			detail:  func(v view) string { return v.confirmation().Text() },
			check: func(v view, a string) error {
				if a != "proceed" {
					return nil
				}
				return v.stands()
			},
		},
		{
			id: editStep, when: "confirm = edit", reads: []string{everything}, facts: []string{everything},
			shown: func(v view) bool { return v.is(confirmStep, "edit") },
			options: func(v view) []Option {
				var options []Option
				for _, r := range v.answered() {
					if !r.ends() && !v.isLone(r) {
						options = append(options, Option{Value: r.id, Label: v.name(r), Description: v.shownAnswer(r, v.get(r.id))})
					}
				}
				return options
			},
		},
	}
}

// stands says which answer the project no longer bears out: between a question
// and the confirmation a file may go, and a state may be edited by hand.
func (v view) stands() error {
	for _, r := range rows(v) {
		switch {
		case r.ends():
		case v.pending(r):
			return Refuse("incomplete", "%s has no answer yet", r.id)
		case v.has(r.id) && r.isShown(v):
			if err := v.accepts(r, v.get(r.id)); err != nil {
				return Refuse("answer-gone", "%v; change it with: goto %s", err, r.id).With(r.id)
			}
		}
	}
	return nil
}

// answered are the rows that are shown and have an answer.
func (v view) answered() []row {
	var out []row
	for _, r := range rows(v) {
		if v.has(r.id) && r.isShown(v) {
			out = append(out, r)
		}
	}
	return out
}

// isLone says whether there is nothing to choose in a pick but to type the
// answer. Nobody is shown such a pick.
func (v view) isLone(r row) bool {
	if r.text || r.typed == "" || r.offers != nil {
		return false // with a test of its own for what it offers, a row has something to offer
	}
	options, _ := r.choices(v)
	return len(options) == 1
}
