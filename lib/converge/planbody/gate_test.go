package planbody

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/converge"
)

// ballots are all ways in which three voters can answer about one item: "" is
// a file without a block.
func ballots(yield func([3]string) bool) {
	words := []string{"", agree, supplement, disagree}
	for code := range 4 * 4 * 4 {
		if !yield([3]string{words[code%4], words[code/4%4], words[code/16]}) {
			return
		}
	}
}

// counted is a plan of one item after one round of three voters.
func counted(t *testing.T, adversarial bool, words [3]string) State {
	t.Helper()
	s, err := Seed(manifestOf(3), "m.json", Config{Enabled: true, MaxRounds: 2, Adversarial: adversarial}, planOf(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	var answers []converge.Answer
	for i, word := range words {
		var blocks []string
		if word != "" {
			blocks = []string{"P-001", word}
		}
		answers = append(answers, file(1, fmt.Sprintf("w%d", i+1), blocks...))
	}
	next, _, err := Apply(s, 1, answers, false)
	if err != nil {
		t.Fatal(err)
	}
	if found := Check(next); len(found) > 0 {
		t.Fatal(found)
	}
	return next
}

// TestT16TheGateIsAMajorityInEitherPosture: for all votes of three voters the
// adversarial posture changes neither the gate nor what it rests on, and the
// majority of those who voted decides.
func TestT16TheGateIsAMajorityInEitherPosture(t *testing.T) {
	for words := range ballots {
		kind, stern := counted(t, false, words), counted(t, true, words)
		if diff := cmp.Diff(kind.Decide(), stern.Decide()); diff != "" {
			t.Errorf("%q: the posture makes a difference\n%s", words, diff)
		}
		tally := stern.Decide().Items[0]
		yes, no := tally.Agree+tally.Supplement, tally.Disagree
		var want Gate
		switch {
		case no > yes:
			want = Blocked
		case 2*yes < 3:
			want = Aborted
		case no > 0:
			want = PassedWithDissent
		default:
			want = Passed
		}
		if *stern.Gate != want {
			t.Errorf("%q: %s, want %s", words, *stern.Gate, want)
		}
	}
}

// TestT17NoApprovalIsAskedForAtAnAbortedGate: the gate is shut where votes are
// missing, as it is where they are against; only the two that passed are open,
// and before any vote there is no gate at all.
func TestT17NoApprovalIsAskedForAtAnAbortedGate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words [3]string
		gate  Gate
		open  bool
	}{
		{"nobody answers", [3]string{"", "", ""}, Aborted, false},
		{"one of three agrees", [3]string{agree, "", ""}, Aborted, false},
		{"one agrees, one disagrees", [3]string{agree, disagree, ""}, Aborted, false},
		{"one disagrees", [3]string{disagree, "", ""}, Blocked, false},
		{"two of three agree, one disagrees", [3]string{agree, supplement, disagree}, PassedWithDissent, true},
		{"two of three agree", [3]string{agree, agree, ""}, Passed, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := counted(t, true, tt.words)
			if d := s.Decide(); *d.Gate != tt.gate || d.Open != tt.open || tt.gate.Open() != tt.open {
				t.Errorf("%s, open %v, want %s, %v", *d.Gate, d.Open, tt.gate, tt.open)
			}
			if (s.Next.Action == converge.ActDone) != tt.open {
				t.Errorf("next is %v", s.Next)
			}
		})
	}
	if d := seeded(t, 3, 2, "a").Decide(); d.Gate != nil || d.Open {
		t.Errorf("before any round: %+v", d)
	}
}
