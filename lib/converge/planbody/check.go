package planbody

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
)

// CodeInvariant is the code of a state that contradicts itself.
const CodeInvariant = "plan-invariant"

// Check reports where a state contradicts itself: rounds must be such as
// Seed, Apply and Fix make them, and gates and next must be what the votes
// give. Findings have pointers and no artifact.
func Check(s State) []finding.Finding {
	k := &checker{s: s}
	k.lists()
	if len(k.faults) > 0 {
		return k.faults
	}
	items, votes := k.firstItems(), standing{}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		k.round(i, r, items, votes)
		votes.count(r)
		k.same(fmt.Sprintf("/rounds/%d/gate", i), show(r.Gate), string(gateOf(s.tally(items, votes))))
		votes.drop(r.SelfFix, s.Voters)
		items = k.fix(i, r, items)
	}
	want := s
	want.advance()
	k.same("/gate", show(s.Gate), show(want.Gate))
	k.same("/next", s.Next.String(), want.Next.String())
	k.digests()
	finding.Sort(k.faults)
	return k.faults
}

type checker struct {
	s      State
	faults []finding.Finding
}

func (k *checker) fault(pointer, format string, args ...any) {
	k.faults = append(k.faults, finding.Finding{Level: finding.Error, Code: CodeInvariant, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (k *checker) same(pointer, found, expected string) {
	if found != expected {
		k.fault(pointer, "%s (expected %s)", found, expected)
	}
}

func show(g *Gate) string {
	if g == nil {
		return "null"
	}
	return string(*g)
}

// lists checks what the rest relies on: ids in their order, voters each once,
// rounds numbered from 1 and not too many.
func (k *checker) lists() {
	if !k.s.Config.Enabled {
		k.fault("/config/enabled", "false (expected true: a verification that is disabled has no state)")
	}
	parts := slices.ContainsFunc(k.s.Items, func(x Item) bool { return len(x.Part) > 0 })
	for i, item := range k.s.Items {
		k.same(fmt.Sprintf("/items/%d/itemId", i), item.ItemID, grouping.ID("P", i+1))
		k.part(i, item, parts)
	}
	refs := map[string]bool{}
	for i, v := range k.s.Voters {
		at := fmt.Sprintf("/voters/%d", i)
		if i > 0 && k.s.Voters[i-1].WorkerID >= v.WorkerID {
			k.fault(at+"/workerId", "%q stands behind %q (expected each voter once, in order)", v.WorkerID, k.s.Voters[i-1].WorkerID)
		}
		if refs[v.SourceRoleExecutionRef] {
			k.fault(at+"/sourceRoleExecutionRef", "role execution %q votes twice", v.SourceRoleExecutionRef)
		}
		refs[v.SourceRoleExecutionRef] = true
	}
	if len(k.s.Voters) == 0 || len(k.s.Items) == 0 {
		k.fault("", "%d voters and %d items (expected some of both)", len(k.s.Voters), len(k.s.Items))
	}
	for i, r := range k.s.Rounds {
		k.same(fmt.Sprintf("/rounds/%d/round", i), strconv.Itoa(r.Round), strconv.Itoa(i+1))
		k.fixForm(fmt.Sprintf("/rounds/%d/selfFix", i), r.SelfFix)
	}
	if n := k.s.Config.MaxRounds; len(k.s.Rounds) > n {
		k.fault("/rounds", "%d rounds (expected at most %d, as maxRounds says)", len(k.s.Rounds), n)
	}
}

// part checks that an item's digest is that of what voters are shown of it. A
// state holds all parts or none; due says that it holds them.
func (k *checker) part(i int, item Item, due bool) {
	at := fmt.Sprintf("/items/%d", i)
	if !due {
		return
	}
	if len(item.Part) == 0 {
		k.fault(at, "%s has no part of the plan, and others have one", item.ItemID)
		return
	}
	sum, err := digest.JSON(item.Part)
	if err != nil {
		k.fault(at+"/part", "%v", err)
		return
	}
	k.same(at+"/digest", item.Digest, sum)
}

// fixForm checks a fix by itself.
func (k *checker) fixForm(at string, f *SelfFix) {
	if f == nil {
		return
	}
	if len(f.Items) == 0 || !slices.IsSortedFunc(f.Items, byNumber) {
		k.fault(at+"/items", "%v (expected the ids of what changed, in order)", f.Items)
	}
	for _, part := range []struct {
		key  string
		list []string
	}{{"added", f.Added}, {"removed", f.Removed}} {
		if len(part.list) > len(f.Items) || !slices.Equal(part.list, f.Items[max(0, len(f.Items)-len(part.list)):]) {
			k.fault(at+"/"+part.key, "%v (expected the last ones of items)", part.list)
		}
	}
	if len(f.Added) > 0 && len(f.Removed) > 0 {
		k.fault(at+"/removed", "%v beside added ones (expected one of both)", f.Removed)
	}
}

func byNumber(a, b string) int { return grouping.Number(a) - grouping.Number(b) }

// firstItems are the items of the first round, as far as they are known: the
// present ones without what fixes added, with what fixes removed.
func (k *checker) firstItems() []Item {
	n := len(k.s.Items)
	for _, r := range k.s.Rounds {
		if r.SelfFix != nil {
			n += len(r.SelfFix.Removed) - len(r.SelfFix.Added)
		}
	}
	return numbered(n)
}

func numbered(n int) []Item {
	items := make([]Item, max(n, 0))
	for i := range items {
		items[i].ItemID = grouping.ID("P", i+1)
	}
	return items
}

// fix checks that a fix could have been made after a round, and gives the
// items after it.
func (k *checker) fix(i int, r *Round, items []Item) []Item {
	f := r.SelfFix
	if f == nil {
		return items
	}
	at := fmt.Sprintf("/rounds/%d/selfFix", i)
	if r.Gate != nil && r.Gate.Open() || r.Round >= k.s.Config.MaxRounds {
		k.fault(at, "a fix after the verification was over")
	}
	after := numbered(len(items) + len(f.Added) - len(f.Removed))
	for _, id := range f.Items {
		if n := grouping.Number(id); n < 1 || n > max(len(items), len(after)) {
			k.fault(at+"/items", "there is no item %s", id)
		}
	}
	return after
}

// round checks that what was asked is what was open, and that each question
// has one answer, a vote or a missing one.
func (k *checker) round(i int, r *Round, items []Item, votes standing) {
	at := fmt.Sprintf("/rounds/%d", i)
	asked := k.s.asked(items, votes)
	if len(asked) == 0 {
		k.fault(at, "a round that asks nobody")
	}
	if !maps.EqualFunc(r.Asked, asked, slices.Equal[[]string]) {
		k.fault(at+"/asked", "%v (expected %v)", r.Asked, asked)
	}
	sheet := &sheet{k: k, at: at, round: r, open: map[seat]bool{}, filed: map[string]bool{}}
	for worker, ids := range asked {
		for _, id := range ids {
			sheet.open[seat{id, worker}] = true
		}
	}
	sheet.files(asked)
	sheet.verdicts()
	sheet.missing()
	if n := len(sheet.open); n > 0 {
		k.fault(at, "%d questions have neither a vote nor a missing one", n)
	}
}

// sheet is the questions of a round, struck out as they are answered.
type sheet struct {
	k     *checker
	at    string
	round *Round
	open  map[seat]bool
	filed map[string]bool // workers that gave a file
}

// files checks the recorded files: one of each worker, of workers that were
// asked, in order.
func (s *sheet) files(asked map[string][]string) {
	for j, f := range s.round.Files {
		pointer := fmt.Sprintf("%s/files/%d/workerId", s.at, j)
		if s.filed[f.WorkerID] || asked[f.WorkerID] == nil {
			s.k.fault(pointer, "worker %q gives a second file, or was asked nothing", f.WorkerID)
		}
		if j > 0 && s.round.Files[j-1].WorkerID > f.WorkerID {
			s.k.fault(pointer, "worker %q is out of order", f.WorkerID)
		}
		s.filed[f.WorkerID] = true
	}
}

// strike takes a question off the sheet. Answers stand in order of items, then
// of workers: last is the one before.
func (s *sheet) strike(pointer, item, worker string, last *seat) {
	here := seat{item, worker}
	if !s.open[here] {
		s.k.fault(pointer, "worker %q was not asked about %s in round %d, or answers twice", worker, item, s.round.Round)
	}
	delete(s.open, here)
	if cmp.Or(byNumber(item, last.item), cmp.Compare(worker, last.worker)) < 0 {
		s.k.fault(pointer, "the answer of worker %q on %s stands out of order (expected items, then workers)", worker, item)
	}
	*last = here
}

func (s *sheet) verdicts() {
	var last seat
	for j, v := range s.round.Verdicts {
		pointer := fmt.Sprintf("%s/verdicts/%d", s.at, j)
		s.strike(pointer, v.ItemID, v.WorkerID, &last)
		vote := grouping.Vote{Verdict: v.Verdict, Evidence: v.Evidence, Reason: v.Reason}
		if v.Letter != nil {
			vote.Letter = *v.Letter
		}
		switch code := (grouping.Form{PlanBody: true}).Code(vote); {
		case code == grouping.CodeVerdictLetter:
			s.k.fault(pointer+"/letter", "a %s needs a letter and nothing else may have one", grouping.Disagree)
		case code != "":
			s.k.fault(pointer, "the vote of %q on %s does not count: %s", v.WorkerID, v.ItemID, code)
		}
		if !s.filed[v.WorkerID] {
			s.k.fault(pointer+"/workerId", "worker %q votes and gave no file", v.WorkerID)
		}
	}
}

func (s *sheet) missing() {
	var last seat
	for j, m := range s.round.Missing {
		pointer := fmt.Sprintf("%s/missing/%d", s.at, j)
		s.strike(pointer, m.ItemID, m.WorkerID, &last)
		if !converge.IsMissingCode(m.Code, s.filed[m.WorkerID]) {
			s.k.fault(pointer+"/code", "%q is no reason for this missing vote of worker %q (a file of it: %v)", m.Code, m.WorkerID, s.filed[m.WorkerID])
		}
	}
}

// digests checks that the votes on one text name one digest, and those that
// count the item's.
func (k *checker) digests() {
	present := map[string]string{}
	for _, item := range k.s.Items {
		present[item.ItemID] = item.Digest
	}
	for i := len(k.s.Rounds) - 1; i >= 0; i-- {
		r := &k.s.Rounds[i]
		if r.SelfFix != nil {
			for _, id := range r.SelfFix.Items {
				delete(present, id) // of the text before, the votes tell
			}
		}
		for j, v := range r.Verdicts {
			due, known := present[v.ItemID]
			if known && v.Digest != due {
				k.fault(fmt.Sprintf("/rounds/%d/verdicts/%d/digest", i, j), "%s (expected %s, as for the other votes on this text of %s)", v.Digest, due, v.ItemID)
			}
			if !known {
				present[v.ItemID] = v.Digest
			}
		}
	}
}
