package converge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/finding"
)

// Codes of verdict files that must not be counted, and of missing votes.
const (
	CodeFileMissing     = "verdict-file-missing"
	CodeGroupMissing    = "verdict-group-missing"
	CodeGroupUnknown    = "verdict-group-unknown"
	CodeNotAsked        = "verdict-not-asked"
	CodeSelf            = "verdict-self"
	CodeNonvoter        = "verdict-nonvoter"
	CodeWorkerUnknown   = "verdict-worker-unknown"
	CodeWorkerDuplicate = "verdict-worker-duplicate"
)

// Answer is a verdict file as it lies there.
type Answer struct {
	Name    string
	Content []byte
}

// Ballot is an answer that was read: its votes, the digest of its bytes, and
// the faults because of which it must not be counted.
type Ballot struct {
	grouping.VerdictFile
	Digest string
	Faults []finding.Finding
}

// Read reads answers as those of the round that is due.
func (s State) Read(answers []Answer) []Ballot {
	ballots := make([]Ballot, len(answers))
	for i, a := range answers {
		file, faults := grouping.ParseVerdicts(a.Name, a.Content, s.roundForm(s.Next.Kind))
		ballots[i] = Ballot{file, digest.Bytes(a.Content), faults}
	}
	return ballots
}

// Apply counts the verdicts of a round. A worker that was asked and gives no
// file refuses the call unless allowMissing says that it is known. A bad
// block costs its worker that vote alone; lost tells of each such vote. The
// files of the last round again are no step at all and give s itself.
// Rule: docs/converge.md, "Verdicts".
func Apply(s State, round int, answers []Answer, allowMissing bool) (next State, lost []finding.Finding, err error) {
	return Count(s, round, s.Read(answers), allowMissing)
}

// Count is Apply for answers that are read already. It never changes s or
// anything that s refers to.
func Count(s State, round int, ballots []Ballot, allowMissing bool) (next State, lost []finding.Finding, err error) {
	if s.repeats(round, ballots) {
		return s, nil, nil
	}
	if last := s.Rounds[len(s.Rounds)-1].Round; round <= last {
		return s, nil, &TransitionError{CodeApplied, fmt.Sprintf("round %d is counted already; the state waits for %s", round, s.waitsFor())}
	}
	if err := s.due(ActQueue, round); err != nil {
		return s, nil, err
	}
	b, queue := s.replay()
	c := newCount(b, queue, round)
	if err := c.read(ballots, allowMissing); err != nil {
		return s, nil, err
	}
	r := c.result(s.Next.Kind)
	carried := b.play(&r, queue)
	r.Resolved, r.Carried = resolvedIn(queue, round), ids(carried)
	s.Rounds = append(slices.Clone(s.Rounds), r)
	s.advance(b, carried)
	return s, c.lost, nil
}

// repeats says whether the ballots are those of the last round, by digest,
// and nothing has happened since.
func (s State) repeats(round int, ballots []Ballot) bool {
	last := s.Rounds[len(s.Rounds)-1]
	later := s.Next.Action == ActDone || s.Next.Kind == CriticGap
	if round == 0 || last.Round != round || later || len(ballots) != len(last.Files) {
		return false
	}
	given := make([]string, len(ballots))
	for i, b := range ballots {
		given[i] = b.Digest
	}
	recorded := make([]string, len(last.Files))
	for i, f := range last.Files {
		recorded[i] = f.SHA256
	}
	slices.Sort(given)
	slices.Sort(recorded)
	return slices.Equal(given, recorded)
}

// unanswered marks a question in the slots of a count until its vote is read.
var unanswered = new(grouping.Vote)

// count is the counting of one round. The questions of the round stand in
// slots, a row for each voter and in it a cell for each group: nil where the
// voter is not asked, then unanswered, then the vote.
type count struct {
	b       *board
	queue   []*claim
	round   int
	slots   [][]*grouping.Vote // by voter; nil for one that was asked nothing
	files   []*Ballot          // by voter; nil for one that gave no file
	heard   map[string]bool    // worker ids that gave a file
	missing []MissingVote
	lost    []finding.Finding
	refused []finding.Finding
}

func newCount(b *board, queue []*claim, round int) *count {
	c := &count{
		b: b, queue: queue, round: round,
		slots: make([][]*grouping.Vote, len(b.voters)), files: make([]*Ballot, len(b.voters)), heard: make(map[string]bool),
	}
	for group, i := range b.questions(queue) {
		v := group.eligible[i]
		if c.slots[v] == nil {
			c.slots[v] = make([]*grouping.Vote, len(b.groups))
		}
		c.slots[v][group.index] = unanswered
	}
	return c
}

func (c *count) refuse(name string, line int, code, format string, args ...any) {
	c.refused = append(c.refused, finding.Finding{Level: finding.Error, Code: code, Artifact: name, Line: line, Message: fmt.Sprintf(format, args...)})
}

// read takes the votes of each ballot. The error tells of all ballots of other
// rounds and of all faults; a worker is not called silent while one of the
// files belongs to another round.
func (c *count) read(ballots []Ballot, allowMissing bool) error {
	var misplaced []error
	for i := range ballots {
		f := &ballots[i]
		c.refused = append(c.refused, f.Faults...)
		switch {
		case f.Round != 0 && f.Round < c.round:
			misplaced = append(misplaced, &TransitionError{CodeApplied, fmt.Sprintf("%s: it answers round %d, which is counted already (expected round %d)", f.Name, f.Round, c.round)})
		case f.Round > c.round:
			misplaced = append(misplaced, &TransitionError{CodeMismatch, fmt.Sprintf("%s: it answers round %d (expected %d)", f.Name, f.Round, c.round)})
		case len(f.Faults) > 0:
			c.heard[f.Worker] = true // its absence is not the fault
		default:
			c.ballot(f)
		}
	}
	if len(misplaced) == 0 && !allowMissing {
		c.demandFiles()
	}
	if len(c.refused) > 0 {
		finding.Sort(c.refused)
		misplaced = append(misplaced, &RefusedFiles{c.refused})
	}
	return errors.Join(misplaced...)
}

