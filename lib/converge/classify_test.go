package converge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCaseTable is every row of the worked cases: workers and sources, votes,
// and what both postures make of them.
func TestCaseTable(t *testing.T) {
	type outcome struct {
		label   Label
		section Section
		settled bool
	}
	both := func(o outcome) [2]outcome { return [2]outcome{o, o} }
	contested := outcome{Contested, Difference, true}
	for _, tt := range []struct {
		name                     string
		sources                  int
		agree, disagree, missing int
		want                     [2]outcome // non-adversarial, adversarial
		weights                  [2][2]int  // S and T in either, 0 where no rule weighs
	}{
		{"2 workers, 1 source, A=1", 1, 1, 0, 0, both(outcome{FullConsensus, Consensus, true}), [2][2]int{}},
		{"2 workers, 1 source, D=1", 1, 0, 1, 0, both(contested), [2][2]int{}},
		{"2 workers, 1 source, M=1", 1, 0, 0, 1, both(outcome{WorkerUnique, Difference, false}), [2][2]int{}},
		{"3 workers, 1 source, A=1 D=1", 1, 1, 1, 0, [2]outcome{{PartialConsensus, Consensus, true}, contested}, [2][2]int{{2, 3}, {1, 2}}},
		{"3 workers, 1 source, A=1 M=1", 1, 1, 0, 1, [2]outcome{{PartialConsensus, Consensus, true}, {PartialConsensus, Difference, false}}, [2][2]int{}},
		{"4 workers, 1 source, A=1 D=2", 1, 1, 2, 0, both(contested), [2][2]int{{2, 4}, {1, 3}}},
		{"6 workers, 1 source, A=2 M=3", 1, 2, 0, 3, both(outcome{PartialConsensus, Difference, false}), [2][2]int{}},
		{"6 workers, 1 source, A=2 D=1 M=2", 1, 2, 1, 2, both(outcome{PartialConsensus, Difference, false}), [2][2]int{}},
		{"6 workers, 1 source, A=3 D=2", 1, 3, 2, 0, both(outcome{PartialConsensus, Consensus, true}), [2][2]int{{4, 6}, {3, 5}}},
		{"3 workers, lead only, A=3", 0, 3, 0, 0, both(outcome{FullConsensus, Consensus, true}), [2][2]int{}},
		{"2 workers, lead only, A=1 D=1", 0, 1, 1, 0, both(contested), [2][2]int{{1, 2}, {1, 2}}},
	} {
		for i, posture := range []string{"non-adversarial", "adversarial"} {
			t.Run(tt.name+", "+posture, func(t *testing.T) {
				tally := Tally{tt.sources, tt.agree, tt.disagree, tt.missing, i == 1}
				o := Classify(tally)
				if got := (outcome{o.Label(), o.Section, o.Settled}); got != tt.want[i] {
					t.Errorf("Classify(%+v) = %v, want %v", tally, got, tt.want[i])
				}
				if s, total := tally.Support(); tt.weights[i] != [2]int{} && tt.weights[i] != [2]int{s, total} {
					t.Errorf("S = %d, T = %d, want %v", s, total, tt.weights[i])
				}
			})
		}
	}
}

// TestWorstCaseOfTheCaseTable pins the weights that the remarks of the case
// table give for the worst case of two of its rows.
func TestWorstCaseOfTheCaseTable(t *testing.T) {
	for _, tt := range []struct {
		adversarial  bool
		support, all int
	}{{false, 3, 6}, {true, 2, 5}} {
		worst := Tally{Sources: 1, Agree: 2, Disagree: 3, Adversarial: tt.adversarial}
		if s, total := worst.Support(); s != tt.support || total != tt.all {
			t.Errorf("adversarial %v: S = %d, T = %d, want %d and %d", tt.adversarial, s, total, tt.support, tt.all)
		}
	}
}

func rank(l Label) int { return slices.Index(Labels, l) }

// tallies are all tallies with up to two sources and six voters.
func tallies(yield func(Tally) bool) {
	for s := range 3 {
		for n := range 7 {
			for a := range n + 1 {
				for d := range n - a + 1 {
					for _, adversarial := range []bool{false, true} {
						if !yield(Tally{s, a, d, n - a - d, adversarial}) {
							return
						}
					}
				}
			}
		}
	}
}

