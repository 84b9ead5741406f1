package planbody

import (
	"errors"
	"fmt"
	"slices"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
)

// Apply counts the verdict files of a round, as converge.Apply does for
// findings: a voter that was asked and gives no file refuses the call unless
// allowMissing says that it is known; a bad block costs its voter that vote
// alone, and lost tells of it; the files of the last round again change
// nothing.
func Apply(s State, round int, answers []converge.Answer, allowMissing bool) (next State, lost []finding.Finding, err error) {
	if s.repeats(round, answers) {
		return s, nil, nil
	}
	if round <= len(s.Rounds) {
		return s, nil, refused(converge.CodeApplied, "round %d is counted already, with other files", round)
	}
	if err := s.due(round); err != nil {
		return s, nil, err
	}
	c := &count{s: s, round: round, asked: s.asked(s.Items, s.votes()), files: map[string]converge.FileRecord{}, votes: map[seat]grouping.Vote{}}
	if err := c.read(answers, allowMissing); err != nil {
		return s, nil, err
	}
	s.Rounds = append(slices.Clone(s.Rounds), c.result())
	s.advance()
	s.Rounds[len(s.Rounds)-1].Gate = s.Gate
	return s, c.lost, nil
}

// repeats says whether the answers are those of the last round, by digest.
func (s State) repeats(round int, answers []converge.Answer) bool {
	if len(s.Rounds) == 0 || round != len(s.Rounds) || len(answers) != len(s.Rounds[round-1].Files) {
		return false
	}
	var given, recorded []string
	for i, f := range s.Rounds[round-1].Files {
		given, recorded = append(given, digest.Bytes(answers[i].Content)), append(recorded, f.SHA256)
	}
	slices.Sort(given)
	slices.Sort(recorded)
	return slices.Equal(given, recorded)
}

// count is the counting of one round.
type count struct {
	s       State
	round   int
	asked   map[string][]string
	files   map[string]converge.FileRecord // by worker
	votes   map[seat]grouping.Vote
	heard   []string // workers whose file is there, a refused one too
	lost    []finding.Finding
	refused []finding.Finding
}

func (c *count) refuse(name string, line int, code, format string, args ...any) {
	c.refused = append(c.refused, finding.Finding{Level: finding.Error, Code: code, Artifact: name, Line: line, Message: fmt.Sprintf(format, args...)})
}

// read takes the votes of all files; the error tells of all that is wrong.
func (c *count) read(answers []converge.Answer, allowMissing bool) error {
	var misplaced []error
	for _, a := range answers {
		f, faults := grouping.ParseVerdicts(a.Name, a.Content, grouping.Form{PlanBody: true})
		c.refused = append(c.refused, faults...)
		switch {
		case f.Round != 0 && f.Round < c.round:
			misplaced = append(misplaced, refused(converge.CodeApplied, "%s: it answers round %d, which is counted already (expected round %d)", a.Name, f.Round, c.round))
		case f.Round > c.round:
			misplaced = append(misplaced, refused(converge.CodeMismatch, "%s: it answers round %d (expected %d)", a.Name, f.Round, c.round))
		case len(faults) > 0:
			c.heard = append(c.heard, f.Worker) // its absence is not the fault
		default:
			c.file(f, digest.Bytes(a.Content))
		}
	}
	if len(misplaced) == 0 && !allowMissing {
		for _, v := range c.s.Voters {
			if c.asked[v.WorkerID] != nil && !slices.Contains(c.heard, v.WorkerID) {
				c.refuse(fmt.Sprintf("round %d", c.round), 0, converge.CodeFileMissing, "worker %q was asked and gave no verdict file", v.WorkerID)
			}
		}
	}
	if len(c.refused) > 0 {
		finding.Sort(c.refused)
		misplaced = append(misplaced, &converge.RefusedFiles{Faults: c.refused})
	}
	return errors.Join(misplaced...)
}

// file takes the votes of one file, or refuses it when its worker is not to be
// heard.
func (c *count) file(f grouping.VerdictFile, sum string) {
	voter := slices.ContainsFunc(c.s.Voters, func(v Voter) bool { return v.WorkerID == f.Worker })
	switch {
	case !voter:
		c.refuse(f.Name, 0, converge.CodeNonvoter, "worker %q is no voter on this plan", f.Worker)
		return
	case slices.Contains(c.heard, f.Worker):
		c.refuse(f.Name, 0, converge.CodeWorkerDuplicate, "a second file of worker %q", f.Worker)
		return
	case c.asked[f.Worker] == nil && len(f.Votes) == 0:
		c.refuse(f.Name, 0, converge.CodeNotAsked, "worker %q was asked nothing in round %d", f.Worker, c.round)
		return
	}
	c.heard = append(c.heard, f.Worker)
	c.files[f.Worker] = converge.FileRecord{WorkerID: f.Worker, SHA256: sum}
	for _, v := range f.Votes {
		n := grouping.Number(v.ID)
		switch {
		case n < 1 || n > len(c.s.Items) || c.s.Items[n-1].ItemID != v.ID:
			c.refuse(f.Name, v.Line, converge.CodeGroupUnknown, "there is no item %q in the plan", v.ID)
		case !slices.Contains(c.asked[f.Worker], v.ID):
			c.refuse(f.Name, v.Line, converge.CodeNotAsked, "worker %q was not asked about item %s in round %d", f.Worker, v.ID, c.round)
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
			r.Files = append(r.Files, f)
		}
	}
	for _, item := range c.s.Items {
		for _, v := range c.s.Voters {
			if !slices.Contains(c.asked[v.WorkerID], item.ItemID) {
				continue
			}
			vote, given := c.votes[seat{item.ItemID, v.WorkerID}]
			if given && len(vote.Faults) == 0 {
				r.Verdicts = append(r.Verdicts, verdictOf(vote, item, v))
				continue
			}
			r.Missing = append(r.Missing, Missing{item.ItemID, v.WorkerID, c.lose(vote, item, v)})
		}
	}
	finding.Sort(c.lost)
	return r
}

func verdictOf(v grouping.Vote, item Item, voter Voter) Verdict {
	out := Verdict{ItemID: item.ItemID, WorkerID: voter.WorkerID, Digest: item.Digest, Verdict: v.Verdict, Evidence: v.Evidence, Reason: v.Reason}
	if v.Letter != "" {
		out.Letter = &v.Letter
	}
	return out
}

// lose tells why a vote is missing, and gives the code that is recorded.
func (c *count) lose(v grouping.Vote, item Item, voter Voter) string {
	for _, f := range v.Faults {
		f.Level = finding.Warning // it costs this vote alone
		c.lost = append(c.lost, f)
	}
	if len(v.Faults) > 0 {
		return v.Faults[0].Code
	}
	code := converge.CodeGroupMissing
	text := "worker %q gave no verdict on %s"
	if _, filed := c.files[voter.WorkerID]; !filed {
		code, text = converge.CodeFileMissing, "worker %q gave no verdict file; no vote on %s"
	}
	c.lost = append(c.lost, finding.Finding{
		Level: finding.Warning, Code: code, Artifact: fmt.Sprintf("round %d", c.round), Message: fmt.Sprintf(text, voter.WorkerID, item.ItemID),
	})
	return code
}
