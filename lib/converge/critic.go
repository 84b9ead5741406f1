package converge

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
)

// Codes of a critic's step.
const (
	CodeCriticDisabled = "critic-disabled" // the configuration wants no critic
	CodeCriticWorker   = "critic-worker"   // the critic is no analysis worker of the roster
)

// Gaps adds a critic's candidates to a final state as groups, …
// and opens one round about them, which maxRounds does not count. Each has one
// source, the critic's own role execution, which may not vote on it. Without a
// candidate the state stays as it is. Rule: docs/converge.md, "Critics".
func Gaps(s State, name string, c grouping.Critic) (State, error) {
	b, _ := s.replay()
	switch {
	case !s.Final():
		return s, wrongOrder("the state is not final, it waits for %s", s.waitsFor())
	case s.Status == Disabled:
		return s, wrongOrder("there is no loop (%s): nobody could verify a critic's candidates", text(s.StopReason))
	case len(b.candidates()) > 0:
		return s, wrongOrder("a critic's candidates were added already; each gets one verification")
	case !s.Config.Critic.Enabled:
		return s, &TransitionError{CodeCriticDisabled, "the configuration enables no critic"}
	}
	if _, voter := b.seats[c.Worker]; !voter {
		return s, &RefusedFiles{[]finding.Finding{{
			Level: finding.Error, Code: CodeCriticWorker, Artifact: name, Line: c.WorkerLine,
			Message: fmt.Sprintf("critic %q is no analysis worker of the roster", c.Worker),
		}}}
	}
	if len(c.Candidates) == 0 {
		return s, nil
	}
	s.Groups = slices.Clone(s.Groups)
	for _, candidate := range c.Candidates {
		s.Groups = append(s.Groups, candidateGroup(candidate))
	}
	s.Status, s.StopReason = Running, nil
	b, queue := s.replay()
	s.advance(b, queue)
	return s, nil
}

// candidateGroup is a candidate as a group. What the critic says about it goes
// to the verifiers as captured evidence.
func candidateGroup(c grouping.Item) Group {
	g := Group{
		GroupID: c.ItemID, Claim: strings.Join(strings.Fields(c.Title), " "), Tickets: sortedTexts(c.Tickets),
		Origin: Origin{c.WorkerID, strings.Join(c.Evidence, "; ")}, DiscoveredBy: []string{c.WorkerID}, SourceItems: []grouping.ItemRef{},
	}
	if c.Text != "" {
		g.CapturedEvidence = &c.Text
	}
	return g
}

// Acceptance is what a critic's candidates mean for the acceptance of a
// change.
type Acceptance struct {
	AcceptanceBlockers []Blocker `json:"acceptanceBlockers"`
	ResidualRisks      []Risk    `json:"residualRisks"`
}

// Blocker is a candidate that was confirmed: the change cannot be accepted as
// it is.
type Blocker struct {
	ID           string   `json:"id"`
	Statement    string   `json:"statement"`
	EvidenceRefs []string `json:"evidenceRefs"`
	Origin       string   `json:"origin"`
}

// Risk is a candidate that was not.
type Risk struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Origin    string `json:"origin"`
}

const originCritic = "critic"

// Accept parts the candidates of a final state: a label of consensus makes a
// blocker, every other one a residual risk. None is dropped. Evidence is named
// as Summarise names it. Rule: docs/converge.md, "Critics".
func Accept(s State) (Acceptance, error) {
	sum, err := Summarise(s)
	if err != nil {
		return Acceptance{}, err
	}
	rows := map[string]CrossRow{}
	for _, row := range slices.Concat(sum.Consensus, sum.Differences) {
		rows[row.GroupID] = row
	}
	out := Acceptance{AcceptanceBlockers: []Blocker{}, ResidualRisks: []Risk{}}
	for _, f := range s.Findings {
		row := rows[f.GroupID]
		switch {
		case !isCandidate(f.GroupID):
		case f.Classification == PartialConsensus || f.Classification == FullConsensus:
			out.AcceptanceBlockers = append(out.AcceptanceBlockers, Blocker{grouping.ID("K", len(out.AcceptanceBlockers)+1), row.Claim, row.EvidenceRefs, originCritic})
		default:
			out.ResidualRisks = append(out.ResidualRisks, Risk{grouping.ID("W", len(out.ResidualRisks)+1), row.Claim, originCritic})
		}
	}
	return out, nil
}
