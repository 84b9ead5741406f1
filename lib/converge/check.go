package converge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"okstra/lib/finding"
)

// Codes of a state that contradicts itself.
const (
	CodeInvariant = "conv-invariant"
	CodeRecompute = "conv-recompute"
)

// Check reports where a state contradicts itself: its rounds must be such as
// the steps of a convergence make them, and everything derived from the votes
// must be what the votes give. Findings have pointers and no artifact. The
// state must fit its schema. Rule: docs/converge.md, "What a state must hold".
func Check(s State) []finding.Finding {
	k := &checker{s: s, code: func(string) string { return CodeInvariant }}
	if k.wellFormed() {
		k.replay()
	}
	finding.Sort(k.faults)
	return k.faults
}

// checker collects the faults of a document. code gives the code under which
// a fault of the roster or of a reference is reported.
type checker struct {
	s      State
	code   func(specific string) string
	faults []finding.Finding
}

func (k *checker) fault(pointer, code, format string, args ...any) {
	k.faults = append(k.faults, finding.Finding{
		Level: finding.Error, Code: code, Pointer: pointer, Anchor: pointer, Message: fmt.Sprintf(format, args...),
	})
}

func (k *checker) broken(pointer, format string, args ...any) {
	k.fault(pointer, CodeInvariant, format, args...)
}

func (k *checker) same(pointer string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		k.broken(pointer, "%v (expected %v)", found, expected)
	}
}

// sameIDs compares lists of ids and names the first that differs.
func (k *checker) sameIDs(pointer string, found, expected []string) {
	for i := range min(len(found), len(expected)) {
		if found[i] != expected[i] {
			k.broken(fmt.Sprintf("%s/%d", pointer, i), "%s (expected %s)", found[i], expected[i])
			return
		}
	}
	switch {
	case len(found) > len(expected):
		k.broken(fmt.Sprintf("%s/%d", pointer, len(expected)), "%s (expected no more than %d)", enumerate(found[len(expected):]), len(expected))
	case len(found) < len(expected):
		k.broken(pointer, "%d in the list (expected %s as well)", len(found), enumerate(expected[len(found):]))
	}
}

// wellFormed checks what the board relies on: ids in their order, references
// into the roster, rounds numbered from 0.
func (k *checker) wellFormed() bool {
	k.roster(k.s.Workers, k.s.Task.TaskType)
	k.groups(k.s.Workers, k.s.Groups, true)
	if len(k.s.Rounds) == 0 {
		k.broken("/rounds", "no round (expected the seed)")
	}
	for i, r := range k.s.Rounds {
		k.numbered(i, r)
	}
	return len(k.faults) == 0
}

// numbered checks the number and the kind of a round: the seed first, a
// critic's round last if at all.
func (k *checker) numbered(i int, r Round) {
	at := fmt.Sprintf("/rounds/%d", i)
	kind := Reverify
	switch {
	case i == 0:
		kind = SeedRound
	case i == len(k.s.Rounds)-1 && r.Kind == CriticGap:
		kind = CriticGap
	}
	if r.Round != i {
		k.broken(at+"/round", "%d (expected %d)", r.Round, i)
	}
	if r.Kind != kind {
		k.broken(at+"/kind", "%q (expected %q)", r.Kind, kind)
	}
	if kind == Reverify && i > k.s.Config.MaxRounds {
		k.broken(at, "round %d is above maxRounds, which is %d", i, k.s.Config.MaxRounds)
	}
}

// replay plays all rounds again from nothing but the groups and the votes.
func (k *checker) replay() {
	b := newBoard(k.s.Config, k.s.Workers, k.s.Groups)
	queue := b.settle(b.leads(), 0)
	seed := k.s.Rounds[0]
	k.sameIDs("/rounds/0/resolved", seed.Resolved, resolvedIn(b.leads(), 0))
	k.sameIDs("/rounds/0/carried", seed.Carried, ids(queue))
	if len(seed.Asked)+len(seed.Files)+len(seed.Verdicts)+len(seed.Missing) > 0 {
		k.broken("/rounds/0", "votes in round 0, in which nobody is asked")
	}
	if k.s.disabledReason(b) != "" && (len(k.s.Rounds) > 1 || len(b.candidates()) > 0) {
		k.broken("/rounds", "rounds or candidates where there is no loop")
	}
	open := len(queue) // of the lead's groups
	critic := false
	for i := 1; i < len(k.s.Rounds) && len(k.faults) == 0; i++ {
		critic = k.s.Rounds[i].Kind == CriticGap
		k.order(i, open, critic)
		if critic {
			queue = b.candidates()
		}
		queue = k.round(i, b, queue)
		if !critic {
			open = len(queue)
		}
	}
	if len(b.candidates()) > 0 && !critic {
		k.order(len(k.s.Rounds), open, true)
		queue = b.candidates()
	}
	if len(k.faults) == 0 {
		k.derived(b, queue)
	}
}

// order reports a round at a time when it was not due.
func (k *checker) order(i, open int, critic bool) {
	ended := open == 0 || i-1 >= k.s.Config.MaxRounds
	switch {
	case critic && !ended:
		k.broken("/rounds", "a critic's candidates before the loop ended")
	case !critic && open == 0:
		k.broken(fmt.Sprintf("/rounds/%d", i), "a round after the loop ended")
	}
}

// derived compares queue, findings, status and what is next.
func (k *checker) derived(b *board, queue []*claim) {
	want := k.s
	want.Status, want.StopReason, want.Findings = Running, nil, nil
	want.advance(b, queue)
	if want.Next.Action == ActFinalize && k.s.Next.Action == ActDone {
		status, reason := want.loopOutcome()
		want.close(b, status, reason)
	}
	k.sameIDs("/queue", k.s.Queue, want.Queue)
	k.same("/next", k.s.Next, want.Next)
	k.same("/status", k.s.Status, want.Status)
	k.same("/stopReason", text(k.s.StopReason), text(want.StopReason))
	if len(k.s.Findings) != len(want.Findings) {
		k.fault("/findings", CodeRecompute, "%d findings (expected %d)", len(k.s.Findings), len(want.Findings))
		return
	}
	for i, f := range want.Findings {
		if !sameFinding(k.s.Findings[i], f) {
			k.finding(fmt.Sprintf("/findings/%d", i), k.s.Findings[i], f)
		}
	}
}

// finding names the fields in which a stored finding differs from the one that
// the votes give.
func (k *checker) finding(at string, found, expected Finding) {
	a, b := reflect.ValueOf(found), reflect.ValueOf(expected)
	for i := range a.NumField() {
		if reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		name := a.Type().Field(i).Tag.Get("json")
		k.fault(at+"/"+name, CodeRecompute, "group %s: %s is %v (expected %v, by the votes)", expected.GroupID, name, show(a.Field(i)), show(b.Field(i)))
	}
}

// show writes a value of a finding; lists as they stand in the document.
func show(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return "null"
	case v.Kind() == reflect.Pointer:
		return v.Elem().Interface()
	case v.Kind() != reflect.Slice:
		return v.Interface()
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		return err
	}
	return strings.TrimSpace(b.String())
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
