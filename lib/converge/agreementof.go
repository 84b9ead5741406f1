package converge

import (
	"math/big"
	"slices"

	"okstra/lib/converge/agreement"
	"okstra/lib/converge/grouping"
)

// Levels at which votes are rated.
const (
	LevelNominal = "nominal" // agree or disagree; a SUPPLEMENT agrees
	LevelOrdinal = "ordinal" // DISAGREE 1 < SUPPLEMENT 2 < AGREE 3
)

// Agreement is what the votes of a state are worth: the figures of all votes
// together, and the share that confirms each group.
type Agreement struct {
	agreement.Report

	Level           string        `json:"level"`
	Status          string        `json:"status"`
	DecidedAtSeed   int           `json:"decidedAtSeed"`
	WithoutVotes    int           `json:"withoutVotes"`
	Votes           VoteCounts    `json:"votes"`
	Sections        SectionCounts `json:"sections"`
	EvidenceOverlap OverlapCount  `json:"evidenceOverlap"`
	Groups          []GroupShare  `json:"groups"`
}

// VoteCounts says how many votes stand, and how many of them are not
// independent in kind: their voter shares provider, or provider and model,
// with a source of the group or with another of its voters.
type VoteCounts struct {
	Given          int `json:"given"`
	SharedProvider int `json:"sharedProvider"`
	SharedModel    int `json:"sharedModel"`
}

// SectionCounts counts the findings of each section, and names those that
// missing votes could still move.
type SectionCounts struct {
	Consensus  SectionCount `json:"consensus"`
	Difference SectionCount `json:"difference"`
	Unsettled  []string     `json:"unsettled"`
}

// SectionCount is one section.
type SectionCount struct {
	Findings int `json:"findings"`
	Settled  int `json:"settled"`
}

// OverlapCount is how many of the groups that voters confirmed were confirmed
// without a look anywhere but at the claim's own evidence.
type OverlapCount struct {
	Groups    int              `json:"groups"`
	Confirmed int              `json:"confirmed"`
	Share     agreement.Figure `json:"share"`
}

// GroupShare is a group as the votes that stand have it. Its share is always
// of its own number of votes.
type GroupShare struct {
	GroupID         string           `json:"groupId"`
	Classification  Label            `json:"classification"`
	Section         Section          `json:"section"`
	Settled         bool             `json:"settled"`
	Sources         int              `json:"sources"`
	Agree           int              `json:"agree"`
	Votes           int              `json:"votes"`
	Missing         int              `json:"missing"`
	Share           agreement.Figure `json:"share"`
	Wilson          Interval         `json:"wilson"`
	WilsonCorrected Interval         `json:"wilsonCorrected"`
	Flags           []string         `json:"flags"`
}

// Interval is a 95 % interval of a share, or the reason why there is none.
type Interval struct {
	Low    *float64         `json:"low"`
	High   *float64         `json:"high"`
	Reason agreement.Reason `json:"reason,omitempty"`
}

func interval(b agreement.Bounds) Interval {
	if b.Reason != "" {
		return Interval{Reason: b.Reason}
	}
	return Interval{Low: &b.Low, High: &b.High}
}

// share is k of n as a figure.
func share(k, n int) agreement.Figure {
	if n == 0 {
		return agreement.Figure{Reason: agreement.NoVotes}
	}
	r := big.NewRat(int64(k), int64(n))
	v, _ := r.Float64()
	return agreement.Figure{Value: v, Exact: r}
}

// Agree measures how far the voters of a state agree. Units are the groups
// with a vote, raters the analysis workers that voted; sources of a group are
// never its raters, and a missing vote is a missing value. Of a running state
// it takes the votes so far. Rule: docs/agreement.md.
func Agree(s State, level string) Agreement {
	b, _ := s.replay()
	out := Agreement{Level: level, Status: s.Status, Groups: make([]GroupShare, 0, len(b.groups))}
	out.Sections.Unsettled = []string{}
	for _, c := range b.groups {
		out.add(b, c)
	}
	out.EvidenceOverlap.Share = share(out.EvidenceOverlap.Groups, out.EvidenceOverlap.Confirmed)
	table, err := agreement.NewTable(b.ratings(level))
	if err != nil {
		panic("converge: one vote of a worker on a group stands: " + err.Error())
	}
	out.Report = table.Report()
	return out
}

// add counts one group.
func (a *Agreement) add(b *board, c *claim) {
	t := b.tally(c)
	o := Classify(t)
	votes := t.Agree + t.Disagree
	g := GroupShare{
		GroupID: c.GroupID, Classification: o.Label(), Section: o.Section, Settled: o.Settled,
		Sources: t.Sources, Agree: t.Agree, Votes: votes, Missing: t.Missing,
		Share: share(t.Agree, votes), Wilson: interval(agreement.Wilson(t.Agree, votes)),
		WilsonCorrected: interval(agreement.WilsonCorrected(t.Agree, votes)), Flags: b.flags(c, t),
	}
	a.Groups = append(a.Groups, g)
	switch {
	case t.Sources >= 2:
		a.DecidedAtSeed++
	case votes == 0:
		a.WithoutVotes++
	}
	a.Votes.Given += votes
	provider, model := b.sharedVotes(c)
	a.Votes.SharedProvider += provider
	a.Votes.SharedModel += model
	count := &a.Sections.Difference
	if o.Section == Consensus {
		count = &a.Sections.Consensus
	}
	count.Findings++
	if o.Settled {
		count.Settled++
	} else {
		a.Sections.Unsettled = append(a.Sections.Unsettled, c.GroupID)
	}
	if t.Agree > 0 {
		a.EvidenceOverlap.Confirmed++
		if slices.Contains(g.Flags, EvidenceOverlap) {
			a.EvidenceOverlap.Groups++
		}
	}
}

// sharedVotes counts the votes on a claim whose voter has the provider, and
// those whose voter has the model too, of a source or of another voter.
// Unknown is no match.
func (b *board) sharedVotes(c *claim) (provider, model int) {
	parties := make([]*Worker, 0, len(b.voters))
	for i, v := range c.standing {
		if v != nil {
			parties = append(parties, b.voter(c.eligible[i]))
		}
	}
	voters := len(parties)
	for _, s := range c.sources {
		parties = append(parties, b.voter(s))
	}
	for i, p := range parties[:voters] {
		var provides, models bool
		for j, other := range parties {
			same := i != j && sameText(p.Provider, other.Provider)
			provides = provides || same
			models = models || same && sameText(p.Model, other.Model)
		}
		if provides {
			provider++
		}
		if models {
			model++
		}
	}
	return provider, model
}

// ratings are the votes that stand as a table.
func (b *board) ratings(level string) []agreement.Rating {
	values := map[string]agreement.Value{
		grouping.Agree: agreement.Word("agree"), grouping.Supplement: agreement.Word("agree"), grouping.Disagree: agreement.Word("disagree"),
	}
	if level == LevelOrdinal {
		values = map[string]agreement.Value{
			grouping.Disagree: agreement.Int(1), grouping.Supplement: agreement.Int(2), grouping.Agree: agreement.Int(3),
		}
	}
	given := 0
	for _, c := range b.groups {
		t := b.tally(c)
		given += t.Agree + t.Disagree
	}
	rows := make([]agreement.Rating, 0, given)
	for _, c := range b.groups {
		for _, v := range c.standing {
			if v != nil {
				rows = append(rows, agreement.Rating{Unit: c.GroupID, Rater: v.WorkerID, Value: values[v.Verdict]})
			}
		}
	}
	return rows
}
