package converge

import (
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// board is a state laid out for counting: who may judge what, and which votes
// stand. It is built from the stored parts of a state and never stored.
type board struct {
	config  Config
	workers []Worker
	voters  []int // indexes of the analysis workers, in order of their ids
	groups  []*claim
	found   int // how many of the groups are the lead's; a critic's follow
}

// claim is a group on the board.
type claim struct {
	*Group
	index    int
	critic   bool
	sources  []int32 // voters that found it
	eligible []int32 // voters that may judge it
	standing []*Verdict
	given    []cast // every vote, in order of rounds
	resolved *int   // round in which it was resolved
}

// cast is a vote with the round it was given in.
type cast struct {
	round int
	*Verdict
}

// newBoard lays out workers and groups. Votes come with record.
func newBoard(config Config, workers []Worker, groups []Group) *board {
	b := &board{config: config, workers: workers}
	for i, w := range workers {
		if w.Audience == run.AudienceAnalysis {
			b.voters = append(b.voters, i)
		}
	}
	slices.SortFunc(b.voters, func(x, y int) int {
		return compareStrings(workers[x].WorkerID, workers[y].WorkerID)
	})
	claims := make([]claim, len(groups))
	b.groups = make([]*claim, len(groups))
	for i := range groups {
		c := &claims[i]
		c.Group, c.index, c.critic = &groups[i], i, isCandidate(groups[i].GroupID)
		if !c.critic {
			b.found++
		}
		b.seat(c)
		b.groups[i] = c
	}
	return b
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func isCandidate(groupID string) bool { return len(groupID) > 0 && groupID[0] == 'X' }

// seat parts the voters into sources of a claim and those who may judge it.
// One role execution is one source, however many of its worker ids are named.
func (b *board) seat(c *claim) {
	for v, w := range b.voters {
		if slices.Contains(c.DiscoveredBy, b.workers[w].WorkerID) {
			c.sources = append(c.sources, int32(v))
		}
	}
	c.eligible = make([]int32, 0, len(b.voters))
	for v, w := range b.voters {
		if !b.isSource(c, b.workers[w].SourceRoleExecutionRef) {
			c.eligible = append(c.eligible, int32(v))
		}
	}
	c.standing = make([]*Verdict, len(c.eligible))
}

func (b *board) isSource(c *claim, ref string) bool {
	for _, s := range c.sources {
		if b.voter(s).SourceRoleExecutionRef == ref {
			return true
		}
	}
	return false
}

// sourceCount is the number of distinct role executions among the sources.
func (b *board) sourceCount(c *claim) int {
	n := 0
	for i, s := range c.sources {
		ref := b.voter(s).SourceRoleExecutionRef
		if !slices.ContainsFunc(c.sources[:i], func(o int32) bool { return b.voter(o).SourceRoleExecutionRef == ref }) {
			n++
		}
	}
	return n
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
	for i, v := range c.eligible {
		if b.voter(v).WorkerID == workerID {
			return i
		}
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
	c.given = append(c.given, cast{round, v})
	return true
}

// tally counts the votes that stand.
func (b *board) tally(c *claim) Tally {
	t := Tally{Sources: b.sourceCount(c), Adversarial: b.config.Adversarial || c.critic}
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

// asked says which groups of the queue go to whom: in the first round of a
// claim everybody who may judge it; later those without a vote, and everybody
// where the claim is split.
func (b *board) asked(queue []*claim) map[string][]string {
	out := make(map[string][]string)
	for _, c := range queue {
		t := b.tally(c)
		split := t.Agree > 0 && t.Disagree > 0
		for i, v := range c.eligible {
			if split || c.standing[i] == nil {
				id := b.voter(v).WorkerID
				out[id] = append(out[id], c.GroupID)
			}
		}
	}
	return out
}

// settle parts a queue into claims that a round resolved and those it carries.
func (b *board) settle(queue []*claim, round int) (carried []*claim) {
	for _, c := range queue {
		if decided(b.tally(c)) {
			c.resolved = &round
		} else {
			carried = append(carried, c)
		}
	}
	return carried
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
