package wizard

import "okstra/lib/run"

const (
	designPrefix = "design_prep:"
	notePrefix   = "design_prep_note:"
	maxNote      = 4 << 10
)

// designRows walk through the design items that the newest report of the task
// left open, when the task is planned: keep each as it is, drop it, or say
// something about it.
func designRows(v view) []row {
	if !v.is("task_type", "implementation-planning") {
		return nil
	}
	group, id, ok := v.existing()
	if !ok {
		return nil
	}
	var out []row
	for _, item := range v.facts.Decisions(group, id) {
		out = append(out, designRow(item), noteRow(item.ID))
	}
	return out
}

func designRow(item DesignItem) row {
	return row{
		id: designPrefix + item.ID, texts: "design_prep", args: []string{item.ID}, about: orDash(item.Statement),
		when: "implementation-planning, and the newest report left the item open", typed: notePrefix + item.ID,
		reads: append([]string{"task_type"}, taskReads...), facts: []string{"design items"},
		options: plain("design_prep", "keep", "drop"),
		input: func(v view, r row, in *inputs) {
			if a := v.get(r.id); a != Custom {
				in.DesignPrep = append(in.DesignPrep, run.DesignDecision{ID: item.ID, Decision: a})
			}
		},
	}
}

func noteRow(id string) row {
	return row{
		id: notePrefix + id, texts: "design_prep_note", args: []string{id}, text: true,
		when: "its design_prep is typed", reads: []string{designPrefix + id}, shown: whenCustom(designPrefix + id),
		check: func(_ view, a string) error {
			if len(a) > maxNote {
				return Refuse("too-long", "%s: %d bytes (expected %d or less)", notePrefix+id, len(a), maxNote)
			}
			return nil
		},
		input: func(v view, r row, in *inputs) {
			in.DesignPrep = append(in.DesignPrep, run.DesignDecision{ID: id, Decision: "note", Note: v.get(r.id)})
		},
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
