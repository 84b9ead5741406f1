package converge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/converge/grouping"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// criticFile is a critic's file with some candidates, as it is parsed.
func criticFile(t fataler, worker string, titles ...string) grouping.Critic {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "# Critic\nWorker: %s\n", worker)
	for i, title := range titles {
		fmt.Fprintf(&text, "\n### %s %s\n- Tickets: PAY-2, PAY-10\n- Evidence: main.go:%d\n- Evidence: pool.go:4 a note\nwhy it matters\n", grouping.ID("X", i+1), title, i+61)
	}
	if len(titles) == 0 {
		text.WriteString("\nNone.\n")
	}
	c, faults := grouping.ParseCritic("c.md", []byte(text.String()))
	if len(faults) > 0 {
		t.Fatalf("critic's file: %v", faults)
	}
	return c
}

// critical is an input whose configuration enables a critic.
func critical(n int, adversarial bool, groups ...Group) Input {
	in := input(n, adversarial, groups...)
	in.Config.Critic.Enabled = true
	in.Config.MaxRounds = 1
	return in
}

func silent(string, string, int) string { return "" }

// withGaps opens the critic's round on a final state.
func withGaps(t fataler, s State, c grouping.Critic) State {
	t.Helper()
	open, err := Gaps(s, "c.md", c)
	if err != nil {
		t.Fatalf("gaps: %v", err)
	}
	return sound(t, open)
}

// TestGapsBecomeGroupsOfOneSource: what a candidate is to the verifiers, and
// that the final state that was given in stays as it was.
func TestGapsBecomeGroupsOfOneSource(t *testing.T) {
	final := played(t, critical(3, false, found(1, "w1", "w2")), silent)
	before := encoded(t, final)
	open := withGaps(t, final, criticFile(t, "w2", "nothing  covers\tshutdown", "nobody measured"))
	if encoded(t, final) != before {
		t.Error("the final state has changed")
	}
	why := "why it matters"
	want := Group{
		GroupID: "X-001", Claim: "nothing covers shutdown", Tickets: []string{"PAY-10", "PAY-2"}, Origin: Origin{"w2", "main.go:61; pool.go:4 a note"},
		DiscoveredBy: []string{"w2"}, SourceItems: []grouping.ItemRef{}, CapturedEvidence: &why,
	}
	if diff := cmp.Diff(want, open.Groups[1]); diff != "" {
		t.Error(diff)
	}
	if open.Status != Running || open.StopReason != nil || open.Next != (Next{ActQueue, 1, CriticGap}) || !slices.Equal(open.Queue, []string{"X-001", "X-002"}) {
		t.Errorf("%s, next %v, queue %v", open.Status, open.Next, open.Queue)
	}
	if diff := cmp.Diff(final.Findings, open.Findings); diff != "" {
		t.Errorf("findings of the lead's groups:\n%s", diff)
	}
}

// TestGapsThatAreRefused, each with its code and status, and no candidate at
// all, which is no step.
func TestGapsThatAreRefused(t *testing.T) {
	lead := found(1, "w1", "w2")
	final := played(t, critical(3, false, lead), silent)
	quiet := critical(3, false, lead)
	quiet.Config.Critic.Enabled = false
	off := critical(3, false, lead)
	off.Config.Enabled = false
	one := criticFile(t, "w1", "gap")
	open := withGaps(t, final, one)
	closed := finalized(t, answered(t, open, 1, nil))
	for _, tt := range []struct {
		name   string
		state  State
		critic grouping.Critic
		want   string
		status int
	}{
		{"a round is due", seeded(t, critical(3, false, found(1, "w1"))), one, "wrong-order: the state is not final, it waits for round 1", 1},
		{"finalize is due", seeded(t, critical(3, false, lead)), one, "wrong-order: the state is not final, it waits for finalize", 1},
		{"the critic's round is due", open, one, "wrong-order: the state is not final, it waits for round 1", 1},
		{"a second time", closed, one, "wrong-order: a critic's candidates were added already; each gets one verification", 1},
		{"no loop", seeded(t, off), one, "wrong-order: there is no loop (disabled-by-config)", 1},
		{"one analyst", seeded(t, critical(1, false, found(1, "w1"))), one, "wrong-order: there is no loop (insufficient-analysers)", 1},
		{"no critic wanted", played(t, quiet, silent), one, "critic-disabled: the configuration enables no critic", 1},
		{"the lead", final, criticFile(t, "lead", "gap"), `c.md:2: critic-worker: critic "lead" is no analysis worker of the roster`, 2},
		{"the report writer", final, criticFile(t, "report-writer", "gap"), "critic-worker", 2},
		{"a stranger", final, criticFile(t, "w9", "gap"), "critic-worker", 2},
		{"a stranger without a candidate", final, criticFile(t, "w9"), "critic-worker", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := encoded(t, tt.state)
			got, err := Gaps(tt.state, "c.md", tt.critic)
			refusal, ok := errors.AsType[interface {
				error
				ExitStatus() int
			}](err)
			if !ok || refusal.ExitStatus() != tt.status || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v, want status %d and %q", err, tt.status, tt.want)
			}
			if encoded(t, got) != before || encoded(t, tt.state) != before {
				t.Error("a refused call changed the state")
			}
		})
	}
	if same, err := Gaps(final, "c.md", criticFile(t, "w1")); err != nil || encoded(t, same) != encoded(t, final) {
		t.Errorf("no candidate: %v", err)
	}
}

