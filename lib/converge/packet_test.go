package converge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustQueue(t fataler, s State, o QueueOptions) []Packet {
	t.Helper()
	packets, err := Queue(s, s.Next.Round, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return packets
}

// TestAWorkerIsNeverAskedAboutItsOwnGroup: a confirmation by the author is no
// vote, so the question is not put (reported of a council that let reviewers
// judge their own answers, and of one that threw a quarter of its tokens away
// on them).
func TestAWorkerIsNeverAskedAboutItsOwnGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		s.tell(t, s.input, inOrder, func(st State) State {
			if st.Next.Action != ActQueue {
				return st
			}
			for _, p := range mustQueue(t, st, QueueOptions{}) {
				for _, g := range p.Groups {
					at := slices.IndexFunc(st.Groups, func(x Group) bool { return x.GroupID == g.GroupID })
					if slices.Contains(st.Groups[at].DiscoveredBy, p.WorkerID) {
						t.Fatalf("%s is asked about its own %s", p.WorkerID, g.GroupID)
					}
				}
			}
			return st
		})
	})
}

// TestAPacketShowsArgumentsAndNobodysVerdict: verdicts, counts and names of the
// others would be followed (reported as bandwagon); what they said is shown.
func TestAPacketShowsArgumentsAndNobodysVerdict(t *testing.T) {
	in := input(4, false, found(1, "w4"))
	s := answered(t, seeded(t, in), 1, map[string]ballot{"w1": {"G-001": "S"}, "w2": {"G-001": "D"}, "w3": {"G-001": "A"}})
	for _, p := range mustQueue(t, s, QueueOptions{Anonymize: true}) {
		text, err := json.Marshal(p.Groups)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"AGREE", "SUPPLEMENT", "refuted", "workerId", `"w4"`, "origin", "verdict"} {
			if strings.Contains(string(text), word) {
				t.Errorf("packet of %s tells %q: %s", p.WorkerID, word, text)
			}
		}
		want := map[string][]Argument{
			"w1": {{"", "other.go:1"}, {"w2 thinks so", "other.go:1"}},
			"w2": {{"", "other.go:1"}, {"w1 thinks so", "other.go:1"}},
			"w3": {{"w1 thinks so", "other.go:1"}, {"w2 thinks so", "other.go:1"}},
		}[p.WorkerID]
		if diff := cmp.Diff(want, p.Groups[0].Arguments); diff != "" {
			t.Errorf("%s:\n%s", p.WorkerID, diff)
		}
	}
	if open := mustQueue(t, s, QueueOptions{}); *open[0].Groups[0].Origin != "w4" {
		t.Errorf("an open packet names the origin")
	}
	if first := mustQueue(t, seeded(t, in), QueueOptions{}); len(first[0].Groups[0].Arguments) != 0 {
		t.Errorf("arguments before anybody was asked: %v", first[0].Groups[0].Arguments)
	}
}

// TestTheOrderOfAPacketIsASeededPermutation of the worker's own, by a digest
// that anybody can compute (reported of a council that showed everybody the
// same order).
func TestTheOrderOfAPacketIsASeededPermutation(t *testing.T) {
	var groups []Group
	for i := range 9 {
		groups = append(groups, found(i+1, "lead"))
	}
	s := seeded(t, input(3, false, groups...))
	orders := map[string]bool{}
	for _, seed := range []string{"", "other"} {
		packets := mustQueue(t, s, QueueOptions{OrderSeed: seed})
		for _, p := range packets {
			var ids, keys []string
			for _, g := range p.Groups {
				sum := sha256.Sum256([]byte(p.OrderSeed + "\n1\n" + p.SourceRoleExecutionRef + "\n" + g.GroupID))
				ids, keys = append(ids, g.GroupID), append(keys, hex.EncodeToString(sum[:]))
			}
			if !slices.IsSorted(keys) || len(ids) != 9 {
				t.Errorf("%s, seed %q: %v", p.WorkerID, p.OrderSeed, ids)
			}
			orders[fmt.Sprint(ids)] = true
		}
		if want := map[string]string{"": "error-analysis-002", "other": "other"}[seed]; packets[0].OrderSeed != want {
			t.Errorf("recorded seed %q, want %q", packets[0].OrderSeed, want)
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders for three workers and two seeds", len(orders))
	}
}

// TestAPacketForOneWorkerIsTheOneAmongAll.
func TestAPacketForOneWorkerIsTheOneAmongAll(t *testing.T) {
	s := seeded(t, input(3, true, found(1, "w1"), found(2, "w2"), found(3, "lead")))
	all := mustQueue(t, s, QueueOptions{})
	for _, p := range all {
		if diff := cmp.Diff([]Packet{p}, mustQueue(t, s, QueueOptions{Worker: p.WorkerID})); diff != "" {
			t.Error(diff)
		}
	}
	if none := mustQueue(t, s, QueueOptions{Worker: "lead"}); len(none) != 0 {
		t.Errorf("the lead is asked: %v", none)
	}
}
