package converge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/finding"
)

// panelOfThree waits for round 1 on G-002, which w2 found; G-001 is settled by
// its two sources.
func panelOfThree(t *testing.T, adversarial bool) State {
	t.Helper()
	return seeded(t, input(3, adversarial, found(1, "w1", "w3"), found(2, "w2")))
}

// TestT34RefusedFilesLeaveTheStateAlone: late, self, non-voter, not-asked and
// duplicate files refuse the whole call, and no byte of the state changes.
func TestT34RefusedFilesLeaveTheStateAlone(t *testing.T) {
	s := panelOfThree(t, true)
	good := file(1, "w1", ballot{"G-002": "A"})
	text := func(name, content string) Answer { return Answer{name, []byte(content)} }
	for _, tt := range []struct {
		name, want string
		answers    []Answer
	}{
		{"a source judges its own group", "w2-r1.md:5: verdict-self: worker \"w2\" judges its own group G-002", []Answer{good, file(1, "w2", ballot{"G-002": "A"})}},
		{"a group that was settled by its sources", "w1-r1.md:5: verdict-self", []Answer{file(1, "w1", ballot{"G-001": "A"})}},
		{"a group that nobody was asked about", "w2-r1.md:5: verdict-not-asked: worker \"w2\" was not asked about group G-001 in round 1", []Answer{good, file(1, "w2", ballot{"G-001": "A"})}},
		{"a worker that was asked nothing", "w2-r1.md: verdict-not-asked", []Answer{good, file(1, "w2", nil)}},
		{"the lead", "lead-r1.md: verdict-nonvoter: worker \"lead\" has audience \"lead\"", []Answer{good, file(1, "lead", ballot{"G-002": "A"})}},
		{"the report writer", "verdict-nonvoter", []Answer{good, file(1, "report-writer", ballot{"G-002": "A"})}},
		{"a stranger", "verdict-worker-unknown: worker \"w9\" is not in the roster", []Answer{good, file(1, "w9", ballot{"G-002": "A"})}},
		{"two files of one worker", "verdict-worker-duplicate: a second file of worker \"w1\"", []Answer{good, file(1, "w1", ballot{"G-002": "D"})}},
		{"the same file twice", "verdict-worker-duplicate", []Answer{good, good}},
		{"a group that is not there", "verdict-group-unknown: there is no group \"G-009\"", []Answer{file(1, "w1", ballot{"G-009": "A"})}},
		{"a group by a number of four digits", "verdict-group-unknown: there is no group \"G-0002\"", []Answer{file(1, "w1", ballot{"G-0002": "A"})}},
		{"no round in the header", "a.md:1: verdict-header: header has no label \"Round\"", []Answer{text("a.md", "Worker: w1\n\n## G-002\nVerdict: AGREE\n")}},
		{"round zero", "verdict-header", []Answer{text("a.md", "Round: 0\nWorker: w1\n")}},
		{"no worker in the header", "a.md:1: verdict-header: header has no label \"Worker\"", []Answer{text("a.md", "Round: 1\n")}},
		{"an empty file", "a.md:1: verdict-header", []Answer{text("a.md", "")}},
		{"no UTF-8", "a.md:3: text-encoding", []Answer{text("a.md", "Round: 1\nWorker: w1\n\xff\n")}},
		{"a round that is not due yet", "round-mismatch: w1-r2.md: it answers round 2 (expected 1)", []Answer{file(2, "w1", ballot{"G-002": "A"})}},
	} {
		t.Run(tt.name, func(t *testing.T) { mustRefuse(t, s, 1, true, tt.want, tt.answers...) })
	}
}

// TestALateFileNeverSlipsIntoALaterRound: a file of a round that is counted is
// refused under every --round.
func TestALateFileNeverSlipsIntoALaterRound(t *testing.T) {
	s := answered(t, panelOfThree(t, true), 1, map[string]ballot{"w1": {"G-002": "A"}})
	late := file(1, "w3", ballot{"G-002": "D"})
	mustRefuse(t, s, 1, true, CodeApplied, file(1, "w1", ballot{"G-002": "A"}), late)
	mustRefuse(t, s, 2, true, "round-applied: w3-r1.md: it answers round 1, which is counted already (expected round 2)", late)
	mustRefuse(t, s, 3, true, "wrong-order: round 3 is not due, the state waits for round 2", late)
	mustRefuse(t, finalized(t, answered(t, s, 2, nil)), 1, true, "round 1 is counted already; the state waits for nothing: it is final", late)
}

