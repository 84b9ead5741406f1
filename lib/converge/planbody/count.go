package planbody

import (
	"maps"
	"slices"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
)

// Apply counts the verdict files of a round, as converge.Apply does for
// findings: a voter that was asked and gives no file refuses the call unless
// allowMissing says that it is known; a bad block costs its voter that vote
// alone, and lost tells of it; the files of the last round again change
// nothing.
func Apply(s State, round int, answers []converge.Answer, allowMissing bool) (next State, lost []finding.Finding, err error) {
	ballots := converge.ReadBallots(answers, grouping.Form{PlanBody: true})
	if n := len(s.Rounds); n > 0 && round == n && converge.SameFiles(ballots, s.Rounds[n-1].Files) {
		return s, nil, nil
	}
	if round <= len(s.Rounds) {
		return s, nil, refused(converge.CodeApplied, "round %d is counted already, with other files", round)
	}
	if err := s.due(round); err != nil {
		return s, nil, err
	}
	c := &count{s: s, round: round, poll: converge.NewPoll(round), asked: s.asked(s.Items, s.votes()), files: map[string]*converge.Ballot{}, votes: map[seat]*grouping.Vote{}}
	if err := c.poll.Read(ballots, c.mustAnswer(allowMissing), c.file); err != nil {
		return s, nil, err
	}
	s.Rounds = append(slices.Clone(s.Rounds), c.result())
	s.advance()
	s.Rounds[len(s.Rounds)-1].Gate = s.Gate
	return s, c.lost, nil
}

// count is the counting of one round.
type count struct {
	s     State
	round int
	poll  *converge.Poll
	asked map[string][]string
	files map[string]*converge.Ballot // by worker
	votes map[seat]*grouping.Vote
	lost  []finding.Finding
}

// mustAnswer are the voters that were asked, unless it is known that some gave
// no file.
func (c *count) mustAnswer(allowMissing bool) []string {
	if allowMissing {
		return nil
	}
	return slices.Sorted(maps.Keys(c.asked))
}

// file takes the votes of one file, or refuses it when its worker is not to be
// heard.
func (c *count) file(f *converge.Ballot) {
	voter := slices.ContainsFunc(c.s.Voters, func(v Voter) bool { return v.WorkerID == f.Worker })
	switch {
	case !voter:
		c.poll.Refuse(f.Name, 0, converge.CodeNonvoter, "worker %q is no voter on this plan", f.Worker)
		return
	case !c.poll.Hear(f):
		return
	case c.asked[f.Worker] == nil && len(f.Votes) == 0:
		c.poll.Refuse(f.Name, 0, converge.CodeNotAsked, "worker %q was asked nothing in round %d", f.Worker, c.round)
		return
	}
	c.files[f.Worker] = f
	for i := range f.Votes {
		v := &f.Votes[i]
		n := grouping.Number(v.ID)
		switch {
		case n < 1 || n > len(c.s.Items) || c.s.Items[n-1].ItemID != v.ID:
			c.poll.Refuse(f.Name, v.Line, converge.CodeGroupUnknown, "there is no item %q in the plan", v.ID)
		case !slices.Contains(c.asked[f.Worker], v.ID):
			c.poll.Refuse(f.Name, v.Line, converge.CodeNotAsked, "worker %q was not asked about item %s in round %d", f.Worker, v.ID, c.round)
		default:
			c.votes[seat{v.ID, f.Worker}] = v
		}
	}
}

// result is the round as it is stored, in order of items and workers.
func (c *count) result() Round {
	r := Round{Round: c.round, Asked: c.asked, Files: []converge.FileRecord{}, Verdicts: []Verdict{}, Missing: []Missing{}}
	for _, v := range c.s.Voters {
		if f, ok := c.files[v.WorkerID]; ok {
			r.Files = append(r.Files, converge.FileRecord{WorkerID: f.Worker, SHA256: f.Digest})
		}
	}
	silent := map[string][]string{} // items that a voter says nothing about
	for _, item := range c.s.Items {
		for _, v := range c.s.Voters {
			if !slices.Contains(c.asked[v.WorkerID], item.ItemID) {
				continue
			}
			vote := c.votes[seat{item.ItemID, v.WorkerID}]
			switch {
			case vote == nil:
				silent[v.WorkerID] = append(silent[v.WorkerID], item.ItemID)
				r.Missing = append(r.Missing, Missing{item.ItemID, v.WorkerID, converge.Silence(c.files[v.WorkerID])})
			case len(vote.Faults) > 0:
				c.lost = append(c.lost, converge.Lost(vote)...)
				r.Missing = append(r.Missing, Missing{item.ItemID, v.WorkerID, vote.Faults[0].Code})
			default:
				r.Verdicts = append(r.Verdicts, verdictOf(vote, item, v))
			}
		}
	}
	for _, v := range c.s.Voters {
		if items := silent[v.WorkerID]; len(items) > 0 {
			c.lost = append(c.lost, c.poll.Silent(v.WorkerID, c.files[v.WorkerID], items))
		}
	}
	finding.Sort(c.lost)
	return r
}

func verdictOf(v *grouping.Vote, item Item, voter Voter) Verdict {
	out := Verdict{ItemID: item.ItemID, WorkerID: voter.WorkerID, Digest: item.Digest, Verdict: v.Verdict, Evidence: v.Evidence, Reason: v.Reason}
	if v.Letter != "" {
		out.Letter = &v.Letter
	}
	return out
}
