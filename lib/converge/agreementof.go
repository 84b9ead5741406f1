package converge

import (
	"iter"
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
	GroupID        string  `json:"groupId"`
	Classification Label   `json:"classification"`
	Section        Section `json:"section"`
	Settled        bool    `json:"settled"`
	Sources        int     `json:"sources"`
	Agree          int     `json:"agree"`
	Votes          int     `json:"votes"`
	Missing        int     `json:"missing"`
	*Worth
	Flags []string `json:"flags"`
}

// Worth is what so many confirming votes of so many are worth. Groups with the
// same numbers have one in common.
type Worth struct {
	Share           agreement.Figure `json:"share"`
	Wilson          Interval         `json:"wilson"`
	WilsonCorrected Interval         `json:"wilsonCorrected"`
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

// shares keeps what it has computed: a state has many groups and few numbers of
// votes.
type shares map[[2]int]*Worth

// of is what k confirming of n votes are worth.
func (s shares) of(k, n int) *Worth {
	known, ok := s[[2]int{k, n}]
	if !ok {
		known = &Worth{share(k, n), interval(agreement.Wilson(k, n)), interval(agreement.WilsonCorrected(k, n))}
		s[[2]int{k, n}] = known
	}
	return known
}

// Agree measures how far the voters of a state agree. Units are the groups
// with a vote, raters the analysis workers that voted; sources of a group are
// never its raters, and a missing vote is a missing value. Of a running state
// it takes the votes so far. Rule: docs/agreement.md.
func Agree(s State, level string) Agreement {
	b, _ := s.replay()
	out := Agreement{Level: level, Status: s.Status, Groups: make([]GroupShare, 0, len(b.groups))}
	out.Sections.Unsettled = []string{}
	known := make(shares)
	for c, f := range b.classified(b.groups, s.Findings) {
		out.add(f, known.of(f.Agree, f.Agree+f.Disagree))
		out.Votes.add(b, c)
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
func (a *Agreement) add(f Finding, worth *Worth) {
	votes := f.Agree + f.Disagree
	a.Groups = append(a.Groups, GroupShare{
		GroupID: f.GroupID, Classification: f.Classification, Section: f.Section, Settled: f.Settled,
		Sources: f.Sources, Agree: f.Agree, Votes: votes, Missing: f.Missing,
		Worth: worth, Flags: f.Flags,
	})
	switch {
	case f.Sources >= 2:
		a.DecidedAtSeed++
	case votes == 0:
		a.WithoutVotes++
	}
	count := &a.Sections.Difference
	if f.Section == Consensus {
		count = &a.Sections.Consensus
	}
	count.Findings++
	if f.Settled {
		count.Settled++
	} else {
		a.Sections.Unsettled = append(a.Sections.Unsettled, f.GroupID)
	}
	if f.Agree > 0 {
		a.EvidenceOverlap.Confirmed++
		if slices.Contains(f.Flags, EvidenceOverlap) {
			a.EvidenceOverlap.Groups++
		}
	}
}

// add counts the votes on a claim, those whose voter has the provider, and
// those whose voter has the model too, of a source or of another voter.
// Unknown is no match.
func (n *VoteCounts) add(b *board, c *claim) {
	row := b.row(c)
	for v, cell := range row {
		if cell <= unvoted {
			continue
		}
		n.Given++
		voter := b.voter(int32(v))
		provider, model := false, false
		for w, other := range row {
			if w == v || other == barred || other == unvoted {
				continue
			}
			kin := b.voter(int32(w))
			same := sameText(voter.Provider, kin.Provider)
			provider = provider || same
			model = model || same && sameText(voter.Model, kin.Model)
		}
		if provider {
			n.SharedProvider++
		}
		if model {
			n.SharedModel++
		}
	}
}

// ratings are the votes that stand as a table.
func (b *board) ratings(level string) iter.Seq[agreement.Rating] {
	values := map[string]agreement.Value{
		grouping.Agree: agreement.Word("agree"), grouping.Supplement: agreement.Word("agree"), grouping.Disagree: agreement.Word("disagree"),
	}
	if level == LevelOrdinal {
		values = map[string]agreement.Value{
			grouping.Disagree: agreement.Int(1), grouping.Supplement: agreement.Int(2), grouping.Agree: agreement.Int(3),
		}
	}
	return func(yield func(agreement.Rating) bool) {
		for _, c := range b.groups {
			for w, v := range b.standing(c) {
				if v != nil && !yield(agreement.Rating{Unit: c.GroupID, Rater: w.WorkerID, Value: values[v.Verdict]}) {
					return
				}
			}
		}
	}
}
