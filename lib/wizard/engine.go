package wizard

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Machine advances states over the facts of a project. It is a pure function
// of them; nothing is read from anywhere else.
type Machine struct{ Facts Facts }

func (m Machine) view(s *State) view {
	return view{answers: s.Answers, facts: m.Facts, say: TextsFor(s.Lang), state: s}
}

// Refresh derives the pending screen and gives it a new token: the state is
// about to be written.
func (m Machine) Refresh(s State) (State, error) {
	s = s.clone()
	s.Revision++
	screen, err := m.next(&s)
	if err != nil {
		return State{}, err
	}
	screen.Token = screen.Step + "@" + strconv.Itoa(s.Revision)
	s.Screen = screen
	return s, nil
}

// next derives the screen to show: the first question without an answer,
// made to fit the host.
func (m Machine) next(s *State) (Screen, error) {
	p, err := newPlanner(*s)
	if err != nil {
		return Screen{}, err
	}
	screen := m.domain(s)
	for range rows(m.view(s)) {
		if !screen.onlyCustom() {
			break
		}
		// There is nothing to choose but typing: ask for the text at once.
		s.Answers[screen.Step] = Custom
		screen = m.domain(s)
	}
	return m.adapt(s, p, screen), nil
}

// adapt follows the host: what its picker cannot show whole is presented in
// pieces.
func (m Machine) adapt(s *State, p planner, screen Screen) Screen {
	kind := p.kind(screen)
	if p.can(singleSelect) && !screen.Ended() && kind != nativeGroup && kind != nativeMulti {
		if screen.Kind == KindGroup {
			screen = screen.Questions[0]
		}
		if p.kind(screen) != nativeMulti {
			s.picker().prune(screen)
			screen = s.picker().Present(screen, p.host.Limits.Options, TextsFor(s.Lang))
		}
	}
	if screen.Kind == KindGroup && len(screen.Questions) == 1 {
		screen = screen.Questions[0]
	}
	screen.Interaction = p.interaction(screen)
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
	table := rows(v)
	if s.Editing != nil {
		if r, ok := find(table, *s.Editing); ok {
			return v.edited(r)
		}
	}
	for i, r := range table {
		if v.pending(r) {
			return v.groupFrom(table[i:])
		}
	}
	return Screen{Step: "done", Kind: KindDone, Label: v.say.Text("done.label")}
}

func (v view) pending(r row) bool { return !v.has(r.id) && r.isShown(v) }

// edited is the screen of an answer under change: it says what stands now.
func (v view) edited(r row) Screen {
	s := v.screen(r)
	old := v.get(r.id)
	if r.text {
		s.Detail = join("\n", s.Detail, v.say.Text("current", old))
		return s
	}
	if !r.multi {
		for i, o := range s.Options {
			if o.Value == old {
				s.Options[i].Label += " (" + v.say.Text("current.mark") + ")"
			}
		}
	}
	return s
}

// groupFrom asks the first of the rows, together with the neighbours of its
// group that are pending and do not depend on one another.
func (v view) groupFrom(table []row) Screen {
	first := table[0]
	members := []row{first}
	if first.group != "" && !first.text {
		for _, r := range table[1:] {
			if !v.pending(r) {
				continue
			}
			if r.text || r.group != first.group || v.depends(r, members) {
				break
			}
			members = append(members, r)
		}
	}
	if len(members) == 1 {
		return v.screen(first)
	}
	s := Screen{Step: "group:" + first.group, Kind: KindGroup, Label: v.say.Text("group", len(members))}
	for _, r := range members {
		s.Questions = append(s.Questions, v.screen(r))
	}
	return s
}

// depends says whether what r reads, followed through, leads to a member.
func (v view) depends(r row, members []row) bool {
	reads := closure(rows(v), r.id)
	return slices.ContainsFunc(members, func(m row) bool { return reads[m.id] })
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

// Answer submits a raw answer to the pending screen. token, if not empty,
// must be the screen's. On a Refusal the state given in stands unchanged.
func (m Machine) Answer(s State, raw, token string) (State, string, error) {
	if token != "" && token != s.Screen.Token {
		return s, "", refuse("stale", "token %q is not the pending one (%q)", token, s.Screen.Token).with(raw)
	}
	shown := s.Screen
	if shown.Ended() {
		return s, "", nil
	}
	answers, err := normalise(shown, raw)
	if err != nil {
		return s, "", err
	}
	work := s.clone()
	if shown.Interaction != nil && shown.Interaction.Kind == nativeSingle {
		original, err := m.original(&work, shown.Step)
		if err != nil {
			return s, "", err
		}
		value, err := work.picker().Accept(original, answers[0].value)
		if err != nil {
			return s, "", err
		}
		if value == nil {
			next, err := m.Refresh(work)
			return next, "", err
		}
		answers[0].value = *value
	}
	return m.take(s, work, answers)
}

// original is the unpresented pick behind a screen.
func (m Machine) original(s *State, step string) (Screen, error) {
	screen := m.domain(s)
	if screen.Kind == KindGroup {
		if i := slices.IndexFunc(screen.Questions, func(q Screen) bool { return q.Step == step }); i >= 0 {
			return screen.Questions[i], nil
		}
	}
	if screen.Step != step {
		return Screen{}, refuse("option-gone", "step %q is not asked any more", step)
	}
	return screen, nil
}

func (m Machine) take(before, work State, answers []answer) (State, string, error) {
	var echoes []string
	for _, a := range answers {
		echo, err := m.submit(&work, a)
		if err != nil {
			return before, "", err
		}
		echoes = append(echoes, echo)
	}
	next, err := m.Refresh(work)
	return next, strings.Join(echoes, " · "), err
}

// submit checks one answer on today's facts and stores it.
func (m Machine) submit(s *State, a answer) (string, error) {
	v := m.view(s)
	r, ok := find(rows(v), a.step)
	if !ok {
		return "", refuse("option-gone", "step %q is not asked any more", a.step)
	}
	if err := v.accepts(r, a.value); err != nil {
		return "", err
	}
	echo := v.name(r) + ": " + v.shownAnswer(r, a.value)
	m.store(s, r, a.value)
	return echo, nil
}

// accepts says why an answer is not taken today.
func (v view) accepts(r row, value string) error {
	if !r.text {
		if err := v.offered(r, value); err != nil {
			return err
		}
	}
	if r.check == nil {
		return nil
	}
	return r.check(v, value)
}

func (v view) offered(r row, value string) error {
	s := v.screen(r)
	chosen := splitAnswer(r, value)
	for _, one := range chosen {
		if _, ok := s.option(one); !ok {
			return refuse("option-gone", "%s: %q is not on offer any more", r.id, one)
		}
		if len(chosen) > 1 && (slices.Contains(r.alone, one) || one == Custom) {
			return refuse("exclusive-choice", "%s: %q excludes every other choice", r.id, one)
		}
	}
	if r.multi && len(chosen) < r.min {
		return refuse("too-few", "%s: %d chosen (expected %d or more)", r.id, len(chosen), r.min)
	}
	return nil
}

func splitAnswer(r row, value string) []string {
	if !r.multi {
		return []string{value}
	}
	return strings.FieldsFunc(value, func(c rune) bool { return c == ',' })
}

// MarshalStable is the state as JSON; maps come out in key order.
func (s State) MarshalStable() ([]byte, error) { return json.Marshal(s) }
