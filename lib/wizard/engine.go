package wizard

import (
	"slices"
	"strconv"
)

// Machine advances states over the facts of a project. It is a pure function
// of them; nothing is read from anywhere else.
type Machine struct{ Facts Facts }

func (m Machine) view(s *State) view { return view{state: s, facts: m.Facts, say: TextsFor(s.Lang)} }

// Refresh derives the pending screen and gives it a new token: the state is
// about to be written.
func (m Machine) Refresh(s State) (State, error) {
	s = s.clone()
	s.Revision++
	return m.derive(s)
}

// Resume is a state as it was read. One without a screen gets it now, under
// the revision that it has, and so does one whose pick had nothing to choose
// from: what was missing may be there by now.
func (m Machine) Resume(s State) (State, error) {
	empty := s.Screen.Kind == KindPick && len(s.Screen.Options) == 0
	if s.Screen.Kind != "" && !empty {
		return s, nil
	}
	return m.derive(s.clone())
}

func (m Machine) derive(s State) (State, error) {
	p, err := newPlanner(s)
	if err != nil {
		return State{}, err
	}
	s.Screen = m.next(&s, p)
	s.Screen.Token = s.Screen.Step + "@" + strconv.Itoa(s.Revision)
	return s, nil
}

// next derives the screen to show: the first question without an answer, made
// to fit the host. Where there is nothing to choose but typing, the text is
// asked for at once; a screen on which that did not help is shown as it is.
func (m Machine) next(s *State, p planner) Screen {
	screen := m.domain(s)
	for range rows(m.view(s)) {
		if !screen.onlyCustom() {
			return m.adapt(s, p, screen)
		}
		m.takeTyping(s, screen.Step)
		screen = m.domain(s)
	}
	if !screen.onlyCustom() {
		return m.adapt(s, p, screen)
	}
	screen.Interaction = p.interaction(screen)
	return screen
}

func (m Machine) takeTyping(s *State, step string) {
	s.Answers[step] = Custom
	if s.Editing != nil && *s.Editing == step {
		s.Editing = nil
	}
}

// adapt follows the host: what its picker cannot show whole is presented in
// pieces. Rule: docs/wizard.md, "The next screen".
func (m Machine) adapt(s *State, p planner, screen Screen) Screen {
	if screen = p.narrow(screen); p.presents(screen) {
		s.picker().prune(screen, p.host.Limits.Options)
		screen = s.picker().Present(screen, p.host.Limits.Options, TextsFor(s.Lang))
	} else {
		screen = ticked(s, screen)
	}
	screen.Interaction = p.interaction(screen)
	return screen
}

// ticked marks what an answer under change holds now, where the picker, which
// does that itself, is not used.
func ticked(s *State, screen Screen) Screen {
	if s.Editing == nil || *s.Editing != screen.Step || !screen.IsMulti() {
		return screen
	}
	chosen := splitList(s.Answers[screen.Step])
	for i, o := range screen.Options {
		if slices.Contains(chosen, o.Value) {
			screen.Options[i].Label = tick + o.Label
		}
	}
	return screen
}

// domain is the pending question or group, before a host is thought of.
func (m Machine) domain(s *State) Screen {
	v := m.view(s)
	switch s.Outcome {
	case OutcomeAborted:
		return Screen{Step: "aborted", Kind: KindAborted, Label: v.say.Text("aborted.label")}
	case OutcomeProceed:
		return Screen{Step: "done", Kind: KindDone, Label: v.say.Text("done.label")}
	}
	asked := v.asked()
	if len(asked) > 1 {
		group := Screen{Step: "group:" + asked[0].group, Kind: KindGroup, Label: v.say.Text("group", len(asked))}
		for _, r := range asked {
			group.Questions = append(group.Questions, v.screen(r))
		}
		return group
	}
	return v.edited(asked[0])
}

// asked are the rows that are asked now: the one under change, else the first
// that is shown and has no answer, with the neighbours of its group. No
// position is stored, so that none can be wrong. When all is answered it is the
// confirmation.
func (v view) asked() []row {
	if v.state.Outcome != OutcomeOpen {
		return nil
	}
	table := rows(v)
	if v.state.Editing != nil {
		if r, ok := find(table, *v.state.Editing); ok && r.isShown(v) {
			return []row{r}
		}
	}
	for i, r := range table {
		if v.pending(r) {
			return v.groupFrom(table, i)
		}
	}
	confirm, _ := find(table, confirmStep)
	return []row{confirm}
}

func (v view) pending(r row) bool { return !v.has(r.id) && r.isShown(v) }

// edited is the screen of a question. If it has an answer already, which is to
// be changed, it says what stands now.
func (v view) edited(r row) Screen {
	s := v.screen(r)
	old, answered := v.state.Answers[r.id]
	switch {
	case !answered || r.ends():
	case r.text:
		s.Detail = join("\n\n", s.Detail, v.say.Text("current", v.orNone(old)))
	case !r.multi:
		for i, o := range s.Options {
			if o.Value == old {
				s.Options[i].Label += currentMark(v.say)
			}
		}
	}
	return s
}

func currentMark(say Texts) string { return " (" + say.Text("current.mark") + ")" }

// groupFrom is row i together with the neighbours of its group that are pending
// and do not depend on one another. Rows that are not shown do not part
// neighbours.
func (v view) groupFrom(table []row, i int) []row {
	first := table[i]
	members := []row{first}
	if first.group == "" || first.text {
		return members
	}
	last := i
	for j, r := range table[i:] {
		if r.group == first.group {
			last = i + j
		}
	}
	for _, r := range table[i+1 : last+1] {
		if !v.pending(r) {
			continue
		}
		if r.text || r.group != first.group || leadsTo(table, r, members) || v.isLone(r) {
			break
		}
		members = append(members, r)
	}
	return members
}

// leadsTo says whether what r reads, followed through, leads to a member.
func leadsTo(table []row, r row, members []row) bool {
	reads := closure(table, r.id)
	return slices.ContainsFunc(members, func(m row) bool { return reads[m.id] })
}
