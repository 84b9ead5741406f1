package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
)

// logsOf are the logs of a run in which nothing is to be warned of.
func logsOf(t *testing.T, m run.Manifest) Logs {
	return Logs{Manifest: m, Warn: func(text string) { t.Errorf("warned: %s", text) }}
}

// Ids of activity events have neither a gap nor a repeat, though several
// writers append at once.
func TestActivityIDsOfManyWriters(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	m.RoleExecutions = append(m.RoleExecutions, run.RoleExecution{WorkerID: "claude", Role: run.RoleAnalyser})
	now := time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if err := logsOf(t, m).Activity(t.Context(), []byte(`{"kind":"verification","round":1}`), now.Add(time.Duration(-i)*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	rows, bad, err := jsonl.ReadFile(run.Abs(m.ProjectRoot, m.EventsLogPath))
	if err != nil || len(bad) > 0 || len(rows) != 6 {
		t.Fatalf("%d rows, %v, %v", len(rows), bad, err)
	}
	for i, row := range rows {
		if want := fmt.Sprintf(`"id":"A-%03d"`, i+1); !strings.Contains(string(row.Raw), want) {
			t.Errorf("row %d is %s, want %s", i+1, row.Raw, want)
		}
	}
	for event, want := range map[string]string{
		`{"kind":"verification","round":2,"id":"A-001"}`:                                                       `"A-007", the next one`,
		`{"kind":"verification","round":2,"id":"A-999"}`:                                                       `"A-007", the next one`,
		`{"kind":"verification","round":2,"at":"2026-09-08T19:00:00Z"}`:                                        "/at",
		`{"kind":"verification","round":2,"workerId":"a"}`:                                                     "/workerId",
		`{"kind":"verification","round":2,"line":"PROGRESS: complete"}`:                                        "/line",
		`{"kind":"progress","line":"PROGRESS: complete"}`:                                                      `/kind: "progress" (expected one of worker-dispatch, worker-collect, verification, self-fix, user-decision`,
		`{"kind":"progress","line":"no progress at all"}`:                                                      "/kind",
		`{"Kind":"verification","round":2}`:                                                                    "/kind",
		`{"kind":"zz"}`:                                                                                        `/kind: "zz" (expected`,
		`{"kind":"verification","round":2,"at":"2026-09-08T20:00:01Z"}`:                                        "is still to come",
		`{"kind":"worker-collect","assignmentRef":"assignment:analysis:nobody","attempt":1,"role":"analyser"}`: `"nobody" is no worker of the run`,
		`{"kind":"worker-collect","assignmentRef":"assignment:analysis:claude","attempt":1,"role":"verifier"}`: `"verifier" (expected "analyser"`,
		`[]`: "[] (expected an object)",
		`{"kind":"verification","round":2,"runId":"a:b:c:error-analysis:001"}`: "/runId",
	} {
		if err := logsOf(t, m).Activity(t.Context(), []byte(event), now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Activity(%s) = %v, want an error with %s", event, err, want)
		}
	}
	if err := logsOf(t, m).Activity(t.Context(), []byte(`{"kind":"verification","round":2,"id":"A-007"}`), now); err != nil {
		t.Errorf("the next id, given: %v", err)
	}
}

// A row that its schema refuses tells what was found and what was expected,
// each fault once.
func TestRowFaultsSayWhatWasExpected(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	doc, err := jsondoc.Parse("-", []byte(`{"errorType":"zz","message":1,"runId":"a:b:c:error-analysis:001"}`))
	if err != nil {
		t.Fatal(err)
	}
	err = logsOf(t, m).Error(t.Context(), doc, time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{`/errorType: "zz" (expected one of cli-failure, `, `/message: 1 (expected `} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%v\nwant one %s", err, want)
		}
	}
	doc, _ = jsondoc.Parse("-", []byte(`{"errorType":"timeout","message":"","runId":"a:b:c:error-analysis:001"}`))
	if err := logsOf(t, m).Error(t.Context(), doc, time.Time{}); err == nil || strings.Count(err.Error(), "/runId") != 1 {
		t.Errorf("foreign row: %v, want /runId once", err)
	}
}

// Nothing that is no UTF-8 gets into a log in the guise of U+FFFD.
func TestProgressLineThatIsNoUTF8(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	err := logsOf(t, m).Progress(t.Context(), "PROGRESS: phase-1-intake \xff", time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC))
	if err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("%v, want a refusal", err)
	}
	if _, err := os.Stat(run.Abs(m.ProjectRoot, m.EventsLogPath)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log was written: %v", err)
	}
}