// TestAFileOfAnotherRoundIsNoMissingFile: the caller mixed rounds up; to call
// the worker silent as well would mislead.
func TestAFileOfAnotherRoundIsNoMissingFile(t *testing.T) {
	_, _, err := Apply(panelOfThree(t, true), 1, []Answer{file(2, "w1", ballot{"G-002": "A"}), file(3, "w3", ballot{"G-002": "A"})}, false)
	if err == nil || strings.Contains(err.Error(), CodeFileMissing) || strings.Count(err.Error(), CodeMismatch) != 2 {
		t.Errorf("%v, want two mismatches and nothing else", err)
	}
}

// TestEveryFaultOfEveryFileIsTold at once, so that one repair is enough.
func TestEveryFaultOfEveryFileIsTold(t *testing.T) {
	_, _, err := Apply(panelOfThree(t, true), 1, []Answer{
		file(1, "lead", nil), file(1, "w9", nil), file(1, "w2", ballot{"G-001": "A", "G-002": "A"}), {"x.md", []byte("Round: 1\n")},
	}, false)
	refused, ok := err.(interface{ Unwrap() []error }).Unwrap()[0].(*RefusedFiles)
	if !ok || refused.ExitStatus() != 2 {
		t.Fatalf("%v (%T)", err, err)
	}
	want := []string{CodeNonvoter, CodeFileMissing, CodeFileMissing, CodeNotAsked, CodeSelf, CodeWorkerUnknown, "verdict-header"}
	if diff := cmp.Diff(want, codes(refused.Faults, func(f finding.Finding) string { return f.Code })); diff != "" {
		t.Error(diff)
	}
}

// TestT34BadBlocksCostThatVoteAlone: the vote is missing with the fault as its
// reason; the other blocks of the file count.
func TestT34BadBlocksCostThatVoteAlone(t *testing.T) {
	for _, tt := range []struct {
		code, block         string
		kindly, adversarial bool // the block is bad in this posture
	}{
		{"verdict-group-missing", "", true, true},
		{"verdict-unknown", "## G-002\nVerdict: agree\n", true, true},
		{"verdict-unknown", "## G-002\nVerdict: AGREE, mostly\n", true, true},
		{"verdict-unknown", "## G-002\nEvidence: a.go:1\n", true, true},
		{"verdict-label", "## G-002\nVerdict: AGREE\nVerdict: AGREE\nEvidence: a.go:1\n", true, true},
		{"verdict-label", "## G-002\nVerdict: AGREE\nEvidence: a.go:1\nConfidence: 9\n", true, true},
		{"verdict-label", "## G-002\nVerdict: AGREE\nEvidence: a.go:1\nI am quite sure.\n", true, true},
		{"verdict-label", "## G-002\nVerdict: DISAGREE\nLetter: c\nBasis: refuted\nEvidence: a.go:1\nReason: r\n", true, true},
		{"verdict-evidence-missing", "## G-002\nVerdict: AGREE\n", false, true},
		{"verdict-evidence-missing", "## G-002\nVerdict: DISAGREE\nBasis: refuted\nReason: r\n", true, true},
		{"verdict-evidence-missing", "## G-002\nVerdict: SUPPLEMENT\nReason: r\n", true, true},
		{"verdict-reason-missing", "## G-002\nVerdict: DISAGREE\nBasis: refuted\nEvidence: a.go:1\n", true, true},
		{"verdict-reason-missing", "## G-002\nVerdict: SUPPLEMENT\nEvidence: a.go:1\nReason:\n", true, true},
		{"verdict-basis", "## G-002\nVerdict: DISAGREE\nEvidence: a.go:1\nReason: r\n", false, true},
		{"verdict-basis", "## G-002\nVerdict: DISAGREE\nBasis: hunch\nEvidence: a.go:1\nReason: r\n", true, true},
		{"verdict-basis", "## G-002\nVerdict: AGREE\nBasis: refuted\nEvidence: a.go:1\n", true, true},
		{"verdict-basis", "## G-002\nVerdict: SUPPLEMENT\nBasis: refuted\nEvidence: a.go:1\nReason: r\n", true, true},
		{"verdict-duplicate", "## G-002\nVerdict: AGREE\nEvidence: a.go:1\n\n## G-002\nVerdict: AGREE\nEvidence: a.go:1\n", true, true},
		{"verdict-duplicate", "## G-002\nVerdict: maybe\n\n## G-002\nVerdict: AGREE\nEvidence: a.go:1\n", true, true},
	} {
		for _, adversarial := range []bool{false, true} {
			bad := tt.kindly && !adversarial || tt.adversarial && adversarial
			t.Run(fmt.Sprintf("%s adversarial %v %q", tt.code, adversarial, tt.block), func(t *testing.T) {
				s := seeded(t, input(3, adversarial, found(1, "w2"), found(2, "w2")))
				answer := Answer{"w1.md", []byte("Round: 1\nWorker: w1\n\n" + tt.block + block("G-001", "A", "w1", 1))}
				next, lost, err := Apply(s, 1, []Answer{answer, file(1, "w3", ballot{"G-001": "A", "G-002": "A"})}, false)
				if err != nil {
					t.Fatal(err)
				}
				r := sound(t, next).Rounds[1]
				if !bad {
					if len(r.Missing) > 0 || len(lost) > 0 || len(r.Verdicts) != 4 {
						t.Errorf("a good block is lost: %v", lost)
					}
					return
				}
				if diff := cmp.Diff([]MissingVote{{"G-002", "w1", tt.code}}, r.Missing); diff != "" || len(r.Verdicts) != 3 {
					t.Errorf("%d votes, missing:\n%s", len(r.Verdicts), diff)
				}
				if !slices.ContainsFunc(lost, func(f finding.Finding) bool { return f.Code == tt.code && f.Level == finding.Warning }) {
					t.Errorf("lost votes are told as %v", lost)
				}
			})
		}
	}
}

