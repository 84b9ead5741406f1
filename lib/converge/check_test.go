package converge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/clitest"
	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
)

// longRun is a state with two rounds, votes, missing ones and dissent: G-001
// has two sources, G-002 is settled by votes, G-003 stays open.
func longRun(t fataler) State {
	s := seeded(t, input(3, true, found(1, "w1", "w3"), found(2, "w2"), found(3, "w2")))
	s = answered(t, s, 1, map[string]ballot{"w1": {"G-002": "A", "G-003": "A"}, "w3": {"G-002": "A", "G-003": ""}})
	return finalized(t, answered(t, s, 2, map[string]ballot{"w3": {"G-003": "D"}}))
}

// copied is a state that shares nothing with s.
func copied(t fataler, s State) State {
	var out State
	if err := json.Unmarshal([]byte(encoded(t, s)), &out); err != nil {
		t.Fatalf("%v", err)
	}
	return out
}

// TestCheckFindsEachBrokenInvariant damages a sound state in one place each.
func TestCheckFindsEachBrokenInvariant(t *testing.T) {
	for _, tt := range []struct {
		name, want string // pointer and code
		damage     func(*State)
	}{
		{"a group in queue and findings", "/queue/0 conv-invariant", func(s *State) { s.Queue = []string{"G-003"} }},
		{"a group in neither", "/findings conv-recompute", func(s *State) { s.Findings = s.Findings[:2] }},
		{"a status that does not fit", "/status conv-invariant", func(s *State) { s.Status = Converged }},
		{"a reason that does not fit", "/stopReason conv-invariant", func(s *State) { s.StopReason = new(QueueEmpty) }},
		{"no reason", "/stopReason conv-invariant", func(s *State) { s.StopReason = nil }},
		{"another next step", "/next conv-invariant", func(s *State) { s.Next = Next{ActQueue, 3, Reverify} }},
		{"running again", "/status conv-invariant", func(s *State) { s.Status, s.StopReason = Running, nil }},
		{"a gap in the rounds", "/rounds/2/round conv-invariant", func(s *State) { s.Rounds[2].Round = 3 }},
		{"a round above the limit", "/rounds/2 conv-invariant", func(s *State) { s.Config.MaxRounds = 1 }},
		{"a critic's round that is not the last", "/rounds/1/kind conv-invariant", func(s *State) { s.Rounds[1].Kind = CriticGap }},
		{"a second seed", "/rounds/1/kind conv-invariant", func(s *State) { s.Rounds[1].Kind = SeedRound }},
		{"a critic's round without candidates", "/rounds conv-invariant", func(s *State) { s.Rounds = append(s.Rounds, Round{Round: 3, Kind: CriticGap}); s.Config.MaxRounds = 3 }},
		{"no rounds", "/rounds conv-invariant", func(s *State) { s.Rounds = nil }},
		{"votes in the seed", "/rounds/0 conv-invariant", func(s *State) { s.Rounds[0].Verdicts = s.Rounds[1].Verdicts[:1] }},
		{"another resolution in the seed", "/rounds/0/resolved conv-invariant", func(s *State) { s.Rounds[0].Resolved = nil }},
		{"another carry in the seed", "/rounds/0/carried/1 conv-invariant", func(s *State) { s.Rounds[0].Carried = []string{"G-002", "G-002"} }},
		{"a question too many", "/rounds/1/asked/w2 conv-invariant", func(s *State) { s.Rounds[1].Asked["w2"] = []string{"G-002"} }},
		{"a question too few", "/rounds/1/asked/w1 conv-invariant", func(s *State) { s.Rounds[1].Asked["w1"] = []string{"G-002"} }},
		{"somebody not asked", "/rounds/1/asked conv-invariant", func(s *State) { delete(s.Rounds[1].Asked, "w1") }},
		{"a vote of a source", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].WorkerID = "w2" }},
		{"a vote of the lead", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].WorkerID = "lead" }},
		{"a vote on a group that is not there", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].GroupID = "G-009" }},
		{"a vote twice", "/rounds/1/verdicts/1 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[1] = s.Rounds[1].Verdicts[0] }},
		{"a vote that is missing as well", "/rounds/1/missing/0 conv-invariant", func(s *State) { s.Rounds[1].Missing[0].WorkerID = "w1" }},
		{"a vote under another role execution", "/rounds/1/verdicts/0/sourceRoleExecutionRef conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].SourceRoleExecutionRef = "re-0009" }},
		{"a vote that could not have been read", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].Evidence = "" }},
		{"a basis on AGREE", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Verdicts[0].DisagreeBasis = new("refuted") }},
		{"votes out of order", "/rounds/1/verdicts/1 conv-invariant", func(s *State) { slices.Reverse(s.Rounds[1].Verdicts[:2]) }},
		{"a vote without a file", "/rounds/1/verdicts/0 conv-invariant", func(s *State) { s.Rounds[1].Files = s.Rounds[1].Files[1:] }},
		{"a file of somebody not asked", "/rounds/1/files/0 conv-invariant", func(s *State) { s.Rounds[1].Files[0].WorkerID = "w2" }},
		{"two files of one worker", "/rounds/1/files/1 conv-invariant", func(s *State) { s.Rounds[1].Files[1] = s.Rounds[1].Files[0] }},
		{"a reason that does not fit the files", "/rounds/1/missing/0/code conv-invariant", func(s *State) { s.Rounds[1].Missing[0].Code = CodeFileMissing }},
		{"a reason from nowhere", "/rounds/1/missing/0/code conv-invariant", func(s *State) { s.Rounds[1].Missing[0].Code = "tired" }},
		{"a question without an answer", "/rounds/1 conv-invariant", func(s *State) { s.Rounds[1].Missing = nil }},
		{"another resolution", "/rounds/1/resolved/0 conv-invariant", func(s *State) { s.Rounds[1].Resolved[0] = "G-003" }},
		{"another carry", "/rounds/2/carried conv-invariant", func(s *State) { s.Rounds[2].Carried = []string{} }},
		{"another label", "/findings/2/classification conv-recompute", func(s *State) { s.Findings[2].Classification = FullConsensus }},
		{"another count", "/findings/1/agree conv-recompute", func(s *State) { s.Findings[1].Agree = 1 }},
		{"dissent left out", "/findings/2/dissent conv-recompute", func(s *State) { s.Findings[2].Dissent = []Dissent{} }},
		{"a vote turned round", "/rounds/2/resolved conv-invariant", func(s *State) {
			s.Rounds[2].Verdicts[0].Verdict, s.Rounds[2].Verdicts[0].DisagreeBasis = "AGREE", nil
		}},
		{"a worker twice", "/workers/1/workerId conv-invariant", func(s *State) { s.Workers[1].WorkerID = "w1" }},
		{"a gap in the groups", "/groups/2/groupId conv-invariant", func(s *State) { s.Groups[2].GroupID = "G-004" }},
		{"rounds of a state that has no loop", "/rounds conv-invariant", func(s *State) { s.Config.Enabled = false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := copied(t, longRun(t))
			tt.damage(&s)
			got := codes(Check(s), func(f finding.Finding) string { return f.Pointer + " " + f.Code })
			if !slices.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestNoSingleChangeOfAStateGoesUnseen: whatever number, word or list of the
// derived parts is changed, Check tells.
func TestNoSingleChangeOfAStateGoesUnseen(t *testing.T) {
	// A worker's own words and a file's digest: there is nothing to derive
	// them from.
	own := map[string]bool{"evidence": true, "reason": true, "text": true, "sha256": true}
	free := func(at, key string) bool { return own[key] && !strings.HasPrefix(at, "/findings/") }
	parts := []string{"status", "stopReason", "next", "queue", "rounds", "findings"}
	clitest.Changes(t, []byte(encoded(t, longRun(t))), parts, free, func(at string, text []byte) {
		var s State
		if json.Unmarshal(text, &s) == nil && len(Check(s)) == 0 {
			t.Errorf("%s was changed, and Check saw nothing", at)
		}
	})
}

// TestCheckTakesWhatTheEngineMakes of any story, after each step.
func TestCheckTakesWhatTheEngineMakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		s.tell(t, s.input, inOrder, func(st State) State { return sound(t, copied(t, st)) })
	})
}