// TestAnAddedAgreeingVoteNeverLowersAnything is law 3 for the table: whoever
// comes to agree, neither label nor section falls.
func TestAnAddedAgreeingVoteNeverLowersAnything(t *testing.T) {
	for before := range tallies {
		for _, step := range []struct {
			name string
			ok   bool
			to   Tally
		}{
			{"a missing voter agrees", before.Missing > 0, Tally{before.Sources, before.Agree + 1, before.Disagree, before.Missing - 1, before.Adversarial}},
			{"a disagreeing voter changes over", before.Disagree > 0, Tally{before.Sources, before.Agree + 1, before.Disagree - 1, before.Missing, before.Adversarial}},
			{"a further voter joins and agrees", true, Tally{before.Sources, before.Agree + 1, before.Disagree, before.Missing, before.Adversarial}},
		} {
			if step.ok {
				compareOutcomes(t, step.name, before, step.to, func(by int) bool { return by >= 0 })
			}
		}
	}
}

// TestAnAddedDisagreeingVoteNeverRaisesAnything is the other half of law 3.
func TestAnAddedDisagreeingVoteNeverRaisesAnything(t *testing.T) {
	for before := range tallies {
		for _, step := range []struct {
			name string
			ok   bool
			to   Tally
		}{
			{"a missing voter disagrees", before.Missing > 0, Tally{before.Sources, before.Agree, before.Disagree + 1, before.Missing - 1, before.Adversarial}},
			{"an agreeing voter changes over", before.Agree > 0, Tally{before.Sources, before.Agree - 1, before.Disagree + 1, before.Missing, before.Adversarial}},
			{"a further voter joins and disagrees", true, Tally{before.Sources, before.Agree, before.Disagree + 1, before.Missing, before.Adversarial}},
			{"a further voter does not answer", true, Tally{before.Sources, before.Agree, before.Disagree, before.Missing + 1, before.Adversarial}},
		} {
			if step.ok {
				compareOutcomes(t, step.name, before, step.to, func(by int) bool { return by <= 0 })
			}
		}
	}
}

func compareOutcomes(t *testing.T, step string, from, to Tally, ok func(by int) bool) {
	t.Helper()
	a, b := Classify(from), Classify(to)
	if !ok(rank(b.Label()) - rank(a.Label())) {
		t.Errorf("%s: %+v is %s, %+v is %s", step, from, a.Label(), to, b.Label())
	}
	if section := func(o Outcome) int { return strings.Index("difference consensus", string(o.Section)) }; !ok(section(b) - section(a)) {
		t.Errorf("%s: %+v is %s, %+v is %s", step, from, a.Section, to, b.Section)
	}
}

// TestAdversarialIsNeverKinder is law 4.
func TestAdversarialIsNeverKinder(t *testing.T) {
	for tally := range tallies {
		kind, stern := tally, tally
		kind.Adversarial, stern.Adversarial = false, true
		if a, b := Classify(kind), Classify(stern); rank(b.Label()) > rank(a.Label()) {
			t.Errorf("%+v: %s, adversarial %s", tally, a.Label(), b.Label())
		}
	}
}

// TestASourceIsNoVote is what is left of law 5 in the table: no number of
// sources below two makes a claim consensus that nobody else confirmed.
func TestASourceIsNoVote(t *testing.T) {
	for tally := range tallies {
		if o := Classify(tally); tally.Sources < 2 && tally.Agree == 0 && o.Section == Consensus {
			t.Errorf("%+v is %s without a vote for it", tally, o.Section)
		}
	}
}

// TestATieIsContested holds in both postures.
func TestATieIsContested(t *testing.T) {
	for tally := range tallies {
		s, total := tally.Support()
		if tally.Sources < 2 && tally.Disagree > 0 && 2*s == total && Classify(tally).Label() != Contested {
			t.Errorf("%+v: S = %d of T = %d is %s", tally, s, total, Classify(tally).Label())
		}
	}
}

// TestOneRuleForEachTally: every row of the table decides something, and the
// rule that decides is the first that holds.
func TestOneRuleForEachTally(t *testing.T) {
	used := map[string]bool{}
	for tally := range tallies {
		rule := Classify(tally).Rule
		used[rule.ID] = true
		for _, r := range Table {
			if r.ID == rule.ID {
				break
			}
			if r.holds(tally) {
				t.Errorf("%+v: %s decides, and %s holds before it", tally, rule.ID, r.ID)
			}
		}
	}
	for i, r := range Table {
		if !used[r.ID] || r.ID != fmt.Sprintf("R%d", i+1) {
			t.Errorf("rule %s stands in place %d and decides %v", r.ID, i+1, used[r.ID])
		}
	}
}