// ballot takes the votes of one file, or refuses it when its worker is not to
// be heard.
func (c *count) ballot(f *Ballot) {
	i := slices.IndexFunc(c.b.workers, func(w Worker) bool { return w.WorkerID == f.Worker })
	v, voter := c.b.seats[f.Worker]
	switch {
	case i < 0:
		c.refuse(f.Name, 0, CodeWorkerUnknown, "worker %q is not in the roster", f.Worker)
	case !voter:
		c.refuse(f.Name, 0, CodeNonvoter, "worker %q has audience %q and never votes", f.Worker, c.b.workers[i].Audience)
	case c.heard[f.Worker]:
		c.refuse(f.Name, 0, CodeWorkerDuplicate, "a second file of worker %q", f.Worker)
	case c.slots[v] == nil && len(f.Votes) == 0:
		c.refuse(f.Name, 0, CodeNotAsked, "worker %q was asked nothing in round %d", f.Worker, c.round)
	default:
		c.heard[f.Worker] = true
		c.files[v] = f
		c.votes(f, v)
	}
}

func (c *count) votes(f *Ballot, v int32) {
	for i := range f.Votes {
		vote := &f.Votes[i]
		group := c.b.claim(vote.ID)
		switch {
		case group == nil:
			c.refuse(f.Name, vote.Line, CodeGroupUnknown, "there is no group %q", vote.ID)
		case slices.Contains(group.DiscoveredBy, f.Worker):
			c.refuse(f.Name, vote.Line, CodeSelf, "worker %q judges its own group %s", f.Worker, vote.ID)
		case c.slots[v] == nil || c.slots[v][group.index] == nil:
			c.refuse(f.Name, vote.Line, CodeNotAsked, "worker %q was not asked about group %s in round %d", f.Worker, vote.ID, c.round)
		default:
			c.slots[v][group.index] = vote
		}
	}
}

// demandFiles refuses when somebody who was asked gave no file: a vote must
// not be lost by counting too early.
func (c *count) demandFiles() {
	for v, row := range c.slots {
		if id := c.b.voter(int32(v)).WorkerID; row != nil && !c.heard[id] {
			c.refuse(fmt.Sprintf("round %d", c.round), 0, CodeFileMissing, "worker %q was asked and gave no verdict file", id)
		}
	}
}

// result is the round as it is stored: in order of groups and workers, so that
// the order in which files and blocks came leaves no trace.
func (c *count) result(kind string) Round {
	asked := c.b.asked(c.queue)
	n := 0
	for _, list := range asked {
		n += len(list)
	}
	verdicts := make([]Verdict, 0, n)
	silent := make([][]string, len(c.slots)) // groups that a voter says nothing about
	for group, i := range c.b.questions(c.queue) {
		v := group.eligible[i]
		worker := c.b.voter(v)
		switch vote := c.slots[v][group.index]; {
		case vote == unanswered:
			silent[v] = append(silent[v], group.GroupID)
			c.miss(group, worker, c.silence(v))
		case len(vote.Faults) > 0:
			c.miss(group, worker, vote.Faults[0].Code)
			for _, f := range vote.Faults {
				f.Level = finding.Warning // it costs this vote alone
				c.lost = append(c.lost, f)
			}
		default:
			verdicts = append(verdicts, verdict(vote, worker))
		}
	}
	c.tellSilence(silent)
	return Round{
		Round: c.round, Kind: kind, Asked: asked, Files: c.records(), Verdicts: verdicts, Missing: orEmpty(c.missing),
	}
}

// silence is why a voter says nothing about a group.
func (c *count) silence(v int32) string {
	if c.files[v] == nil {
		return CodeFileMissing
	}
	return CodeGroupMissing
}

func (c *count) miss(group *claim, worker *Worker, code string) {
	c.missing = append(c.missing, MissingVote{group.GroupID, worker.WorkerID, code})
}

// tellSilence says of each voter which questions it left open.
func (c *count) tellSilence(silent [][]string) {
	for v, groups := range silent {
		if len(groups) == 0 {
			continue
		}
		code, name, text := c.silence(int32(v)), fmt.Sprintf("round %d", c.round), "worker %q gave no verdict file; no vote on %s"
		if f := c.files[v]; f != nil {
			name, text = f.Name, "worker %q gave no verdict on %s"
		}
		c.lost = append(c.lost, finding.Finding{
			Level: finding.Warning, Code: code, Artifact: name,
			Message: fmt.Sprintf(text, c.b.voter(int32(v)).WorkerID, enumerate(groups)),
		})
	}
	finding.Sort(c.lost)
}

// records are the files that were counted, by worker.
func (c *count) records() []FileRecord {
	records := []FileRecord{}
	for _, f := range c.files {
		if f != nil {
			records = append(records, FileRecord{f.Worker, f.Digest})
		}
	}
	slices.SortFunc(records, func(x, y FileRecord) int { return cmp.Compare(x.WorkerID, y.WorkerID) })
	return records
}

func verdict(vote *grouping.Vote, worker *Worker) Verdict {
	out := Verdict{
		GroupID: vote.ID, WorkerID: worker.WorkerID, SourceRoleExecutionRef: worker.SourceRoleExecutionRef,
		Verdict: vote.Verdict, Evidence: vote.Evidence, Reason: vote.Reason,
	}
	if vote.Basis != "" {
		basis := vote.Basis
		out.DisagreeBasis = &basis
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