// TestAWorkerWithoutAFileIsAskedFor: no vote is lost by counting too early.
func TestAWorkerWithoutAFileIsAskedFor(t *testing.T) {
	s := panelOfThree(t, false)
	mustRefuse(t, s, 1, false, "round 1: verdict-file-missing: worker \"w3\" was asked and gave no verdict file", file(1, "w1", ballot{"G-002": "A"}))
	next, lost, err := Apply(s, 1, []Answer{file(1, "w1", ballot{"G-002": "A"})}, true)
	if err != nil {
		t.Fatal(err)
	}
	want := []finding.Finding{{Level: finding.Warning, Code: CodeFileMissing, Artifact: "round 1", Message: `worker "w3" gave no verdict file; no vote on G-002`}}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]MissingVote{{"G-002", "w3", CodeFileMissing}}, sound(t, next).Rounds[1].Missing); diff != "" {
		t.Error(diff)
	}
}

// TestALatestVoteReplacesAndAMissingOneDoesNotErase are rules of the rounds.
func TestALatestVoteReplacesAndAMissingOneDoesNotErase(t *testing.T) {
	s := seeded(t, input(3, false, found(1, "w2")))
	s = answered(t, s, 1, map[string]ballot{"w1": {"G-001": "D"}, "w3": {"G-001": "A"}})
	if diff := cmp.Diff(map[string][]string{"w1": {"G-001"}, "w3": {"G-001"}}, mustAsked(t, s)); diff != "" {
		t.Errorf("a split group asks everybody again:\n%s", diff)
	}
	changed := finalized(t, answered(t, s, 2, map[string]ballot{"w1": {"G-001": "S"}, "w3": {}})).Findings[0]
	if changed.Agree != 2 || changed.Disagree != 0 || changed.Classification != FullConsensus {
		t.Errorf("%+v", changed)
	}
	if len(changed.Dissent) != 1 || !changed.Dissent[0].Withdrawn || len(changed.Supplements) != 1 {
		t.Errorf("withdrawn dissent must stay visible: %+v", changed)
	}
	kept := finalized(t, answered(t, s, 2, nil)).Findings[0]
	if kept.Agree != 1 || kept.Disagree != 1 || kept.Missing != 0 || kept.Dissent[0].Withdrawn {
		t.Errorf("a missing vote erased an earlier one: %+v", kept)
	}
}

