package converge

import (
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
		ResolvedInRound: c.resolved, Sources: t.Sources, Eligible: len(c.eligible),
		Agree: t.Agree, Disagree: t.Disagree, Missing: t.Missing,
		Flags: b.flags(c, t), Supplements: []Supplemented{}, Dissent: []Dissent{}, Tickets: c.Tickets,
	}
	for v := range b.given(c) {
		agreesNow := c.standing[b.place(c, v.WorkerID)].Verdict != grouping.Disagree
		switch {
		case v.Verdict.Verdict == grouping.Supplement && agreesNow:
			f.Supplements = append(f.Supplements, Supplemented{v.WorkerID, int(v.round), v.Reason, v.Evidence})
		case v.Verdict.Verdict == grouping.Disagree:
			f.Dissent = append(f.Dissent, Dissent{v.WorkerID, int(v.round), v.Reason, v.Evidence, v.DisagreeBasis, agreesNow})
		}
	}
	return f
}

// flags says what a reader of the label should know.
func (b *board) flags(c *claim, t Tally) []string {
	flags := []string{}
	if t.Sources < 2 && t.Agree+t.Disagree == 1 {
		flags = append(flags, SingleVerifier)
	}
	provider, model := b.shared(c)
	if provider {
		flags = append(flags, SameProvider)
	}
	if model {
		flags = append(flags, SameModel)
	}
	if t.Agree > 0 && !looksElsewhere(c) {
		flags = append(flags, EvidenceOverlap)
	}
	return flags
}

// shared says whether two or more confirming parties, sources and agreeing
// voters, are all of one provider and of one model. Unknown is no match.
func (b *board) shared(c *claim) (provider, model bool) {
	parties := make([]*Worker, 0, len(b.voters))
	for _, s := range c.sources {
		parties = append(parties, b.voter(s))
	}
	for i, v := range c.standing {
		if v != nil && v.Verdict != grouping.Disagree {
			parties = append(parties, b.voter(c.eligible[i]))
		}
	}
	if len(parties) < 2 {
		return false, false
	}
	provider, model = true, true
	for _, p := range parties {
		provider = provider && sameText(p.Provider, parties[0].Provider)
		model = model && sameText(p.Model, parties[0].Model)
	}
	return provider, provider && model
}

func sameText(a, b *string) bool { return a != nil && b != nil && *a != "" && *a == *b }

// looksElsewhere says whether an agreeing voter quotes a location that the
// claim does not. Lines inside a range that the claim quotes are the claim's.
func looksElsewhere(c *claim) bool {
	var quoted []grouping.Location
	for _, v := range c.standing {
		if v == nil || v.Verdict == grouping.Disagree {
			continue
		}
		places := grouping.Locations(v.Evidence)
		if len(places) > 0 && quoted == nil {
			quoted = c.locations()
		}
		for _, l := range places {
			if !slices.ContainsFunc(quoted, l.Within) {
				return true
			}
		}
	}
	return false
}

// locations are the places that a claim quotes itself.
func (g *Group) locations() []grouping.Location {
	places := grouping.Locations(g.Origin.Evidence)
	if g.CapturedEvidence != nil {
		places = append(places, grouping.Locations(*g.CapturedEvidence)...)
	}
	return places
}

// classified lists the findings of claims. known are findings of some of them
// from an earlier step, in order of groups: they stand, because nobody is asked
// about a claim again once it has a finding.
func (b *board) classified(claims []*claim, known []Finding) []Finding {
	out := make([]Finding, len(claims))
	for i, c := range claims {
		if len(known) > 0 && known[0].GroupID == c.GroupID {
			out[i], known = known[0], known[1:]
		} else {
			out[i] = b.finding(c)
		}
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
