package converge

import (
	"iter"
	"slices"

	"okstra/lib/converge/grouping"
)

// Flags of a finding. They never change a label.
const (
	SingleVerifier  = "single-verifier"  // the label rests on one vote
	SameProvider    = "same-provider"    // all confirming parties are of one provider
	SameModel       = "same-model"       // and of one model
	EvidenceOverlap = "evidence-overlap" // no confirming voter looked anywhere else
)

// finding classifies a claim by the votes that stand.
func (b *board) finding(c *claim) Finding {
	t := b.tally(c)
	o := Classify(t)
	f := Finding{
		GroupID: c.GroupID, Classification: o.Label(), Reason: o.Rule.Reason, Section: o.Section, Settled: o.Settled,
		Sources: t.Sources, Eligible: int(c.eligible), Agree: t.Agree, Disagree: t.Disagree, Missing: t.Missing,
		Flags: b.flags(c, t), Tickets: c.Tickets,
	}
	if c.resolved != open {
		f.ResolvedInRound = new(int(c.resolved))
	}
	b.remarks(c, &f)
	return f
}

// remarks fills in what voters added to a claim and what they said against it.
// Both lists are counted first: most findings have neither.
func (b *board) remarks(c *claim, f *Finding) {
	supplements, dissent := 0, 0
	for _, v := range b.given(c) {
		switch v.Verdict {
		case grouping.Supplement:
			supplements++
		case grouping.Disagree:
			dissent++
		}
	}
	f.Supplements, f.Dissent = make([]Supplemented, 0, supplements), make([]Dissent, 0, dissent)
	if supplements+dissent == 0 {
		return
	}
	for round, v := range b.given(c) {
		_, latest := b.vote(b.row(c)[b.seats[v.WorkerID]])
		agreesNow := latest.Verdict != grouping.Disagree
		switch {
		case v.Verdict == grouping.Supplement && agreesNow:
			f.Supplements = append(f.Supplements, Supplemented{v.WorkerID, round, v.Reason, v.Evidence})
		case v.Verdict == grouping.Disagree:
			f.Dissent = append(f.Dissent, Dissent{v.WorkerID, round, v.Reason, v.Evidence, v.DisagreeBasis, agreesNow})
		}
	}
}

// flags says what a reader of the label should know.
func (b *board) flags(c *claim, t Tally) []string {
	provider, model := b.shared(c)
	held := [...]struct {
		flag  string
		holds bool
	}{
		{SingleVerifier, t.Sources < 2 && t.Agree+t.Disagree == 1},
		{SameProvider, provider},
		{SameModel, model},
		{EvidenceOverlap, t.Agree > 0 && !b.looksElsewhere(c)},
	}
	n := 0
	for _, h := range held {
		if h.holds {
			n++
		}
	}
	flags := make([]string, 0, n)
	for _, h := range held {
		if h.holds {
			flags = append(flags, h.flag)
		}
	}
	return flags
}

// shared says whether two or more confirming parties, sources and agreeing
// voters, are all of one provider and of one model. Unknown is no match.
func (b *board) shared(c *claim) (provider, model bool) {
	var first *Worker
	parties := 0
	provider, model = true, true
	for v, cell := range b.row(c) {
		if cell != source && !b.agrees(cell) {
			continue
		}
		w := b.voter(int32(v))
		if parties++; parties == 1 {
			first = w
		}
		provider = provider && sameText(w.Provider, first.Provider)
		model = model && sameText(w.Model, first.Model)
	}
	if parties < 2 {
		return false, false
	}
	return provider, provider && model
}

// agrees says whether a cell of the board holds a vote for the claim.
func (b *board) agrees(cell int32) bool {
	if cell <= unvoted {
		return false
	}
	_, v := b.vote(cell)
	return v.Verdict != grouping.Disagree
}

func sameText(a, b *string) bool { return a != nil && b != nil && *a != "" && *a == *b }

// looksElsewhere says whether an agreeing voter quotes a location that the
// claim does not. Lines inside a range that the claim quotes are the claim's.
func (b *board) looksElsewhere(c *claim) bool {
	var room [4]grouping.Location
	var quoted []grouping.Location
	for _, v := range b.standing(c) {
		if v == nil || v.Verdict == grouping.Disagree || v.Evidence == c.Origin.Evidence {
			continue
		}
		for l := range grouping.Locations(v.Evidence) {
			if quoted == nil {
				quoted = slices.AppendSeq(room[:0], c.locations())
			}
			if !slices.ContainsFunc(quoted, l.Within) {
				return true
			}
		}
	}
	return false
}

// locations are the places that a claim quotes itself.
func (g *Group) locations() iter.Seq[grouping.Location] {
	return func(yield func(grouping.Location) bool) {
		for l := range grouping.Locations(g.Origin.Evidence) {
			if !yield(l) {
				return
			}
		}
		if g.CapturedEvidence == nil {
			return
		}
		for l := range grouping.Locations(*g.CapturedEvidence) {
			if !yield(l) {
				return
			}
		}
	}
}

// classified gives the findings of claims. known are findings of some of them
// from an earlier step, in order of groups: they stand, because nobody is asked
// about a claim again once it has a finding.
func (b *board) classified(claims []*claim, known []Finding) iter.Seq2[*claim, Finding] {
	return func(yield func(*claim, Finding) bool) {
		known := known
		for _, c := range claims {
			var f Finding
			if len(known) > 0 && known[0].GroupID == c.GroupID {
				f, known = known[0], known[1:]
			} else {
				f = b.finding(c)
			}
			if !yield(c, f) {
				return
			}
		}
	}
}

// findings lists what classified gives.
func (b *board) findings(claims []*claim, known []Finding) []Finding {
	out := make([]Finding, 0, len(claims))
	for _, f := range b.classified(claims, known) {
		out = append(out, f)
	}
	return out
}

// sameFinding compares without reflection, because every finding is compared
// on every read.
func sameFinding(a, b Finding) bool {
	return a.GroupID == b.GroupID && a.Classification == b.Classification && a.Reason == b.Reason &&
		a.Section == b.Section && a.Settled == b.Settled && samePointer(a.ResolvedInRound, b.ResolvedInRound) &&
		a.Sources == b.Sources && a.Eligible == b.Eligible &&
		a.Agree == b.Agree && a.Disagree == b.Disagree && a.Missing == b.Missing &&
		slices.Equal(a.Flags, b.Flags) && slices.Equal(a.Supplements, b.Supplements) &&
		slices.EqualFunc(a.Dissent, b.Dissent, sameDissent) && slices.Equal(a.Tickets, b.Tickets)
}

func sameDissent(a, b Dissent) bool {
	return a.WorkerID == b.WorkerID && a.Round == b.Round && a.Text == b.Text && a.Evidence == b.Evidence &&
		a.Withdrawn == b.Withdrawn && samePointer(a.Basis, b.Basis)
}

func samePointer[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