// TestAWithdrawnSupplementIsNoSupplement: who changes over to DISAGREE takes
// the supplement back.
func TestAWithdrawnSupplementIsNoSupplement(t *testing.T) {
	s := seeded(t, input(3, false, found(1, "w2")))
	s = answered(t, s, 1, map[string]ballot{"w1": {"G-001": "S"}, "w3": {"G-001": "D"}})
	f := finalized(t, answered(t, s, 2, map[string]ballot{"w1": {"G-001": "D"}, "w3": {"G-001": "D"}})).Findings[0]
	if len(f.Supplements) != 0 || len(f.Dissent) != 3 || f.Classification != Contested {
		t.Errorf("%+v", f)
	}
}

// TestLaterRoundsAskOnlyWhoHasNotVoted where nobody contradicts.
func TestLaterRoundsAskOnlyWhoHasNotVoted(t *testing.T) {
	s := seeded(t, input(4, false, found(1, "w2"), found(2, "w1"), found(3, "w1")))
	s = answered(t, s, 1, map[string]ballot{"w1": {"G-001": "A"}, "w2": {"G-002": "D", "G-003": "A"}, "w3": {"G-002": "D", "G-003": "A"}, "w4": {"G-002": "D", "G-003": ""}})
	if diff := cmp.Diff(map[string][]string{"w3": {"G-001"}, "w4": {"G-001", "G-003"}}, mustAsked(t, s)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"G-002"}, s.Rounds[1].Resolved); diff != "" {
		t.Errorf("unanimous dissent leaves nothing to ask:\n%s", diff)
	}
}

func mustAsked(t *testing.T, s State) map[string][]string {
	t.Helper()
	b, queue := s.replay()
	return b.asked(queue)
}

// TestStepsOutOfOrderAreRefused for each command in each kind of state.
func TestStepsOutOfOrderAreRefused(t *testing.T) {
	waiting := panelOfThree(t, false)
	due := answered(t, waiting, 1, map[string]ballot{"w1": {"G-002": "A"}, "w3": {"G-002": "A"}})
	final := finalized(t, due)
	one := input(1, false, found(1, "w1"))
	for _, tt := range []struct {
		name, want string
		step       func() error
	}{
		{"finalize while a round is due", "wrong-order: the state waits for round 1", func() error { _, err := Finalize(waiting); return err }},
		{"queue of a later round", "round 2 is not due, the state waits for round 1", func() error { _, err := Queue(waiting, 2, QueueOptions{}); return err }},
		{"summary of a running state", "the state is not final, it waits for round 1", func() error { _, err := Summarise(waiting); return err }},
		{"queue when finalize is due", "the state waits for finalize", func() error { _, err := Queue(due, 2, QueueOptions{}); return err }},
		{"apply when finalize is due", "the state waits for finalize", func() error { _, _, err := Apply(due, 2, nil, true); return err }},
		{"finalize twice", "the state waits for nothing: it is final", func() error { _, err := Finalize(final); return err }},
		{"queue of a final state", "it is final", func() error { _, err := Queue(final, 1, QueueOptions{}); return err }},
		{"apply to a final state", "it is final", func() error { _, _, err := Apply(final, 2, nil, true); return err }},
		{"queue of a disabled state", "it is final", func() error { _, err := Queue(Seed(one, ""), 1, QueueOptions{}); return err }},
		{"finalize of a disabled state", "it is final", func() error { _, err := Finalize(Seed(one, "")); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.step()
			if status, ok := err.(interface{ ExitStatus() int }); !ok || status.ExitStatus() != 1 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v (%T), want a refusal with %q", err, err, tt.want)
			}
		})
	}
}

// TestMaxRoundsEndsTheLoop at each of the three limits.
func TestMaxRoundsEndsTheLoop(t *testing.T) {
	for limit := 1; limit <= 3; limit++ {
		in := input(3, false, found(1, "w1"))
		in.Config.MaxRounds = limit
		final := played(t, in, func(worker, _ string, _ int) string { return map[string]string{"w2": "A", "w3": "D"}[worker] })
		if len(final.Rounds) != limit+1 || final.Status != Exhausted || *final.StopReason != MaxRounds || final.Findings[0].ResolvedInRound != nil {
			t.Errorf("limit %d: %d rounds, %s, %v", limit, len(final.Rounds)-1, final.Status, final.Findings[0].ResolvedInRound)
		}
	}
}

