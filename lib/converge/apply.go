package converge

import (
	"cmp"
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
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

// Read reads answers as those of the round that is due.
func (s State) Read(answers []Answer) []Ballot { return ReadBallots(answers, s.roundForm(s.Next.Kind)) }

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
	if err := c.poll.Read(ballots, c.mustAnswer(allowMissing), c.ballot); err != nil {
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
	return round != 0 && last.Round == round && !later && SameFiles(ballots, last.Files)
}

// What stands in a slot of a count before the vote is read. A number from 0 on
// is the place of the vote in its file.
const (
	unasked    int32 = -1
	unanswered int32 = -2
)

// count is the counting of one round. The questions of the round stand in
// slots, a row for each voter and in it a cell for each group.
type count struct {
	b       *board
	queue   []*claim
	asked   map[string][]string
	round   int
	poll    *Poll
	slots   [][]int32 // by voter; nil for one that was asked nothing
	files   []*Ballot // by voter; nil for one that gave no file
	missing []MissingVote
	lost    []finding.Finding
}

func newCount(b *board, queue []*claim, round int) *count {
	c := &count{
		b: b, queue: queue, asked: b.asked(queue), round: round, poll: NewPoll(round),
		slots: make([][]int32, len(b.voters)), files: make([]*Ballot, len(b.voters)),
	}
	for worker := range c.asked {
		c.slots[b.seats[worker]] = slices.Repeat([]int32{unasked}, len(b.groups))
	}
	for group, v := range b.questions(queue) {
		c.slots[v][group.index] = unanswered
	}
	return c
}

// mustAnswer are the workers that were asked, unless it is known that some
// gave no file: a vote must not be lost by counting too early.
func (c *count) mustAnswer(allowMissing bool) []string {
	var asked []string
	for v, row := range c.slots {
		if row != nil && !allowMissing {
			asked = append(asked, c.b.voter(int32(v)).WorkerID)
		}
	}
	return asked
}

// ballot takes the votes of one file, or refuses it when its worker is not to
// be heard.
func (c *count) ballot(f *Ballot) {
	i := slices.IndexFunc(c.b.workers, func(w Worker) bool { return w.WorkerID == f.Worker })
	v, voter := c.b.seats[f.Worker]
	switch {
	case i < 0:
		c.poll.Refuse(f.Name, 0, CodeWorkerUnknown, "worker %q is not in the roster", f.Worker)
	case !voter:
		c.poll.Refuse(f.Name, 0, CodeNonvoter, "worker %q has audience %q and never votes", f.Worker, c.b.workers[i].Audience)
	case !c.poll.Hear(f):
	case c.slots[v] == nil && len(f.Votes) == 0:
		c.poll.Refuse(f.Name, 0, CodeNotAsked, "worker %q was asked nothing in round %d", f.Worker, c.round)
	default:
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
			c.poll.Refuse(f.Name, vote.Line, CodeGroupUnknown, "there is no group %q", vote.ID)
		case slices.Contains(group.DiscoveredBy, f.Worker):
			c.poll.Refuse(f.Name, vote.Line, CodeSelf, "worker %q judges its own group %s", f.Worker, vote.ID)
		case c.slots[v] == nil || c.slots[v][group.index] == unasked:
			c.poll.Refuse(f.Name, vote.Line, CodeNotAsked, "worker %q was not asked about group %s in round %d", f.Worker, vote.ID, c.round)
		default:
			c.slots[v][group.index] = int32(i)
		}
	}
}

// result is the round as it is stored: in order of groups and workers, so that
// the order in which files and blocks came leaves no trace.
func (c *count) result(kind string) Round {
	answered, open := c.progress()
	verdicts := make([]Verdict, 0, answered)
	c.missing = make([]MissingVote, 0, open)
	silent := make([][]string, len(c.slots)) // groups that a voter says nothing about
	bases := make(map[string]*string)
	for group, v := range c.b.questions(c.queue) {
		worker := c.b.voter(v)
		at := c.slots[v][group.index]
		if at == unanswered {
			silent[v] = append(silent[v], group.GroupID)
			c.miss(group, worker, Silence(c.files[v]))
			continue
		}
		vote := &c.files[v].Votes[at]
		if len(vote.Faults) > 0 {
			c.miss(group, worker, vote.Faults[0].Code)
			c.lost = append(c.lost, Lost(vote)...)
			continue
		}
		verdicts = append(verdicts, verdict(vote, worker, bases))
	}
	c.tellSilence(silent)
	return Round{
		Round: c.round, Kind: kind, Asked: c.asked, Files: c.records(), Verdicts: verdicts, Missing: c.missing,
	}
}

// progress is how many questions of the round have a vote, sound or not, and
// how many have none.
func (c *count) progress() (answered, open int) {
	for _, row := range c.slots {
		for _, at := range row {
			switch {
			case at >= 0:
				answered++
			case at == unanswered:
				open++
			}
		}
	}
	return answered, open
}

func (c *count) miss(group *claim, worker *Worker, code string) {
	c.missing = append(c.missing, MissingVote{group.GroupID, worker.WorkerID, code})
}

// tellSilence says of each voter which questions it left open.
func (c *count) tellSilence(silent [][]string) {
	for v, groups := range silent {
		if len(groups) > 0 {
			c.lost = append(c.lost, c.poll.Silent(c.b.voter(int32(v)).WorkerID, c.files[v], groups))
		}
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

// verdict is a vote as it is stored. bases keeps the few words that a basis
// may be, so that not every verdict has its own.
func verdict(vote *grouping.Vote, worker *Worker, bases map[string]*string) Verdict {
	out := Verdict{
		GroupID: vote.ID, WorkerID: worker.WorkerID, SourceRoleExecutionRef: worker.SourceRoleExecutionRef,
		Verdict: vote.Verdict, Evidence: vote.Evidence, Reason: vote.Reason,
	}
	if vote.Basis != "" {
		if bases[vote.Basis] == nil {
			bases[vote.Basis] = new(vote.Basis)
		}
		out.DisagreeBasis = bases[vote.Basis]
	}
	return out
}
