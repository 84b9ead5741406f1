package wizard

import "slices"

// rows is the step table, in the order in which questions are asked. Rows of
// models depend on who takes part, so the table is made from the view.
func rows(v view) []row {
	table := slices.Concat(identityRows, briefRows, baseRows, planRows, teamRows)
	table = append(table, modelRows(v)...)
	return slices.Concat(table, extraRows, handoffRows, endRows())
}

// find returns the row of a step.
func find(table []row, id string) (row, bool) {
	i := slices.IndexFunc(table, func(r row) bool { return r.id == id })
	if i < 0 {
		return row{}, false
	}
	return table[i], true
}

func (r row) isShown(v view) bool { return r.shown == nil || r.shown(v) }

// choices are the options of a pick, the typed answer last.
func (r row) choices(v view) []Option {
	if r.options == nil {
		return nil
	}
	options := usable(r.options(v))
	if r.custom {
		options = append(options, Option{Value: Custom, Label: v.say.Text("type_it")})
	}
	return options
}

// plain makes options whose labels are texts of the step.
func plain(step string, values ...string) func(view) []Option {
	return func(v view) []Option {
		options := make([]Option, len(values))
		for i, value := range values {
			options[i] = Option{Value: value, Label: v.say.Text(step + "=" + value)}
			if key := step + "=" + value + ".about"; v.say.Has(key) {
				options[i].Description = v.say.Text(key)
			}
		}
		return options
	}
}

func whenCustom(pick string) func(view) bool {
	return func(v view) bool { return v.is(pick, Custom) }
}

func ofType(types ...string) func(view) bool {
	return func(v view) bool { return v.among("task_type", types...) }
}

func notHandoff(v view) bool { return v.has("task_type") && !v.is("task_type", "release-handoff") }
