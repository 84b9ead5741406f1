package wizard

import (
	"errors"
	"slices"
	"strings"
)

// Result is what an event made of a state.
type Result struct {
	State      State
	Echo       string
	Unanswered []string // questions of a group that the answer left open
	Typed      bool     // something was typed in place of a choice
}

// Answer submits a raw answer to the pending screen. token, if not empty, must
// be the screen's. The error is a *Refusal when the answer is not taken; the
// result then holds the state as it was.
func (m Machine) Answer(s State, raw, token string) (Result, error) {
	if err := checkToken(s, token, raw); err != nil {
		return Result{State: s}, err
	}
	if s.Screen.Ended() {
		return Result{State: s}, nil
	}
	answers, err := m.matcher(&s).screen(s.Screen, raw)
	if err != nil {
		return Result{State: s}, err
	}
	return m.take(s, answers, false)
}

// Entry is what a host's reply says about one question.
type Entry struct {
	Step   string
	Texts  []string // labels or values, each one choice
	Joined bool     // the one text may hold several choices, with commas between
	Exact  bool     // the texts are values, nothing else
	Typed  bool     // the text was typed in place of a choice
	Other  bool     // the person wants to type, and has not done it yet
}

// Reply submits a host's reply: like Answer, but a text that was typed in place
// of a choice, and is none, answers the pick with "type it" and the text behind
// it, in one step. freeText says that the host lets people type wherever it
// shows choices. raw is the reply as it came; a stale one keeps it.
func (m Machine) Reply(s State, entries []Entry, freeText bool, token, raw string) (Result, error) {
	if err := checkToken(s, token, raw); err != nil {
		return Result{State: s}, err
	}
	if s.Screen.Ended() {
		return Result{State: s}, nil
	}
	match := m.matcher(&s)
	var answers []answer
	typed := false
	for _, q := range s.Screen.Members() {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Step == q.Step })
		if i < 0 {
			continue
		}
		found, byHand, err := m.entry(&s, match, q, entries[i], freeText)
		if err != nil {
			return Result{State: s}, err
		}
		answers = append(answers, found...)
		typed = typed || byHand
	}
	if len(answers) == 0 {
		return Result{State: s}, Refuse("empty", "%s: the reply answers nothing", s.Screen.Step)
	}
	return m.take(s, answers, typed)
}

// entry matches one question's part of a reply. A text that is no choice may
// have been typed in place of one.
func (m Machine) entry(s *State, match matcher, q Screen, e Entry, freeText bool) (found []answer, typed bool, err error) {
	if e.Other {
		if pair, ok := m.typeIt(s, q, "-"); ok {
			return pair[:1], true, nil
		}
		return nil, false, noMatch(q, strings.Join(e.Texts, ", "))
	}
	found, err = match.entry(q, e)
	var r *Refusal
	couldBe := (e.Typed || freeText && !e.Exact) && len(e.Texts) == 1
	if couldBe && errors.As(err, &r) && r.Code == "no-match" {
		if pair, ok := m.typeIt(s, q, e.Texts[0]); ok {
			return pair, true, nil
		}
	}
	return found, false, err
}

// typeIt is a text in place of a choice: the choice to type, and the text. Not
// every step offers that.
func (m Machine) typeIt(s *State, q Screen, text string) ([]answer, bool) {
	r, ok := find(rows(m.view(s)), q.Step)
	if !ok || r.typed == "" {
		return nil, false
	}
	text, err := clean(text)
	return []answer{{q.Step, Custom}, {r.typed, text}}, err == nil
}

func checkToken(s State, token, raw string) error {
	if token == "" || token == s.Screen.Token {
		return nil
	}
	return Refuse("stale", "token %q is not the pending one (%q); the answer was not taken", token, s.Screen.Token).With(raw)
}

// take applies answers that were matched, all of them or none.
func (m Machine) take(s State, answers []answer, typed bool) (Result, error) {
	work := s.clone()
	if s.Screen.interaction() == nativeSingle {
		value, err := m.acceptPresented(&work, answers[0])
		if err != nil {
			return Result{State: s}, err
		}
		if value == nil {
			next, err := m.Refresh(work)
			return Result{State: next}, err
		}
		answers[0].value = *value
	}
	var echoes []string
	for _, a := range answers {
		echo, err := m.submit(&work, a)
		if err != nil {
			return Result{State: s}, err
		}
		if a.value != Custom || !typed || len(answers) == 1 {
			echoes = append(echoes, echo)
		}
	}
	next, err := m.Refresh(work)
	if err != nil {
		return Result{State: s}, err
	}
	return Result{State: next, Echo: strings.Join(echoes, " · "), Unanswered: unanswered(s.Screen, answers), Typed: typed}, nil
}

// unanswered lists the questions of a group that got no answer.
func unanswered(s Screen, answers []answer) []string {
	var out []string
	for _, q := range s.Questions {
		if !slices.ContainsFunc(answers, func(a answer) bool { return a.step == q.Step }) {
			out = append(out, q.Step)
		}
	}
	return out
}

// acceptPresented takes a value of a presented screen on to the pick behind
// it, nil if it only moved the picker. The user saw the screen; what the
// project offers today decides. All that is on offer is listed only for those
// choices that need it: there may be thousands.
func (m Machine) acceptPresented(s *State, a answer) (*string, error) {
	v := m.view(s)
	r, ok := find(v.asked(), a.step)
	if !ok {
		return nil, Refuse("option-gone", "step %q is not asked any more", a.step)
	}
	if !r.multi && !strings.HasPrefix(a.value, pagePrefix) {
		return s.picker().Accept(Screen{Step: r.id, Kind: KindPick}, a.value)
	}
	original := v.edited(r)
	if _, known := original.option(a.value); r.multi && !known && !isNavigation(a.value) && !v.stillOffers(r, a.value) {
		return nil, Refuse("option-gone", "%s: %q is not on offer any more", a.step, a.value)
	}
	return s.picker().Accept(original, a.value)
}

// stillOffers says whether a value that no option has can be given all the
// same.
func (v view) stillOffers(r row, value string) bool { return r.offers != nil && r.offers(v, value) }

// submit checks one answer on today's facts and stores it.
func (m Machine) submit(s *State, a answer) (string, error) {
	v := m.view(s)
	r, ok := find(rows(v), a.step)
	if !ok || !r.isShown(v) {
		return "", Refuse("option-gone", "step %q is not asked any more", a.step)
	}
	value := a.value
	if r.text {
		var err error
		if value, err = matchText(v.screen(r), value); err != nil {
			return "", err
		}
	}
	if err := v.accepts(r, value); err != nil {
		return "", err
	}
	echo := v.name(r) + ": " + v.shownAnswer(r, value)
	m.store(s, r, value)
	return oneEcho(echo), nil
}

// oneEcho keeps an echo on one line.
func oneEcho(text string) string { return strings.Join(strings.Fields(text), " ") }
