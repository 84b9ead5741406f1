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
//
// Every step of a convergence lays the whole state out again, so a board is
// small: what each voter is to each claim is one number, and votes are named
// by their place among all votes of the rounds.
//
//	            voters                    votes, in order of rounds
//	             a       b       c         1      2      3
//	claim G-001  source  2       unvoted   a/G-2  b/G-1  c/G-2
//	claim G-002  1       source  3         next: 3, 0, 0
type board struct {
	config  Config
	workers []Worker
	voters  []int            // indexes of the analysis workers, in order of their ids
	seats   map[string]int32 // worker id → index into voters
	alike   [][]int32        // by voter: who else has its role execution; nil where nobody has
	groups  []*claim
	found   int     // how many of the groups are the lead's; a critic's follow
	cells   []int32 // a row for each claim, in it a cell for each voter
	counted []counted
	next    []int32 // by vote, counted from 1 over all rounds: the next one on its claim, 0 for none
}

// What a voter is to a claim. Any number above unvoted is its vote that stands.
const (
	source  int32 = -1 // it found the claim
	barred  int32 = -2 // it has the role execution of a source
	unvoted int32 = 0  // it may judge the claim and has not
)

// claim is a group on the board. Its counts are those of the votes that stand.
type claim struct {
	*Group
	index       int32
	sources     int32 // role executions that found it
	eligible    int32 // voters that may judge it
	agree       int32
	disagree    int32
	resolved    int32 // round in which it was resolved, or open
	first, last int32 // of its votes
}

// open is the round of a claim that no round has resolved.
const open int32 = -1

// counted is a round with votes that count; they are numbered from first on.
type counted struct {
	round    int
	first    int32
	verdicts []Verdict
}

// newBoard lays out workers and groups. Votes come with play.
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
	b.alike = make([][]int32, len(b.voters))
	for v := range int32(len(b.voters)) {
		b.seats[b.voter(v).WorkerID] = v
		for w := range int32(len(b.voters)) {
			if v != w && b.voter(v).SourceRoleExecutionRef == b.voter(w).SourceRoleExecutionRef {
				b.alike[v] = append(b.alike[v], w)
			}
		}
	}
	claims := make([]claim, len(groups))
	b.groups = make([]*claim, len(groups))
	b.cells = make([]int32, len(groups)*len(b.voters))
	for i := range groups {
		c := &claims[i]
		c.Group, c.index, c.resolved = &groups[i], int32(i), open
		if !isCandidate(groups[i].GroupID) {
			b.found++
		}
		b.seat(c)
		b.groups[i] = c
	}
	return b
}

// leads are the lead's groups, candidates those that a critic added.
func (b *board) leads() []*claim      { return b.groups[:b.found] }
func (b *board) candidates() []*claim { return b.groups[b.found:] }

func isCandidate(groupID string) bool { return strings.HasPrefix(groupID, "X") }

// seat parts the voters into sources of a claim and those who may judge it.
// One role execution is one source, however many of its worker ids are named,
// and none of them may judge.
func (b *board) seat(c *claim) {
	row := b.row(c)
	c.eligible = int32(len(row))
	for _, worker := range c.DiscoveredBy {
		v, voter := b.seats[worker]
		if !voter || row[v] == source {
			continue
		}
		if row[v] == unvoted {
			c.sources++
			c.eligible--
		}
		row[v] = source
		for _, w := range b.alike[v] {
			if row[w] == unvoted {
				row[w] = barred
				c.eligible--
			}
		}
	}
}