// A line that was cut off stays, and whoever writes behind it says so.
func TestTornLineIsToldByTheNextWriter(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	path := run.Abs(m.ProjectRoot, m.EventsLogPath)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}\n{\"runId\":"), 0o644); err != nil {
		t.Fatal(err)
	}
	var told []string
	l := Logs{Manifest: m, Warn: func(text string) { told = append(told, text) }}
	for range 2 {
		if err := l.Progress(t.Context(), "PROGRESS: phase-2-plan", time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], path+":2: ") {
		t.Errorf("told %q, want line 2 once", told)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "\n{\"runId\":\n") {
		t.Errorf("the torn line is not kept: %s, %v", text, err)
	}
}

// A translator's errors are booked to a translation, not to an analysis.
func TestTranslatorsErrorsAreOfATranslation(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot, m.Translations = t.TempDir(), []string{"ko", "de"}
	m.RoleExecutions = append(m.RoleExecutions, run.RoleExecution{Role: run.RoleTranslator, WorkerID: run.RoleTranslator})
	path := run.Abs(m.ProjectRoot, m.Folder().WorkerErrors(run.RoleTranslator, 1))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	sidecar := `{"schemaVersion":"1.0","kind":"okstra-worker-errors","workerId":"translator","errors":[{"at":"","tool":"grep","command":"grep x","exitCode":2,"message":"no file"}]}`
	if err := os.WriteFile(path, []byte(sidecar), 0o644); err != nil {
		t.Fatal(err)
	}
	rows, err := foldable(m, path)
	if err != nil || len(rows) != 1 || rows[0].AssignmentRef != "assignment:translator-ko:translator" || rows[0].Phase != "phase-6-synthesis" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// Stages of a task type that has none, and stages of no plan, are refused with
// their place.
func TestStagesWithoutAPlan(t *testing.T) {
	for _, tt := range []struct {
		taskType string
		stages   []run.StageChoice
		want     string
	}{
		{"error-analysis", []run.StageChoice{{Number: 1}}, "in.json: /inputs/stages: "},
		{"implementation", []run.StageChoice{{Word: run.AllStages}}, "in.json: /inputs/approvedPlanPath: "},
	} {
		c := &creation{p: &Planner{}, doc: jsondoc.Doc{Name: "in.json"}, in: run.InputFields{TaskType: tt.taskType, Stages: tt.stages}}
		if err := c.chooseStage(0); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %s", tt.taskType, tt.stages, err, tt.want)
		}
	}
}

// A sidecar tells of as many failures as it has rows, however often it is told.
func TestARowThatASidecarHasTwiceIsTwoFailures(t *testing.T) {
	row, other := run.ErrorRow{At: "2026-09-08T20:00:00Z", Message: "no"}, run.ErrorRow{At: "2026-09-08T20:00:00Z", Message: "never"}
	known := folded{rowKey(other): 1}
	for _, tt := range []struct {
		name    string
		sidecar []run.ErrorRow
		want    int
	}{
		{"twice in one", []run.ErrorRow{row, other, row}, 2},
		{"the same once more", []run.ErrorRow{row, other, row}, 0},
		{"a copy of a part", []run.ErrorRow{row}, 0},
		{"it has grown", []run.ErrorRow{row, other, row, row, other}, 2},
	} {
		if got := known.add(tt.sidecar); len(got) != tt.want {
			t.Errorf("%s: %d rows are new, want %d", tt.name, len(got), tt.want)
		}
	}
}

// A row that no reader takes is refused, and so is one of somebody else.
func TestErrorRowsThatNobodyCouldReadAreRefused(t *testing.T) {
	m := *shopRun()
	m.ProjectRoot = t.TempDir()
	for text, want := range map[string]string{
		`{"errorType":"cli-failure","message":"` + strings.Repeat("m", jsonl.MaxLine) + `"}`:     "which no reader takes",
		`{"errorType":"cli-failure","message":"m","assignmentRef":"assignment:analysis:nobody"}`: "is no worker of the run",
		`null`: "null (expected an object)",
	} {
		doc, err := jsondoc.Parse("-", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := logsOf(t, m).Error(t.Context(), doc, time.Unix(0, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Error(%.80s) = %v, want an error with %q", text, err, want)
		}
	}
}
