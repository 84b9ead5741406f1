package converge

import (
	"iter"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// board is a state laid out for counting: who may judge what, and which votes
// stand. It is built from the stored parts of a state and never stored. Laying
// it out and counting a vote take the same time however many groups there are.
type board struct {
	config  Config
	workers []Worker
	voters  []int            // indexes of the analysis workers, in order of their ids
	seats   map[string]int32 // worker id → index into voters
	groups  []*claim
	found   int    // how many of the groups are the lead's; a critic's follow
	casts   []cast // every vote, in order of rounds
}

// claim is a group on the board.
type claim struct {
	*Group
	index    int
	critic   bool
	sources  []int32    // voters that found it
	distinct int        // role executions among the sources
	eligible []int32    // voters that may judge it
	standing []*Verdict // the latest vote of each of them, nil for none
	resolved *int       // round in which it was resolved

	first, last int32 // of its votes: one more than their index in casts, 0 for none
}

// cast is a vote with the round it was given in.
type cast struct {
	*Verdict
	round int32
	next  int32 // the next vote on the same claim, as claim.first
}

// newBoard lays out workers and groups. Votes come with record.
func newBoard(config Config, workers []Worker, groups []Group) *board {
	b := &board{config: config, workers: workers, seats: make(map[string]int32)}
	for i, w := range workers {
		if w.Audience == run.AudienceAnalysis {
			b.voters = append(b.voters, i)
		}
	}
	slices.SortFunc(b.voters, func(x, y int) int {
		return strings.Compare(workers[x].WorkerID, workers[y].WorkerID)
	})
	for v := range b.voters {
		b.seats[b.voter(int32(v)).WorkerID] = int32(v)
	}
	claims := make([]claim, len(groups))
	b.groups = make([]*claim, len(groups))
	seats := make([]int32, 0, len(groups)*len(b.voters))
	votes := make([]*Verdict, len(groups)*len(b.voters))
	for i := range groups {
		c := &claims[i]
		c.Group, c.index, c.critic = &groups[i], i, isCandidate(groups[i].GroupID)
		if !c.critic {
			b.found++
		}
		seats = b.seat(c, seats)
		n := len(c.eligible)
		c.standing, votes = votes[:n:n], votes[n:]
		b.groups[i] = c
	}
	return b
}

// leads are the lead's groups, candidates those that a critic added.
func (b *board) leads() []*claim      { return b.groups[:b.found] }
func (b *board) candidates() []*claim { return b.groups[b.found:] }

func isCandidate(groupID string) bool { return strings.HasPrefix(groupID, "X") }

// seat parts the voters into sources of a claim and those who may judge it,
// storing both lists at the end of room. One role execution is one source,
// however many of its worker ids are named, and none of them may judge.
func (b *board) seat(c *claim, room []int32) []int32 {
	from := len(room)
	for v := range int32(len(b.voters)) {
		if !slices.Contains(c.DiscoveredBy, b.voter(v).WorkerID) {
			continue
		}
		if !b.holds(room[from:], v) {
			c.distinct++
		}
		room = append(room, v)
	}
	c.sources = room[from:len(room):len(room)]
	from = len(room)
	for v := range int32(len(b.voters)) {
		if !b.holds(c.sources, v) {
			room = append(room, v)
		}
	}
	c.eligible = room[from:len(room):len(room)]
	return room
}

// holds says whether one of some voters has the role execution of v.
func (b *board) holds(some []int32, v int32) bool {
	for _, s := range some {
		if b.voter(s).SourceRoleExecutionRef == b.voter(v).SourceRoleExecutionRef {
			return true
		}
	}
	return false
}

func (b *board) voter(v int32) *Worker { return &b.workers[b.voters[v]] }

// claim finds a group by its id; nil if there is none. Groups stand in order
// of their ids without gaps, so the id is the place.
func (b *board) claim(id string) *claim {
	i := grouping.Number(id) - 1
	if isCandidate(id) && i >= 0 {
		i += b.found
	}
	if i < 0 || i >= len(b.groups) || b.groups[i].GroupID != id {
		return nil
	}
	return b.groups[i]
}

// place is the position of a worker among those who may judge c, or -1.
func (b *board) place(c *claim, workerID string) int {
	if v, ok := b.seats[workerID]; ok {
		return slices.Index(c.eligible, v)
	}
	return -1
}

// record lets a vote stand in place of the worker's earlier one. It says
// whether the worker may judge the group at all.
func (b *board) record(round int, v *Verdict) bool {
	c := b.claim(v.GroupID)
	if c == nil {
		return false
	}
	i := b.place(c, v.WorkerID)
	if i < 0 {
		return false
	}
	c.standing[i] = v
	b.casts = append(b.casts, cast{Verdict: v, round: int32(round)})
	here := int32(len(b.casts))
	if c.last == 0 {
		c.first = here
	} else {
		b.casts[c.last-1].next = here
	}
	c.last = here
	return true
}

// given are all votes on a claim, in order of rounds.
func (b *board) given(c *claim) iter.Seq[cast] {
	return func(yield func(cast) bool) {
		for at := c.first; at != 0; at = b.casts[at-1].next {
			if !yield(b.casts[at-1]) {
				return
			}
		}
	}
}

// tally counts the votes that stand.
func (b *board) tally(c *claim) Tally {
	t := Tally{Sources: c.distinct, Adversarial: b.config.Adversarial || c.critic}
	if t.Sources >= 2 {
		return t // nobody was asked
	}
	for _, v := range c.standing {
		switch {
		case v == nil:
			t.Missing++
		case v.Verdict == grouping.Disagree:
			t.Disagree++
		default:
			t.Agree++
		}
	}
	return t
}

// decided says whether the votes on a claim leave nothing to ask.
func decided(t Tally) bool {
	return t.Sources >= 2 || t.Missing == 0 && (t.Agree == 0 || t.Disagree == 0)
}

// questions gives each question of a round: a claim of the queue and the place
// of a voter among those who may judge it. In the first round of a claim
// everybody is asked; later those without a vote, and everybody where the
// claim is split. Questions come in order of claims, then of worker ids.
func (b *board) questions(queue []*claim) iter.Seq2[*claim, int] {
	return func(yield func(*claim, int) bool) {
		for _, c := range queue {
			t := b.tally(c)
			split := t.Agree > 0 && t.Disagree > 0
			for i := range c.eligible {
				if (split || c.standing[i] == nil) && !yield(c, i) {
					return
				}
			}
		}
	}
}

// asked lists the questions of a round by worker.
func (b *board) asked(queue []*claim) map[string][]string {
	counts := make([]int, len(b.voters))
	for c, i := range b.questions(queue) {
		counts[c.eligible[i]]++
	}
	lists := make([][]string, len(b.voters))
	for c, i := range b.questions(queue) {
		v := c.eligible[i]
		if lists[v] == nil {
			lists[v] = make([]string, 0, counts[v])
		}
		lists[v] = append(lists[v], c.GroupID)
	}
	out := make(map[string][]string, len(lists))
	for v, list := range lists {
		if len(list) > 0 {
			out[b.voter(int32(v)).WorkerID] = list
		}
	}
	return out
}

// settle parts a queue into claims that a round resolved and those it carries.
func (b *board) settle(queue []*claim, round int) (carried []*claim) {
	carried = make([]*claim, 0, len(queue))
	for _, c := range queue {
		if decided(b.tally(c)) {
			c.resolved = &round
		} else {
			carried = append(carried, c)
		}
	}
	return carried
}

// play counts the votes of a round and gives the claims that it carries.
func (b *board) play(r *Round, queue []*claim) (carried []*claim) {
	b.casts = slices.Grow(b.casts, len(r.Verdicts))
	for i := range r.Verdicts {
		b.record(r.Round, &r.Verdicts[i])
	}
	return b.settle(queue, r.Round)
}

func ids(claims []*claim) []string {
	out := make([]string, len(claims))
	for i, c := range claims {
		out[i] = c.GroupID
	}
	return out
}

// resolvedIn lists the claims of a queue that a round resolved.
func resolvedIn(queue []*claim, round int) []string {
	out := []string{}
	for _, c := range queue {
		if c.resolved != nil && *c.resolved == round {
			out = append(out, c.GroupID)
		}
	}
	return out
}
