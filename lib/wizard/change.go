package wizard

import "slices"

// store keeps an answer. A changed answer drops the answers that depended on
// the old one; all others stay. Rule: docs/wizard.md, "Changing an answer".
func (m Machine) store(s *State, r row, value string) {
	old, had := s.Answers[r.id]
	s.Answers[r.id] = value
	if s.Editing != nil && *s.Editing == r.id {
		s.Editing = nil
	}
	delete(s.PickerOffsets, r.id)
	delete(s.PickerSelected, r.id)
	switch {
	case r.id == "confirm":
		m.confirmed(s, value)
		return
	case r.id == "edit_pick":
		delete(s.Answers, "edit_pick")
		delete(s.Answers, "confirm")
		s.Editing = &value
		return
	case r.id == "approve_plan_confirm" && value == "no":
		// A "no" answers nothing: it asks for the plan again.
		for _, id := range []string{"approved_plan_pick", "approved_plan", "approve_plan_confirm"} {
			delete(s.Answers, id)
		}
		m.settle(s, "approved_plan_pick")
		return
	}
	if had && old == value {
		return
	}
	m.settle(s, r.id)
}

func (m Machine) confirmed(s *State, value string) {
	switch value {
	case "proceed":
		s.Outcome = OutcomeProceed
	case "abort":
		s.Outcome = OutcomeAborted
	}
}

// settle drops what read the changed row, and then what is no longer shown or
// no longer accepted, until nothing more falls.
func (m Machine) settle(s *State, changed string) {
	fallen := map[string]bool{changed: true}
	drop := func(id string) {
		fallen[id] = true
		delete(s.Answers, id)
		delete(s.PickerOffsets, id)
		delete(s.PickerSelected, id)
	}
	for again := true; again; {
		again = false
		v := m.view(s)
		table := rows(v)
		for _, r := range table {
			if !v.has(r.id) || fallen[r.id] {
				continue
			}
			reads := slices.ContainsFunc(r.reads, func(id string) bool { return fallen[id] })
			if reads || !r.isShown(v) || v.accepts(r, v.get(r.id)) != nil {
				drop(r.id)
				again = true
			}
		}
		for id := range s.Answers {
			if _, ok := find(table, id); !ok {
				drop(id)
				again = true
			}
		}
	}
}

// Goto opens an earlier answer for change.
func (m Machine) Goto(s State, step string) (State, error) {
	v := m.view(&s)
	r, ok := find(rows(v), step)
	if !ok || !v.has(step) || !r.isShown(v) {
		return s, refuse("cannot-go", "step %q has no answer to change", step)
	}
	return m.reopen(s, step)
}

// Back opens the nearest answer before the pending question. On a state that
// has ended it opens the confirmation again: nothing is lost by an abort.
func (m Machine) Back(s State) (State, error) {
	if s.Outcome != OutcomeOpen {
		work := s.clone()
		work.Outcome, work.Editing = OutcomeOpen, nil
		delete(work.Answers, "confirm")
		return m.Refresh(work)
	}
	v := m.view(&s)
	pending := s.Screen.Step
	if len(s.Screen.Questions) > 0 {
		pending = s.Screen.Questions[0].Step
	}
	previous := ""
	for _, r := range rows(v) {
		if r.id == pending {
			break
		}
		if v.has(r.id) && r.isShown(v) {
			previous = r.id
		}
	}
	if previous == "" {
		return s, refuse("cannot-go", "there is no answer before step %q", pending)
	}
	return m.reopen(s, previous)
}

func (m Machine) reopen(s State, step string) (State, error) {
	work := s.clone()
	work.Outcome, work.Editing = OutcomeOpen, &step
	delete(work.Answers, "confirm")
	delete(work.Answers, "edit_pick")
	if r, ok := find(rows(m.view(&work)), step); ok && r.multi {
		work.PickerSelected[step] = splitAnswer(r, work.Answers[step])
	}
	delete(work.PickerOffsets, step)
	return m.Refresh(work)
}