// TestT15ACandidateIsABlockerOrARiskAndNeverLost: each label of a candidate
// and the list it comes to stand on. A blocker is what makes "accepted"
// impossible; that rule is held over whole runs, by the validator.
func TestT15ACandidateIsABlockerOrARiskAndNeverLost(t *testing.T) {
	for _, tt := range []struct {
		name    string
		votes   ballot // worker → word
		label   Label
		blocker bool
	}{
		{"everybody confirms", ballot{"w2": "A", "w3": "S", "w4": "A"}, FullConsensus, true},
		{"some confirm, the others are silent", ballot{"w2": "A", "w3": "A"}, PartialConsensus, true},
		{"one confirms, the others are silent", ballot{"w2": "A"}, PartialConsensus, true},
		{"most confirm", ballot{"w2": "A", "w3": "A", "w4": "D"}, PartialConsensus, true},
		{"a tie", ballot{"w2": "A", "w3": "D"}, Contested, false},
		{"most reject", ballot{"w2": "A", "w3": "D", "w4": "D"}, Contested, false},
		{"everybody rejects", ballot{"w2": "D", "w3": "D", "w4": "D"}, Contested, false},
		{"nobody answers", ballot{}, WorkerUnique, false},
	} {
		for _, adversarial := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, adversarial %v", tt.name, adversarial), func(t *testing.T) {
				final := played(t, critical(4, adversarial, found(1, "w1", "w2")), silent)
				open := withGaps(t, final, criticFile(t, "w1", "gap"))
				ballots := map[string]ballot{}
				for worker, word := range tt.votes {
					ballots[worker] = ballot{"X-001": word}
				}
				closed := finalized(t, answered(t, open, 1, ballots))
				if got := closed.Findings[1].Classification; got != tt.label {
					t.Errorf("%s, want %s", got, tt.label)
				}
				got, err := Accept(closed)
				if err != nil {
					t.Fatal(err)
				}
				want := Acceptance{AcceptanceBlockers: []Blocker{}, ResidualRisks: []Risk{{"W-001", "gap", "critic"}}}
				if tt.blocker {
					want = Acceptance{AcceptanceBlockers: []Blocker{{"K-001", "gap", []string{"E-002", "E-003"}, "critic"}}, ResidualRisks: []Risk{}}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestAcceptanceNeedsAFinalState: candidates that are still being judged are
// neither blockers nor risks, and a state without candidates has none.
func TestAcceptanceNeedsAFinalState(t *testing.T) {
	final := played(t, critical(3, true, found(1, "w1", "w2")), silent)
	if got, err := Accept(final); err != nil || len(got.AcceptanceBlockers)+len(got.ResidualRisks) > 0 {
		t.Errorf("without candidates: %+v %v", got, err)
	}
	open := withGaps(t, final, criticFile(t, "w1", "gap"))
	for _, s := range []State{open, answered(t, open, 1, nil)} {
		if _, err := Accept(s); err == nil || !strings.Contains(err.Error(), CodeWrongOrder) {
			t.Errorf("next %v: %v", s.Next, err)
		}
	}
}

// TestLawsOfACriticsRound over any story with any candidates: the lead's
// findings, the status and the rounds so far stay as they were; nobody is
// asked about a candidate of its own; each candidate is judged once and
// adversarially, by whoever answered; it comes to stand on one of two lists;
// and every state on the way fits its schema, is read back and goes on to the
// same bytes.
func TestLawsOfACriticsRound(t *testing.T) {
	titles := rapid.SliceOfN(rapid.SampledFrom([]string{"gap", "a | b <c>", "ünïcödé \u2028 gap", "X-001 again", strings.Repeat("long ", 80)}), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		s.input.Config.Critic.Enabled = true
		before := s.tell(t, s.input, inOrder, unchanged)
		if before.Status == Disabled {
			return
		}
		b, _ := before.replay()
		critic := b.voter(int32(rapid.IntRange(0, len(b.voters)-1).Draw(t, "critic"))).WorkerID
		file := criticFile(t, critic, titles.Draw(t, "titles")...)
		open := reread(t, withGaps(t, before, file))
		round := len(before.Rounds)
		if open.Next != (Next{ActQueue, round, CriticGap}) {
			t.Fatalf("next %v, want round %d", open.Next, round)
		}
		ballots, agree, disagree := map[string]ballot{}, map[string]int{}, map[string]int{}
		for _, p := range mustQueue(t, open, QueueOptions{}) {
			if p.WorkerID == critic || !p.Adversarial || p.VerificationMode != FullReanalysis || len(p.Groups) != len(file.Candidates) {
				t.Fatalf("the critic is %s: %+v", critic, p)
			}
			if rapid.IntRange(0, 4).Draw(t, "mute") == 0 {
				continue
			}
			ballots[p.WorkerID] = ballot{}
			for _, g := range p.Groups {
				word := rapid.SampledFrom([]string{"A", "A", "D", "S", ""}).Draw(t, "word")
				ballots[p.WorkerID][g.GroupID] = word
				switch word {
				case "A", "S":
					agree[g.GroupID]++
				case "D":
					disagree[g.GroupID]++
				}
			}
		}
		closed := reread(t, finalized(t, reread(t, answered(t, open, round, ballots))))
		n := len(before.Groups)
		if diff := cmp.Diff(before.Findings, closed.Findings[:n]); diff != "" || closed.Status != before.Status || *closed.StopReason != *before.StopReason {
			t.Fatalf("%s after %s:\n%s", closed.Status, before.Status, diff)
		}
		if diff := cmp.Diff(before.Rounds, closed.Rounds[:round]); diff != "" || len(closed.Rounds) != round+1 {
			t.Fatalf("%d rounds after %d:\n%s", len(closed.Rounds), round, diff)
		}
		var blockers, risks []string
		for i, c := range file.Candidates {
			voters := len(b.voters) - 1
			tally := Tally{1, agree[c.ItemID], disagree[c.ItemID], voters - agree[c.ItemID] - disagree[c.ItemID], true}
			if got, want := closed.Findings[n+i], Classify(tally); got.GroupID != c.ItemID || got.Classification != want.Label() || got.Section != want.Section || got.Settled != want.Settled {
				t.Fatalf("%+v, want %s of %+v", got, want.Label(), tally)
			}
			claim := strings.Join(strings.Fields(c.Title), " ")
			if l := closed.Findings[n+i].Classification; l == PartialConsensus || l == FullConsensus {
				blockers = append(blockers, claim)
			} else {
				risks = append(risks, claim)
			}
		}
		a, err := Accept(closed)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range a.AcceptanceBlockers {
			if k.ID != grouping.ID("K", i+1) || k.Statement != blockers[i] || len(k.EvidenceRefs) == 0 {
				t.Fatalf("blocker %d: %+v, want %v", i, k, blockers)
			}
		}
		for i, w := range a.ResidualRisks {
			if w.ID != grouping.ID("W", i+1) || w.Statement != risks[i] {
				t.Fatalf("risk %d: %+v, want %v", i, w, risks)
			}
		}
		if len(a.AcceptanceBlockers) != len(blockers) || len(a.ResidualRisks) != len(risks) {
			t.Fatalf("%d blockers and %d risks, want %d and %d", len(a.AcceptanceBlockers), len(a.ResidualRisks), len(blockers), len(risks))
		}
		if _, err := Gaps(closed, "c.md", file); err == nil {
			t.Fatal("candidates are added twice")
		}
	})
}

// TestAnAddedConfirmationNeverTurnsABlockerIntoARisk is law 3 for what a
// critic found, over all votes of four voters.
func TestAnAddedConfirmationNeverTurnsABlockerIntoARisk(t *testing.T) {
	final := played(t, critical(4, false, found(1, "w1", "w2")), silent)
	open := withGaps(t, final, criticFile(t, "w1", "gap"))
	words := []string{"", "A", "S", "D"}
	blocks := func(votes map[string]string) bool {
		ballots := map[string]ballot{}
		for worker, word := range votes {
			ballots[worker] = ballot{"X-001": word}
		}
		a, err := Accept(finalized(t, answered(t, open, 1, ballots)))
		if err != nil {
			t.Fatal(err)
		}
		return len(a.AcceptanceBlockers) == 1
	}
	for code := range 4 * 4 * 4 {
		votes := map[string]string{"w2": words[code%4], "w3": words[code/4%4], "w4": words[code/16]}
		for worker, word := range votes {
			if word == "A" || word == "S" {
				continue
			}
			more := maps.Clone(votes)
			more[worker] = "A"
			if blocks(votes) && !blocks(more) {
				t.Errorf("%v is a blocker, with %s agreeing a risk", votes, worker)
			}
		}
	}
}

// reread is a state that was written, checked as the commands check it, and
// read again.
func reread(t fataler, s State) State {
	t.Helper()
	raw, err := jsondoc.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	doc, err := jsondoc.Parse("state.json", raw)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var back State
	if err := schema.Decode(doc, StateKind, &back); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	if again, err := jsondoc.Marshal(sound(t, back)); err != nil || string(again) != string(raw) {
		t.Fatalf("read back it is another: %v\n%s", err, cmp.Diff(string(raw), string(again)))
	}
	return back
}
