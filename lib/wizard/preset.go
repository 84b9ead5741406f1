package wizard

import (
	"errors"
	"maps"
	"slices"
)

// Preset answers steps before anything is asked. A preset is an ordinary
// answer: it is checked now and can be changed later. It may be for a question
// that comes up only after others are answered, or that would not come up at
// all without it, as the model of the lead. The order in which presets are
// given does not matter. An *UnknownStepError is a step that does not exist.
func (m Machine) Preset(s State, presets map[string]string) (State, error) {
	work := s.clone()
	known := allRows(m.view(&work))
	for _, step := range slices.Sorted(maps.Keys(presets)) {
		if _, ok := find(append(known, m.designOf(work, presets)...), step); !ok {
			return s, unknownStep(known, step)
		}
	}
	left := maps.Clone(presets)
	if err := m.presetAsked(&work, left); err != nil {
		return s, err
	}
	if err := m.presetAhead(&work, left); err != nil {
		return s, err
	}
	return m.Refresh(work)
}

// designOf are the rows of design items that the presets lead to.
func (m Machine) designOf(s State, presets map[string]string) []row {
	s = s.clone()
	for _, step := range []string{"task_pick", "task_key", "task_type"} {
		if value, ok := presets[step]; ok {
			s.Answers[step] = value
		}
	}
	return designRows(m.view(&s))
}

// presetAsked answers questions that are asked, until none of those that are
// left is.
func (m Machine) presetAsked(s *State, left map[string]string) error {
	for moved := true; moved; {
		moved = false
		v := m.view(s)
		for _, r := range rows(v) {
			raw, wanted := left[r.id]
			if !wanted || !v.pending(r) {
				continue
			}
			value, err := m.presetValue(s, r, raw)
			if err != nil {
				return err
			}
			if _, err := m.submit(s, answer{r.id, value}); err != nil {
				return err
			}
			delete(left, r.id)
			moved = true
			break
		}
	}
	return nil
}

// presetAhead answers questions that are not asked yet. What they depend on is
// open, so they are checked against what is known now, and once more when the
// rest is.
func (m Machine) presetAhead(s *State, left map[string]string) error {
	for _, step := range slices.Sorted(maps.Keys(left)) {
		v := m.view(s)
		r, _ := find(allRows(v), step)
		value, err := m.presetValue(s, r, left[step])
		if err != nil {
			return m.tooEarly(s, r, err)
		}
		s.Answers[step] = value
		v = m.view(s)
		table := rows(v)
		if !r.isShown(v) && !v.undecided(table, r) {
			return Refuse("preset-unused", "preset of %s: the step is not asked here (it is asked when: %s)", step, r.when)
		}
		if err := v.accepts(r, value); err != nil {
			return m.tooEarly(s, r, err)
		}
		if r.pin != nil {
			if pinned := r.pin(v, value); pinned != nil {
				s.Pinned[step] = pinned
			}
		}
	}
	return nil
}

// tooEarly tells a preset that is wrong from one that cannot be judged: what
// its question offers, or would take, may depend on what is still open.
func (m Machine) tooEarly(s *State, r row, err error) error {
	v := m.view(s)
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Code == "bad-answer" || refused.Code == "no-match" && !v.offersNothing(r) {
		return err
	}
	table := allRows(v)
	reads := closure(table, r.id)
	for _, q := range table {
		if reads[q.id] && v.pending(q) {
			return Refuse("preset-early", "preset of %s: that depends on %s (expected a preset of that step too): %v", r.id, q.id, err)
		}
	}
	return err
}

// offersNothing says whether a pick has nothing to choose but to type.
func (v view) offersNothing(r row) bool {
	options, _ := r.choices(v)
	return !slices.ContainsFunc(options, func(o Option) bool { return o.Value != Custom })
}

func (m Machine) presetValue(s *State, r row, raw string) (string, error) {
	screen := m.view(s).screen(r)
	screen.Interaction = &Interaction{Kind: nativeMulti}
	answers, err := m.matcher(s).screen(screen, raw)
	if err != nil {
		return "", err
	}
	return answers[0].value, nil
}

// Declare says anew where the session runs and what its host can do.
func (m Machine) Declare(s State, host string, functions []string) (State, error) {
	work := s.clone()
	work.HostRuntime, work.AvailableFunctions = host, functions
	return m.Refresh(work)
}
