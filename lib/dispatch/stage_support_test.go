package dispatch

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"okstra/lib/run"
)

// A stage is carried on only by the verifiers of its own run, all of which were
// really dispatched.
func TestWhoMustHaveVerifiedAStage(t *testing.T) {
	roster := []run.RoleExecution{{Role: run.RoleImplementer, WorkerID: "implementer"}, {Role: run.RoleVerifier, WorkerID: "claude"}, {Role: run.RoleVerifier, WorkerID: "codex"}}
	row := func(worker, outcome string) run.LedgerRow {
		return run.LedgerRow{AssignmentRef: run.AssignmentRef(PurposeVerifier, worker), Outcome: &outcome}
	}
	both := []run.LedgerRow{row("claude", "failed"), row("claude", OutcomeCompleted), row("codex", OutcomeCompleted)}
	pass := func(workers ...string) (list []verifierResult) {
		for _, w := range workers {
			list = append(list, verifierResult{w, "PASS"})
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		results []verifierResult
		ledger  []run.LedgerRow
		against string
	}{
		{"all passed", pass("claude", "codex"), both, ""},
		{"nobody", nil, both, "nobody verified it"},
		{"one failed", append(pass("claude"), verifierResult{"codex", "FAIL"}), both, "codex says FAIL"},
		{"one is silent", pass("claude"), both, "codex is a verifier of this run and says nothing"},
		{"a stranger", pass("claude", "codex", "nobody"), both, "nobody is no verifier of this run"},
		{"the implementer itself", pass("claude", "codex", "implementer"), both, "implementer is no verifier of this run"},
		{"never dispatched", pass("claude", "codex"), both[:2], "no completed dispatch of verifier codex"},
		{"dispatched and failed", pass("claude", "codex"), append([]run.LedgerRow{row("codex", "timeout")}, both[:2]...), "no completed dispatch of verifier codex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(againstPersisting(tt.results, roster, tt.ledger), ", "); got != tt.against {
				t.Errorf("against = %q, want %q", got, tt.against)
			}
		})
	}
}

func TestWhatAHandOffMustShow(t *testing.T) {
	for _, tt := range []struct {
		name, report string
		asked        []run.StageChoice
		against      string
	}{
		{"done", `{"mode":"stage-group","stages":[1],"action":"commit-only","commands":[{"argv":["git","push"],"exitCode":0}]}`, []run.StageChoice{{Number: 1}}, ""},
		{"pushed at the second try", `{"mode":"stage-group","stages":[1],"commands":[{"argv":["git","push"],"exitCode":1},{"argv":["git","push"],"exitCode":0}]}`, nil, ""},
		{"all stages", `{"mode":"stage-group","stages":[1,2]}`, []run.StageChoice{{Word: run.AllStages}}, ""},
		{"the whole task", `{"mode":"whole-task","stages":[]}`, []run.StageChoice{{Word: run.WholeTaskStage}}, ""},
		{"skipped", `{"mode":"stage-group","stages":[1],"action":"skip"}`, nil, "its action is skip"},
		{"cancelled", `{"mode":"stage-group","stages":[1],"messageHandling":"cancelled"}`, nil, "its message was cancelled"},
		{"a push that failed", `{"mode":"stage-group","stages":[1],"commands":[{"argv":["git","push"],"exitCode":1}]}`, nil, `"git push" ended with 1`},
		{"another stage", `{"mode":"stage-group","stages":[2]}`, []run.StageChoice{{Number: 1}}, "stage 2 was not to be handed off"},
		{"all of it for one stage", `{"mode":"whole-task","stages":[]}`, []run.StageChoice{{Number: 1}}, "stage whole-task was not to be handed off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h handoff
			if err := json.Unmarshal([]byte(tt.report), &h); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(againstTaking(h, tt.asked), ", "); got != tt.against {
				t.Errorf("against = %q, want %q", got, tt.against)
			}
		})
	}
}

// A verification of stage 1 says nothing about stage 2.
func TestAVerificationIsOfItsOwnStage(t *testing.T) {
	one := 1
	for _, tt := range []struct {
		name   string
		stages []run.StageChoice
		stage  *int
		ok     bool
	}{
		{"its stage", []run.StageChoice{{Number: 1}}, &one, true},
		{"two stages", []run.StageChoice{{Number: 1}, {Number: 2}}, &one, false},
		{"another", []run.StageChoice{{Number: 2}}, &one, false},
		{"the whole task", []run.StageChoice{{Word: run.WholeTaskStage}}, &one, false},
		{"a run for no stage", []run.StageChoice{{Word: run.WholeTaskStage}}, nil, true},
	} {
		if got := againstScope(tt.stages, tt.stage); (len(got) == 0) != tt.ok {
			t.Errorf("%s: against = %q, want none: %v", tt.name, got, tt.ok)
		}
	}
}

// Of several hand-offs at once one takes a stage; a row that a crash cut off is
// none, and any other bad row stops everybody.
func TestAStageIsTakenOnce(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot, m.ReportDataPath = t.TempDir(), m.Folder().ReportData()
	path := run.Abs(m.ProjectRoot, m.Folder().Consumers())
	recorder := func(seq string) *StageRecorder {
		own := m
		own.RunID = strings.TrimSuffix(m.RunID, "001") + seq
		return &StageRecorder{Manifest: own, Now: func() time.Time { return time.Unix(0, 0) }, Say: func(string) {}}
	}
	stages := stagesOf("", []int{1, 1})
	token := "accepted"
	if err := recorder("001").consume(t.Context(), stages, "verified", &token); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	refused := make(chan error, 6)
	for i := range 6 {
		group.Go(func() { refused <- recorder(fmt.Sprintf("%03d", i+2)).consume(t.Context(), stages, "taken", nil) })
	}
	group.Wait()
	close(refused)
	taken := 0
	for err := range refused {
		if err == nil {
			taken++
		} else if !strings.Contains(err.Error(), "was taken before") {
			t.Error(err)
		}
	}
	rows, err := readConsumers(path, func(string) {})
	if err != nil || taken != 1 || len(rows) != 2 || rows[1].Status != "taken" {
		t.Fatalf("%d hand-offs took the stage, rows %+v, %v", taken, rows, err)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	for _, tt := range []struct {
		name, more string
		torn       int
		bad        string
	}{
		{"cut off", first[:40], 1, ""},
		{"cut off, and written on", first[:40] + "\n" + first + "\n", 1, ""},
		{"zeros", "\x00\x00\x00", 1, ""},
		{"damaged", strings.Replace(first, `"kind"`, `"kind`, 1) + "\n", 0, ":3:"},
		{"of another kind", strings.Replace(first, "okstra-stage-consumer", "okstra-job", 1) + "\n", 0, ":3:"},
	} {
		if err := os.WriteFile(path, append(slices.Clone(text), tt.more...), 0o644); err != nil {
			t.Fatal(err)
		}
		torn := 0
		_, err := readConsumers(path, func(string) { torn++ })
		if torn != tt.torn || (err == nil) != (tt.bad == "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
			t.Errorf("%s: %d torn, %v; want %d and %q", tt.name, torn, err, tt.torn, tt.bad)
		}
	}
}