// withCandidate is a final state to which a critic has added a candidate that
// w2 missed.
func withCandidate(t fataler, s State) State {
	s = copied(t, s)
	g := found(1, "w2")
	g.GroupID = "X-001"
	g.SourceItems = []grouping.ItemRef{{WorkerID: "w2", ItemID: "X-001"}}
	s.Groups = append(s.Groups, g)
	s.Status, s.StopReason = Running, nil
	b, queue := s.replay()
	s.advance(b, queue)
	return sound(t, s)
}

// TestT14ACandidateGetsOneRound, adversarial whatever the posture of the run,
// after the loop and not counted against its limit; then the state is final
// with the status that it had.
func TestT14ACandidateGetsOneRound(t *testing.T) {
	in := input(3, false, found(1, "w1"))
	in.Config.MaxRounds = 1
	before := played(t, in, func(worker, _ string, _ int) string { return map[string]string{"w2": "A", "w3": "D"}[worker] })
	open := withCandidate(t, before)
	if want := (Next{ActQueue, 2, CriticGap}); open.Next != want || open.Status != Running {
		t.Fatalf("next is %v, %s, want %v", open.Next, open.Status, want)
	}
	mustRefuse(t, open, 1, true, CodeApplied, file(1, "w2", ballot{"G-001": "A"}), file(1, "w3", ballot{"G-001": "D"}))
	packets, err := Queue(open, 2, QueueOptions{})
	if err != nil || len(packets) != 2 || !packets[0].Adversarial || packets[0].VerificationMode != FullReanalysis || packets[0].RoundKind != CriticGap ||
		!strings.HasSuffix(packets[0].ResultPath, "worker-results/w1-reverify-r2-error-analysis-002.md") {
		t.Fatalf("%+v %v", packets, err)
	}
	after := answered(t, open, 2, map[string]ballot{"w1": {"X-001": "A"}, "w3": {"X-001": "D"}})
	if after.Next.Action != ActFinalize {
		t.Fatalf("a candidate is asked about twice: %v", after.Next)
	}
	final := finalized(t, after)
	if final.Status != before.Status || *final.StopReason != *before.StopReason {
		t.Errorf("%s %s, before the critic %s %s", final.Status, *final.StopReason, before.Status, *before.StopReason)
	}
	if x := final.Findings[1]; x.Classification != Contested || x.Agree != 1 || x.Disagree != 1 {
		t.Errorf("one to one is a tie where the burden of proof is on the claim: %+v", x)
	}
	if g := final.Findings[0]; g.Classification != PartialConsensus || !slices.Equal(final.Rounds[2].Asked["w1"], []string{"X-001"}) {
		t.Errorf("the lead's groups stay as they were: %+v", g)
	}
}

// TestACandidateAfterAnAbortedLoop does not turn the abort into something else.
func TestACandidateAfterAnAbortedLoop(t *testing.T) {
	in := input(3, true, found(1, "w1"))
	aborted := played(t, in, func(string, string, int) string { return "" })
	final := finalized(t, answered(t, withCandidate(t, aborted), 3, map[string]ballot{"w1": {"X-001": "A"}, "w3": {"X-001": "A"}}))
	if final.Status != Aborted || final.Findings[1].Classification != FullConsensus {
		t.Errorf("%s, candidate %s", final.Status, final.Findings[1].Classification)
	}
}

// A message about a list shows it as it stands in the document: the same
// state gives the same message, whatever lies where in memory.
func TestAListInAMessageIsWrittenAsInTheDocument(t *testing.T) {
	s := copied(t, longRun(t))
	s.Findings[2].Dissent[0].Text = "<other>"
	for _, f := range Check(s) {
		if f.Pointer != "/findings/2/dissent" {
			continue
		}
		if !strings.Contains(f.Message, `"text":"<other>"`) || strings.Contains(f.Message, "0x") {
			t.Errorf("%s", f.Message)
		}
		return
	}
	t.Error("the change is not found")
}
