package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
)

// exampleStream is a stream that passes: an error analysis with two analysers
// and one convergence round.
var exampleStream = []string{
	"PROGRESS: phase-1-intake reading task bundle",
	"PROGRESS: phase-4-dispatch analyser scope-a",
	"PROGRESS: phase-4-dispatch analyser scope-b",
	"PROGRESS: phase-5-collect analyser scope-a completed",
	"PROGRESS: phase-5-collect analyser scope-b completed",
	"PROGRESS: phase-batch-cleanup analysis batch closed",
	"PROGRESS: phase-5.5-convergence round 1",
	"PROGRESS: phase-batch-cleanup verification batch closed",
	"PROGRESS: phase-6-synthesis dispatching report writer",
}

// play judges the checkpoints of a run of a type from what they rest on: the
// lines, the ledger and the rounds.
func play(t *testing.T, taskType string, lines []string, change func(*subject)) []string {
	t.Helper()
	s := &subject{opened: map[opening]*artifact{}, task: run.NewTask("shop", "pay", "checkout-timeouts", taskType, "002")}
	s.manifest = made(t, "run-manifest", `{"runId": "shop:pay:checkout-timeouts:`+taskType+`:002", "eventsLogPath": "events.jsonl"}`)
	s.team = made(t, "team-state", teamJSON)
	s.state = made(t, "convergence", `{"rounds": [{"round": 0}, {"round": 1}]}`)
	s.planBody, s.context, s.report = made(t, "plan-body", `{}`), made(t, "active-run-context", `{"run": {"stage": 2}}`), made(t, "final-report", `{}`)
	s.events = &artifact{path: "events.jsonl", kind: "event", form: linesForm}
	s.readRoster()
	s.readLedger()
	if change != nil {
		change(s)
	}
	for i, l := range lines {
		if c, ok := toCheckpoint(l); ok {
			c.file, c.line = s.events, i+1
			s.evidence.lines = append(s.evidence.lines, c)
		}
	}
	var codes []string
	for _, r := range progressRules {
		if !r.Applies(taskType) {
			continue
		}
		j := judge{subject: s, rule: r}
		r.check(&j)
		for range j.out {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

const linesForm = lines

const teamJSON = `{"workers": [
 {"workerId": "scope-a", "role": "analyser", "status": "completed"},
 {"workerId": "scope-b", "role": "analyser", "status": "completed"},
 {"workerId": "report-writer", "role": "report-writer", "status": "completed"}],
 "workerDispatches": [
 {"assignmentRef": "assignment:analysis:scope-a", "role": "analyser", "attempt": 1, "outcome": "completed"},
 {"assignmentRef": "assignment:analysis:scope-b", "role": "analyser", "attempt": 1, "outcome": "completed"},
 {"assignmentRef": "assignment:report-writer:report-writer", "role": "report-writer", "attempt": 1, "outcome": "completed"}]}`

// made is an artifact of a JSON text that need not fit its schema.
func made(t *testing.T, kind, text string) *artifact {
	t.Helper()
	a := &artifact{path: kind + ".json", kind: kind, form: document}
	a.parse([]byte(text))
	if a.doc == nil {
		t.Fatalf("%s: %v", kind, a.fault)
	}
	return a
}

func without(lines []string, numbers ...int) []string {
	var out []string
	for i, l := range lines {
		if !slices.Contains(numbers, i+1) {
			out = append(out, l)
		}
	}
	return out
}

func swapped(lines []string, a, b int) []string {
	out := slices.Clone(lines)
	out[a-1], out[b-1] = out[b-1], out[a-1]
	return out
}

func replaced(lines []string, n int, text string) []string {
	out := slices.Clone(lines)
	out[n-1] = text
	return out
}

func TestT35TheExampleStreamPassesAndEachFaultGivesItsRule(t *testing.T) {
	const (
		o3 = "progress-cleanup-before-convergence"
		o4 = "progress-cleanup-before-synthesis"
		o9 = "progress-cleanup-stale"
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"the whole stream", exampleStream, nil},
		{"without line 6", without(exampleStream, 6), []string{o3}},
		{"without line 8", without(exampleStream, 8), []string{o9}},
		{"without both", without(exampleStream, 6, 8), []string{o3, o4}},
		{"line 3 says only the worker", replaced(exampleStream, 3, "PROGRESS: phase-4-dispatch scope-b"), []string{"progress-dispatch-missing"}},
		{"line 6 after line 7", swapped(exampleStream, 6, 7), []string{o3}},
		{"without line 1", without(exampleStream, 1), []string{"progress-intake-first"}},
		{"without line 5", without(exampleStream, 5), []string{"progress-collect-missing"}},
		{"without line 7", without(exampleStream, 7), []string{"progress-convergence-missing"}},
		{"without line 9", without(exampleStream, 9), []string{"progress-synthesis-missing"}},
		{"line 2 after line 4", swapped(exampleStream, 2, 4), []string{"progress-collect-order"}},
		{"no line at all", nil, []string{"progress-no-evidence"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, play(t, "error-analysis", tt.lines, nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// building gives a run an implementer, and the carry sidecar of its stage.
func buildingRun(t *testing.T, status string, carried bool) func(*subject) {
	return func(s *subject) {
		s.team = made(t, "team-state", fmt.Sprintf(`{"workers": [{"workerId": "implementer", "role": "implementer", "status": %q}],
		 "workerDispatches": [{"assignmentRef": "assignment:implementer:implementer", "role": "implementer", "attempt": 1, "outcome": "completed"}]}`, status))
		s.roster, s.dispatches = nil, nil
		s.readRoster()
		s.readLedger()
		s.state = made(t, "convergence", `{"rounds": [{"round": 0}]}`)
		s.carry = &artifact{path: "carry/stage-2.json", missing: !carried}
	}
}

var buildingStream = []string{
	"PROGRESS: phase-1-intake reading task bundle",
	"PROGRESS: phase-5-stage stage 2",
	"PROGRESS: phase-4-dispatch implementer implementer",
	"PROGRESS: phase-5-collect implementer implementer completed",
}

func TestT18TheEndOfAStageIsAskedForOnlyWithItsCarry(t *testing.T) {
	missing := []string{"progress-stage-complete-missing"}
	done := append(slices.Clone(buildingStream), "PROGRESS: phase-5-stage-complete stage 2")
	for _, tt := range []struct {
		name    string
		status  string
		carried bool
		lines   []string
		want    []string
	}{
		{"carry withheld", "completed", false, buildingStream, nil},
		{"carry persisted", "completed", true, buildingStream, missing},
		{"carry persisted and announced", "completed", true, done, nil},
		{"implementer failed", "error", true, buildingStream, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, play(t, building, tt.lines, buildingRun(t, tt.status, tt.carried))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestT19AStageIsAskedForOnlyWhenAWorkerWasDispatched(t *testing.T) {
	nobody := func(s *subject) { s.roster, s.dispatches, s.state = nil, nil, nil }
	if got := play(t, building, buildingStream[:1], nobody); got != nil {
		t.Errorf("nobody was dispatched: %v", got)
	}
	got := play(t, building, without(buildingStream, 2), buildingRun(t, "completed", false))
	if diff := cmp.Diff([]string{"progress-stage-missing"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestT21PlanVerificationIsAnnouncedFromTwoRoundsOn(t *testing.T) {
	rounds := func(n int) func(*subject) {
		return func(s *subject) {
			s.planBody = made(t, "plan-body", `{"rounds": [`+strings.TrimSuffix(strings.Repeat("{},", n), ",")+`]}`)
		}
	}
	one, cleanup, two := "PROGRESS: phase-5.5.9-plan-verify round 1", "PROGRESS: phase-batch-cleanup closed", "PROGRESS: phase-5.5.9-plan-verify round 2"
	for _, tt := range []struct {
		name   string
		rounds int
		lines  []string
		want   []string
	}{
		{"one round, no line", 1, nil, nil},
		{"two rounds, all there", 2, []string{one, cleanup, two}, nil},
		{"two rounds, one line", 2, []string{one, cleanup}, []string{"progress-plan-verify-missing"}},
		{"two rounds, no cleanup", 2, []string{one, two}, []string{"progress-plan-verify-cleanup"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, planning, append(slices.Clone(exampleStream), tt.lines...), rounds(tt.rounds))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConvergenceThatAskedNobodyNeedsNoLine(t *testing.T) {
	seeded := func(s *subject) { s.state = made(t, "convergence", `{"rounds": [{"round": 0}]}`) }
	if got := play(t, "error-analysis", without(exampleStream, 7, 8), seeded); got != nil {
		t.Error(got)
	}
}

func TestARetryNeedsNoSecondLine(t *testing.T) {
	again := func(s *subject) {
		s.dispatches = append(s.dispatches, s.dispatches[0])
	}
	if got := play(t, "error-analysis", exampleStream, again); got != nil {
		t.Error(got)
	}
}

func TestWhatMayStillComeIsNotMissedWhileARunGoesOn(t *testing.T) {
	for n := range exampleStream {
		s := &subject{}
		for i, l := range exampleStream[:n] {
			c, _ := toCheckpoint(l)
			c.file, c.line = &artifact{}, i
			s.evidence.lines = append(s.evidence.lines, c)
		}
		s.manifest, s.team = made(t, "run-manifest", `{}`), made(t, "team-state", teamJSON)
		s.readRoster()
		s.readLedger()
		for _, r := range progressRules {
			if !r.Applies("error-analysis") {
				continue
			}
			j := judge{subject: s, rule: r, going: true}
			r.check(&j)
			for _, f := range j.out {
				t.Errorf("after line %d: %s: %s", n, f.Code, f.Message)
			}
		}
	}
}
