package wizard

import "slices"

// store keeps an answer. A changed answer drops the answers that depended on
// the old one; a first answer only drops what was answered ahead of it, by a
// preset, and does not go with it. All others stay.
// Rule: docs/wizard.md, "Changing an answer".
func (m Machine) store(s *State, r row, value string) {
	old, had := s.Answers[r.id]
	if s.Editing != nil && *s.Editing == r.id {
		s.Editing = nil
	}
	s.forget(r.id)
	s.Answers[r.id] = value
	switch {
	case r.id == confirmStep:
		m.confirmed(s, value)
		return
	case r.id == editStep:
		m.open(s, value)
		return
	case r.id == "approve_plan_confirm" && value == "no":
		m.askPlanAgain(s)
		return
	}
	if r.pin != nil {
		if pinned := r.pin(m.view(s), value); pinned != nil {
			s.Pinned[r.id] = pinned
		}
	}
	if had && old == value {
		return
	}
	m.settle(s, r.id, had)
}

func (m Machine) confirmed(s *State, value string) {
	switch value {
	case "proceed":
		s.Outcome = OutcomeProceed
	case "abort":
		s.Outcome = OutcomeAborted
	}
}

// askPlanAgain is what a "no" to a plan does: it answers nothing, and the plan
// is asked for once more.
func (m Machine) askPlanAgain(s *State) {
	for _, id := range []string{"approved_plan_pick", "approved_plan", "approve_plan_confirm"} {
		s.forget(id)
	}
	m.settle(s, "approved_plan_pick", true)
}

// settle brings the other answers in line with a changed one. First fall those
// that read it, or read what fell; their navigation goes with them, answered or
// not. Then falls what is no longer shown or no longer accepted.
func (m Machine) settle(s *State, changed string, wasAnswered bool) {
	fallen := map[string]bool{changed: true}
	if wasAnswered {
		m.dropReaders(s, fallen)
	}
	for again := true; again; {
		again = false
		v := m.view(s)
		table := rows(v)
		for _, r := range table {
			if !v.has(r.id) || fallen[r.id] || !m.concerned(table, r, changed, wasAnswered) || v.undecided(table, r) {
				continue
			}
			if !r.isShown(v) || v.accepts(r, v.get(r.id)) != nil {
				s.forget(r.id)
				fallen[r.id] = true
				m.dropReaders(s, fallen)
				again = true
			}
		}
	}
	m.dropUnknown(s)
}

// concerned says whether an answer is looked at again. When a question gets
// its first answer, only those that read it can be the worse for it.
func (m Machine) concerned(table []row, r row, changed string, wasAnswered bool) bool {
	if r.ends() {
		return false
	}
	return wasAnswered || closure(table, r.id)[changed]
}

// dropReaders drops the answers of all rows that read a fallen one.
func (m Machine) dropReaders(s *State, fallen map[string]bool) {
	table := rows(m.view(s))
	for again := true; again; {
		again = false
		for _, r := range table {
			reads := slices.ContainsFunc(r.reads, func(id string) bool { return fallen[id] || id == everything })
			if reads && !fallen[r.id] {
				s.forget(r.id)
				fallen[r.id] = true
				again = true
			}
		}
	}
}

// undecided says whether something that the row depends on has still to be
// asked. Its answer, a preset, can only be judged after that.
func (v view) undecided(table []row, r row) bool {
	reads := closure(table, r.id)
	return slices.ContainsFunc(table, func(q row) bool { return reads[q.id] && v.pending(q) })
}

// dropUnknown forgets answers of steps that the table does not have.
func (m Machine) dropUnknown(s *State) {
	table := rows(m.view(s))
	for id := range s.Answers {
		if _, ok := find(table, id); !ok {
			s.forget(id)
		}
	}
}

// Goto opens an earlier answer for change. A step that does not exist is an
// *UnknownStepError, one without an answer a *Refusal.
func (m Machine) Goto(s State, step string) (State, error) {
	v := m.view(&s)
	r, ok := find(rows(v), step)
	if !ok {
		table := allRows(v)
		if _, known := find(table, step); !known {
			return s, unknownStep(table, step)
		}
	}
	if !ok || !v.has(step) || !r.isShown(v) {
		return s, Refuse("cannot-go", "step %q has no answer to change (expected one that is answered)", step)
	}
	work := s.clone()
	m.open(&work, step)
	return m.Refresh(work)
}

func unknownStep(table []row, step string) error {
	e := &UnknownStepError{Step: step}
	for _, r := range table {
		e.Known = append(e.Known, r.id)
	}
	return e
}

// Back opens the nearest answer before the pending question. On a state that
// has ended it opens the confirmation again: nothing is lost by an abort.
func (m Machine) Back(s State) (State, error) {
	work := s.clone()
	if s.Outcome != OutcomeOpen {
		m.open(&work, confirmStep)
		return m.Refresh(work)
	}
	pending := m.domain(&work).Members()[0].Step
	v := m.view(&work)
	previous := ""
	table := rows(v)
	at := slices.IndexFunc(table, func(r row) bool { return r.id == pending })
	for i := at - 1; i >= 0 && previous == ""; i-- {
		if r := table[i]; v.has(r.id) && r.isShown(v) && !v.isLone(r) {
			previous = r.id
		}
	}
	if previous == "" {
		return s, Refuse("cannot-go", "there is no answer before step %q", pending)
	}
	m.open(&work, previous)
	return m.Refresh(work)
}

// open makes a step the pending one. Its answer stays until another one is
// given. Where there is nothing to choose in a pick, the text behind it opens.
func (m Machine) open(s *State, step string) {
	if s.Editing != nil {
		s.forgetPicker(*s.Editing)
	}
	s.Outcome, s.Editing = OutcomeOpen, nil
	s.forget(confirmStep)
	s.forget(editStep)
	if step == confirmStep || step == editStep {
		return
	}
	v := m.view(s)
	r, ok := find(rows(v), step)
	if !ok {
		return
	}
	if v.isLone(r) && v.has(r.typed) {
		r, _ = find(rows(v), r.typed)
	}
	s.forgetPicker(r.id)
	if r.multi && s.Answers[r.id] != Custom {
		s.PickerSelected[r.id] = r.split(s.Answers[r.id])
	}
	s.Editing = &r.id
}