// row is what each voter is to a claim.
func (b *board) row(c *claim) []int32 {
	n := len(b.voters)
	return b.cells[int(c.index)*n:][:n:n]
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

// vote is a vote by its number, with the round it was given in.
func (b *board) vote(n int32) (round int, v *Verdict) {
	last := len(b.counted) - 1
	for b.counted[last].first > n {
		last--
	}
	p := &b.counted[last]
	return p.round, &p.verdicts[n-p.first]
}

// record lets the votes of a round stand in place of their workers' earlier
// ones. Votes that nobody may give are left out.
func (b *board) record(round int, verdicts []Verdict) {
	n := int32(len(b.next)) // votes so far
	b.counted = append(b.counted, counted{round, n + 1, verdicts})
	b.next = slices.Grow(b.next, len(verdicts))[:int(n)+len(verdicts)]
	var c *claim
	for i := range verdicts {
		v := &verdicts[i]
		n++
		if c == nil || c.GroupID != v.GroupID {
			if c = b.claim(v.GroupID); c == nil {
				continue
			}
		}
		seat, voter := b.seats[v.WorkerID]
		if !voter {
			continue
		}
		cell := &b.row(c)[seat]
		if *cell < unvoted {
			continue
		}
		if *cell > unvoted {
			_, earlier := b.vote(*cell)
			*c.side(earlier)--
		}
		*c.side(v)++
		*cell = n
		if c.last == 0 {
			c.first = n
		} else {
			b.next[c.last-1] = n
		}
		c.last = n
	}
}

// side is the count that a vote on the claim goes to.
func (c *claim) side(v *Verdict) *int32 {
	if v.Verdict == grouping.Disagree {
		return &c.disagree
	}
	return &c.agree
}

// given are all votes on a claim with their rounds, in order of rounds.
func (b *board) given(c *claim) iter.Seq2[int, *Verdict] {
	return func(yield func(int, *Verdict) bool) {
		for n := c.first; n != 0; n = b.next[n-1] {
			if !yield(b.vote(n)) {
				return
			}
		}
	}
}

// standing is the vote of each voter that may judge a claim, nil where there
// is none, in order of the voters.
func (b *board) standing(c *claim) iter.Seq2[*Worker, *Verdict] {
	return func(yield func(*Worker, *Verdict) bool) {
		for v, cell := range b.row(c) {
			var vote *Verdict
			switch {
			case cell < unvoted:
				continue
			case cell > unvoted:
				_, vote = b.vote(cell)
			}
			if !yield(b.voter(int32(v)), vote) {
				return
			}
		}
	}
}

// tally counts the votes that stand.
func (b *board) tally(c *claim) Tally {
	t := Tally{Sources: int(c.sources), Adversarial: b.config.Adversarial || int(c.index) >= b.found}
	if t.Sources >= 2 {
		return t // nobody was asked
	}
	t.Agree, t.Disagree = int(c.agree), int(c.disagree)
	t.Missing = int(c.eligible) - t.Agree - t.Disagree
	return t
}

// decided says whether the votes on a claim leave nothing to ask.
func decided(t Tally) bool {
	return t.Sources >= 2 || t.Missing == 0 && (t.Agree == 0 || t.Disagree == 0)
}

// questions gives each question of a round: a claim of the queue and a voter
// that may judge it. In the first round of a claim everybody is asked; later
// those without a vote, and everybody where the claim is split. Questions come
// in order of claims, then of worker ids.
func (b *board) questions(queue []*claim) iter.Seq2[*claim, int32] {
	return func(yield func(*claim, int32) bool) {
		for _, c := range queue {
			split := c.agree > 0 && c.disagree > 0
			for v, cell := range b.row(c) {
				if (cell == unvoted || split && cell > unvoted) && !yield(c, int32(v)) {
					return
				}
			}
		}
	}
}

// asked lists the questions of a round by worker.
func (b *board) asked(queue []*claim) map[string][]string {
	counts := make([]int, len(b.voters))
	for _, v := range b.questions(queue) {
		counts[v]++
	}
	lists := make([][]string, len(b.voters))
	for c, v := range b.questions(queue) {
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
			c.resolved = int32(round)
		} else {
			carried = append(carried, c)
		}
	}
	return carried
}

// play counts the votes of a round and gives the claims that it carries.
func (b *board) play(r *Round, queue []*claim) (carried []*claim) {
	b.record(r.Round, r.Verdicts)
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
	n := 0
	for _, c := range queue {
		if int(c.resolved) == round {
			n++
		}
	}
	out := make([]string, 0, n)
	for _, c := range queue {
		if int(c.resolved) == round {
			out = append(out, c.GroupID)
		}
	}
	return out
}