// TestT2TwoSourcesAreConsensusAtOnce, in both postures; nobody is asked.
func TestT2TwoSourcesAreConsensusAtOnce(t *testing.T) {
	for _, adversarial := range []bool{false, true} {
		s := seeded(t, input(3, adversarial, found(1, "w1", "w3")))
		f := s.Findings[0]
		if f.Classification != FullConsensus || f.Reason != "two-sources" || *f.ResolvedInRound != 0 || f.Missing != 0 || len(s.Queue) != 0 || s.Next != (Next{Action: ActFinalize}) {
			t.Errorf("adversarial %v: %+v, next %v", adversarial, f, s.Next)
		}
	}
}

// TestT3TwoRolesOfOneProviderAreTwoSources; the flags say what they share.
func TestT3TwoRolesOfOneProviderAreTwoSources(t *testing.T) {
	in := input(3, true, found(1, "w1", "w2"))
	in.Workers[1].Provider, in.Workers[1].Model = in.Workers[0].Provider, in.Workers[0].Model
	f := seeded(t, in).Findings[0]
	if f.Classification != FullConsensus || f.Sources != 2 {
		t.Errorf("%+v", f)
	}
	if diff := cmp.Diff([]string{SameProvider, SameModel}, f.Flags); diff != "" {
		t.Error(diff)
	}
}

// TestT5TheLeadIsProvenanceOnly: with one analyst beside it a claim is still
// of a single source, and one that it found alone is judged by everybody.
func TestT5TheLeadIsProvenanceOnly(t *testing.T) {
	s := seeded(t, input(3, false, found(1, "w1", "lead"), found(2, "lead"), found(3, "report-writer", "w2")))
	if diff := cmp.Diff(map[string][]string{"w1": {"G-002", "G-003"}, "w2": {"G-001", "G-002"}, "w3": {"G-001", "G-002", "G-003"}}, mustAsked(t, s)); diff != "" {
		t.Error(diff)
	}
	final := finalized(t, answered(t, answered(t, s, 1, nil), 2, nil))
	for i, want := range []int{1, 0, 1} {
		if got := final.Findings[i].Sources; got != want {
			t.Errorf("%s has %d sources, want %d", final.Findings[i].GroupID, got, want)
		}
	}
}

// TestT8TheEngineComparesNoTexts: the same claim twice stays two groups.
func TestT8TheEngineComparesNoTexts(t *testing.T) {
	a, b := found(1, "w1"), found(2, "w2")
	b.Claim, a.Tickets, b.Tickets = a.Claim, []string{"PAY-1"}, []string{"PAY-2"}
	if s := seeded(t, input(2, false, a, b)); len(s.Groups) != 2 || len(s.Queue) != 2 {
		t.Errorf("%d groups, %d in the queue", len(s.Groups), len(s.Queue))
	}
}

// TestT13OneAnalystIsADisabledState, whatever the configuration says; so is a
// run without any, and one that is switched off.
func TestT13OneAnalystIsADisabledState(t *testing.T) {
	off := input(3, false, found(1, "w1"), found(2, "w1", "w2"))
	off.Config.Enabled = false
	for _, tt := range []struct {
		name, reason string
		in           Input
		labels       []Label
		missing      int
	}{
		{"one analyst", InsufficientAnalysers, input(1, true, found(1, "w1")), []Label{WorkerUnique}, 0},
		{"none", InsufficientAnalysers, input(0, true, found(1, "lead")), []Label{WorkerUnique}, 0},
		{"switched off", DisabledByConfig, off, []Label{WorkerUnique, FullConsensus}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := seeded(t, tt.in)
			if s.Status != Disabled || *s.StopReason != tt.reason || s.Next.Action != ActDone || len(s.Queue) != 0 || len(s.Rounds) != 1 {
				t.Errorf("%s %s, next %v, queue %v", s.Status, *s.StopReason, s.Next, s.Queue)
			}
			for i, f := range s.Findings {
				if f.Classification != tt.labels[i] || i == 0 && f.Missing != tt.missing {
					t.Errorf("%s is %s with %d missing", f.GroupID, f.Classification, f.Missing)
				}
			}
		})
	}
}

// TestNoGroupsConverge at once.
func TestNoGroupsConverge(t *testing.T) {
	in := input(3, true)
	in.Groups = []Group{}
	final := finalized(t, seeded(t, in))
	if final.Status != Converged || *final.StopReason != QueueEmpty || len(final.Findings) != 0 {
		t.Errorf("%+v", final)
	}
	if text := encoded(t, final); strings.Contains(text, `"findings":null`) || strings.Contains(text, `"queue":null`) {
		t.Errorf("a list is null: %s", text)
	}
}
