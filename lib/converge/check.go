package converge

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"okstra/lib/finding"
)

// Codes of a state that contradicts itself.
const (
	CodeInvariant = "conv-invariant"
	CodeRecompute = "conv-recompute"
)

// Check reports where a state contradicts itself: its rounds must be such as
// Seed, Apply and Finalize make them, and everything derived from the votes
// must be what the votes give. Findings have pointers and no artifact.
// Rule: docs/converge.md, "What a state must hold".
func Check(s State) []finding.Finding {
	k := &checker{s: s}
	if !k.wellFormed() {
		return k.faults
	}
	b := newBoard(s.Config, s.Workers, s.Groups)
	queue := b.settle(b.groups, 0)
	k.same("/rounds/0/resolved", s.Rounds[0].Resolved, resolvedIn(b.groups, 0))
	k.same("/rounds/0/carried", s.Rounds[0].Carried, ids(queue))
	for i := 1; i < len(s.Rounds); i++ {
		queue = k.round(i, b, queue)
	}
	k.derived(b, queue)
	finding.Sort(k.faults)
	return k.faults
}

type checker struct {
	s      State
	faults []finding.Finding
}

func (k *checker) fault(pointer, code, format string, args ...any) {
	k.faults = append(k.faults, finding.Finding{Level: finding.Error, Code: code, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (k *checker) same(pointer string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		k.fault(pointer, CodeInvariant, "%v (expected %v)", found, expected)
	}
}

// wellFormed checks what the board relies on: ids in their order, references
// into the roster, rounds numbered from 0.
func (k *checker) wellFormed() bool {
	found, candidates := 0, 0
	for i, g := range k.s.Groups {
		letter, n := "G", &found
		if isCandidate(g.GroupID) {
			letter, n = "X", &candidates
		}
		*n++
		if want := fmt.Sprintf("%s-%03d", letter, *n); g.GroupID != want || letter == "G" && candidates > 0 {
			k.fault(fmt.Sprintf("/groups/%d/groupId", i), CodeInvariant, "%q (expected %q)", g.GroupID, want)
		}
	}
	refs := map[string]bool{}
	names := map[string]bool{}
	for i, w := range k.s.Workers {
		if names[w.WorkerID] || refs[w.SourceRoleExecutionRef] {
			k.fault(fmt.Sprintf("/workers/%d", i), CodeInvariant, "worker %q or its role execution %q stands twice", w.WorkerID, w.SourceRoleExecutionRef)
		}
		names[w.WorkerID], refs[w.SourceRoleExecutionRef] = true, true
	}
	if len(k.s.Rounds) == 0 {
		k.fault("/rounds", CodeInvariant, "no round (expected the seed)")
	}
	for i, r := range k.s.Rounds {
		k.numbered(i, r)
	}
	return len(k.faults) == 0
}

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
		k.fault(at+"/round", CodeInvariant, "%d (expected %d)", r.Round, i)
	}
	if r.Kind != kind {
		k.fault(at+"/kind", CodeInvariant, "%q (expected %q)", r.Kind, kind)
	}
	if kind == Reverify && i > k.s.Config.MaxRounds {
		k.fault(at, CodeInvariant, "round %d is above maxRounds, which is %d", i, k.s.Config.MaxRounds)
	}
}

// round checks that each question of a round has one answer, a vote or a
// missing one, and that nobody else voted.
func (k *checker) round(i int, b *board, queue []*claim) []*claim {
	r := &k.s.Rounds[i]
	at := fmt.Sprintf("/rounds/%d", i)
	asked := b.asked(queue)
	if !maps.EqualFunc(r.Asked, asked, slices.Equal[[]string]) {
		k.fault(at+"/asked", CodeInvariant, "%v (expected %v)", r.Asked, asked)
	}
	open := map[[2]string]bool{}
	for worker, groups := range asked {
		for _, id := range groups {
			open[[2]string{id, worker}] = true
		}
	}
	answer := func(pointer, group, worker string) {
		key := [2]string{group, worker}
		if !open[key] {
			k.fault(pointer, CodeInvariant, "worker %q was not asked about %s in round %d, or answers twice", worker, group, i)
		}
		delete(open, key)
	}
	for j, v := range r.Verdicts {
		answer(fmt.Sprintf("%s/verdicts/%d", at, j), v.GroupID, v.WorkerID)
	}
	for j, m := range r.Missing {
		answer(fmt.Sprintf("%s/missing/%d", at, j), m.GroupID, m.WorkerID)
	}
	if len(open) > 0 {
		k.fault(at, CodeInvariant, "%d questions of round %d have neither a vote nor a missing one", len(open), i)
	}
	if len(k.faults) > 0 {
		return queue
	}
	queue = b.play(r, queue)
	k.same(at+"/resolved", r.Resolved, resolvedIn(b.groups, i))
	k.same(at+"/carried", r.Carried, ids(queue))
	return queue
}

// derived compares queue, findings, status and what is next.
func (k *checker) derived(b *board, queue []*claim) {
	if len(k.faults) > 0 {
		return
	}
	want := k.s
	want.Status, want.StopReason = Running, nil
	want.advance(b, queue)
	if want.Next.Action == ActFinalize && k.s.Next.Action == ActDone {
		if closed, err := Finalize(want); err == nil {
			want = closed
		}
	}
	k.same("/queue", k.s.Queue, want.Queue)
	k.same("/next", k.s.Next, want.Next)
	k.same("/status", k.s.Status, want.Status)
	k.same("/stopReason", text(k.s.StopReason), text(want.StopReason))
	if len(k.s.Findings) != len(want.Findings) {
		k.fault("/findings", CodeRecompute, "%d findings (expected %d)", len(k.s.Findings), len(want.Findings))
		return
	}
	for i, f := range want.Findings {
		k.finding(fmt.Sprintf("/findings/%d", i), k.s.Findings[i], f)
	}
}

// finding names the first fields in which a stored finding differs from the
// one that the votes give.
func (k *checker) finding(at string, found, expected Finding) {
	a, b := reflect.ValueOf(found), reflect.ValueOf(expected)
	for i := range a.NumField() {
		if reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			continue
		}
		name := jsonName(a.Type().Field(i))
		k.fault(at+"/"+name, CodeRecompute, "group %s: %s is %v (expected %v, by the votes)", expected.GroupID, name, show(a.Field(i)), show(b.Field(i)))
	}
}

func jsonName(f reflect.StructField) string { return f.Tag.Get("json") }

func show(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem().Interface()
	}
	return v.Interface()
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
