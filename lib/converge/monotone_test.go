package converge

import (
	"fmt"
	"slices"
	"testing"
)

// rules of the loop test: three voters, two rounds, one group.
const (
	loopVoters = 3
	loopRounds = 2
	loopVotes  = loopVoters * loopRounds
)

// script is what each voter says in each round, if asked: at
// loopVoters*(round-1)+voter one of A, D and blank for no block.
type script [loopVotes]byte

func (s script) say(voter, round int) string {
	if word := s[loopVoters*(round-1)+voter]; word != ' ' {
		return string(word)
	}
	return ""
}

// scripts are all of them.
func scripts(yield func(script) bool) {
	var s script
	n := 1
	for range loopVotes {
		n *= 3
	}
	for code := range n {
		for i, rest := 0, code; i < loopVotes; i, rest = i+1, rest/3 {
			s[i] = "A D"[rest%3]
		}
		if !yield(s) {
			return
		}
	}
}

// loopState is a run in which one group stands before the three voters: the
// lead's alone, or with a source that may not vote.
func loopState(t *testing.T, sources int, adversarial bool) (State, []string) {
	workers, group := loopVoters, found(1, "lead")
	voters := []string{"w1", "w2", "w3"}
	if sources == 1 {
		workers, group = loopVoters+1, found(1, "lead", "w4")
	}
	return seeded(t, input(workers, adversarial, group)), voters
}

// asIfAsked plays a script in which everybody has a word ready for each round.
func (s script) asIfAsked(t *testing.T, state State, voters []string) Finding {
	t.Helper()
	for state.Next.Action == ActQueue {
		round := state.Next.Round
		b, queue := state.replay()
		var answers []Answer
		for i, w := range voters {
			if len(b.asked(queue)[w]) > 0 {
				answers = append(answers, file(round, w, ballot{"G-001": s.say(i, round)}))
			}
		}
		state = mustApply(t, state, round, answers)
	}
	return mustFinalize(t, state).Findings[0]
}

func mustApply(t *testing.T, s State, round int, answers []Answer) State {
	t.Helper()
	next, _, err := Apply(s, round, answers, true)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func mustFinalize(t *testing.T, s State) State {
	t.Helper()
	final, err := Finalize(s)
	if err != nil {
		t.Fatal(err)
	}
	return final
}

func sectionRank(s Section) int { return slices.Index([]Section{Difference, Consensus}, s) }

// TestLaw3ThroughTheLoop plays all scripts of three voters and two rounds with
// no source and with one, in both postures. Where one word of a script becomes
// AGREE, neither label nor section falls; where one becomes DISAGREE, neither
// rises. Everybody has a word ready for a question that only the change leads
// to.
func TestLaw3ThroughTheLoop(t *testing.T) {
	for _, sources := range []int{0, 1} {
		for _, adversarial := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d sources, adversarial %v", sources, adversarial), func(t *testing.T) {
				state, voters := loopState(t, sources, adversarial)
				outcome := map[script]Finding{}
				for s := range scripts {
					outcome[s] = s.asIfAsked(t, state, voters)
				}
				for s, before := range outcome {
					for i := range s {
						for _, change := range []struct {
							word byte
							sign int
						}{{'A', 1}, {'D', -1}} {
							changed := s
							changed[i] = change.word
							after := outcome[changed]
							label := change.sign * (rank(after.Classification) - rank(before.Classification))
							section := change.sign * (sectionRank(after.Section) - sectionRank(before.Section))
							if label < 0 || section < 0 {
								t.Errorf("%q: %s, %s; %q: %s, %s", s, before.Classification, before.Section, changed, after.Classification, after.Section)
							}
						}
					}
				}
			})
		}
	}
}

// TestLaw3WithTheFilesAsTheyLie is the same for files that are written: the
// blocks are those of the questions that the unchanged run asks, one AGREE
// comes in, and all other files stay as they are. A block that answers no
// question any more is cut out, because it would refuse its file; a question
// that is new finds no block.
func TestLaw3WithTheFilesAsTheyLie(t *testing.T) {
	for _, sources := range []int{0, 1} {
		for _, adversarial := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d sources, adversarial %v", sources, adversarial), func(t *testing.T) {
				state, voters := loopState(t, sources, adversarial)
				for s := range scripts {
					written, before := s.written(t, state, voters)
					if written != s {
						continue // the same run as the script that it is cut down to
					}
					for i := range s {
						more := s
						more[i] = 'A'
						if after := more.asIfAsked(t, state, voters); rank(after.Classification) < rank(before.Classification) ||
							sectionRank(after.Section) < sectionRank(before.Section) {
							t.Errorf("%q: %s, %s; %q: %s, %s", s, before.Classification, before.Section, more, after.Classification, after.Section)
						}
					}
				}
			})
		}
	}
}

// written cuts a script down to the questions that it leads to.
func (s script) written(t *testing.T, state State, voters []string) (script, Finding) {
	t.Helper()
	out := script{' ', ' ', ' ', ' ', ' ', ' '}
	for state.Next.Action == ActQueue {
		round := state.Next.Round
		b, queue := state.replay()
		var answers []Answer
		for i, w := range voters {
			if len(b.asked(queue)[w]) > 0 {
				out[loopVoters*(round-1)+i] = s[loopVoters*(round-1)+i]
				answers = append(answers, file(round, w, ballot{"G-001": s.say(i, round)}))
			}
		}
		state = mustApply(t, state, round, answers)
	}
	return out, mustFinalize(t, state).Findings[0]
}

// TestASilentRoundDoesNotEndTheLoop: an end after one silent round would let
// an added vote lower the label, because it would keep the loop alive.
func TestASilentRoundDoesNotEndTheLoop(t *testing.T) {
	state := seeded(t, input(3, false, found(1, "w1")))
	state = answered(t, state, 1, nil)
	if want := (Next{ActQueue, 2, Reverify}); state.Next != want {
		t.Fatalf("next is %v, want %v", state.Next, want)
	}
	aborted := finalized(t, answered(t, state, 2, nil))
	if aborted.Status != Aborted || *aborted.StopReason != AbortedNonResult {
		t.Errorf("%s %s, want %s", aborted.Status, *aborted.StopReason, Aborted)
	}
	late := finalized(t, answered(t, state, 2, map[string]ballot{"w2": {"G-001": "A"}}))
	if late.Status != Exhausted || late.Findings[0].Classification != PartialConsensus {
		t.Errorf("a vote in the second round: %s, %s", late.Status, late.Findings[0].Classification)
	}
}
