package planbody

import (
	"slices"

	"okstra/lib/converge/grouping"
)

// Outcomes of an item.
const (
	ItemBlocked   = "blocked"
	ItemCleared   = "cleared"
	ItemUndecided = "undecided"
)

// Tally is an item with the votes on its present text. Letters are those of
// its DISAGREEs, sorted, each once.
type Tally struct {
	ID         string   `json:"id"`
	Ref        string   `json:"ref"`
	Agree      int      `json:"agree"`
	Disagree   int      `json:"disagree"`
	Supplement int      `json:"supplement"`
	Missing    int      `json:"missing"`
	Letters    []string `json:"letters"`
	Outcome    string   `json:"outcome"`
}

// outcome decides an item of n voters. A SUPPLEMENT agrees. An item is cleared
// by half of all voters: were all missing ones to disagree it would be a tie
// at worst, and a tie is dissent, not a block.
func outcome(agree, disagree, n int) string {
	switch {
	case disagree > agree:
		return ItemBlocked
	case 2*agree >= n:
		return ItemCleared
	}
	return ItemUndecided
}

// gateOf decides over all items; the first row that holds decides. Blocked is
// asked first: were undecided first, an added agreeing vote could turn an
// aborted gate into a blocked one.
func gateOf(items []Tally) Gate {
	is := func(outcome string) func(Tally) bool {
		return func(t Tally) bool { return t.Outcome == outcome }
	}
	switch {
	case slices.ContainsFunc(items, is(ItemBlocked)):
		return Blocked
	case slices.ContainsFunc(items, is(ItemUndecided)):
		return Aborted
	case slices.ContainsFunc(items, func(t Tally) bool { return t.Disagree > 0 }):
		return PassedWithDissent
	}
	return Passed
}

// seat is one voter's place at one item.
type seat struct{ item, worker string }

// standing are the votes that count: a voter's latest on a text that has not
// changed since.
type standing map[seat]*Verdict

// count lets the votes of a round stand in place of earlier ones.
func (s standing) count(r *Round) {
	for i := range r.Verdicts {
		s[seat{r.Verdicts[i].ItemID, r.Verdicts[i].WorkerID}] = &r.Verdicts[i]
	}
}

// drop forgets the votes on the texts that a fix changed.
func (s standing) drop(f *SelfFix, voters []Voter) {
	if f == nil {
		return
	}
	for _, id := range f.Items {
		for _, v := range voters {
			delete(s, seat{id, v.WorkerID})
		}
	}
}

// votes are those that count now.
func (s State) votes() standing {
	votes := standing{}
	for i := range s.Rounds {
		votes.count(&s.Rounds[i])
		votes.drop(s.Rounds[i].SelfFix, s.Voters)
	}
	return votes
}

// tally counts the votes on items. Of items of an earlier plan only the ids
// are known.
func (s State) tally(items []Item, votes standing) []Tally {
	out := make([]Tally, len(items))
	for i, item := range items {
		t := Tally{ID: item.ItemID, Ref: item.Ref, Letters: []string{}}
		for _, voter := range s.Voters {
			v := votes[seat{item.ItemID, voter.WorkerID}]
			switch {
			case v == nil:
				t.Missing++
			case v.Verdict == grouping.Disagree:
				t.Disagree++
				if v.Letter != nil {
					t.Letters = append(t.Letters, *v.Letter)
				}
			case v.Verdict == grouping.Supplement:
				t.Supplement++
			default:
				t.Agree++
			}
		}
		slices.Sort(t.Letters)
		t.Letters = slices.Compact(t.Letters)
		t.Outcome = outcome(t.Agree+t.Supplement, t.Disagree, len(s.Voters))
		out[i] = t
	}
	return out
}

// asked are the questions that are open: every voter about every item on whose
// text it has no vote that counts. At first that is everything; after a fix it
// is everybody about what changed, and the missing votes on the rest.
func (s State) asked(items []Item, votes standing) map[string][]string {
	out := map[string][]string{}
	for _, item := range items {
		for _, voter := range s.Voters {
			if votes[seat{item.ItemID, voter.WorkerID}] == nil {
				out[voter.WorkerID] = append(out[voter.WorkerID], item.ItemID)
			}
		}
	}
	return out
}

// Decision is the gate with what it rests on. Gate is nil before any round.
type Decision struct {
	Gate  *Gate   `json:"gate"`
	Open  bool    `json:"open"`
	Items []Tally `json:"items"`
}

// Decide gives the gate of a state. Rule: docs/converge.md, "The gate".
func (s State) Decide() Decision {
	return Decision{Gate: s.Gate, Open: s.Gate != nil && s.Gate.Open(), Items: s.tally(s.Items, s.votes())}
}
