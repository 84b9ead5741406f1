package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

const testRun = "shop:pay:slow:error-analysis:001"

func jobLine(t *testing.T, worker string) string {
	t.Helper()
	line, err := jsondoc.MarshalLine(run.Job{
		SchemaVersion: "1.0", Kind: "okstra-job", JobID: testRun + "/assignment:analysis:" + worker, ProjectRoot: "/srv/shop",
		AssignmentRef: "assignment:analysis:" + worker, WorkerID: worker, Role: "analyser", Provider: "claude", PromptDigest: "sha256:" + strings.Repeat("0", 64), PromptPath: "p/" + worker + ".md", ResultPath: "r/" + worker + ".md",
		PlannedPaths: []string{}, GeneratedPaths: []string{}, ScratchRoots: []string{}, AuxiliaryRoots: []string{}, MaxBoundaryPrecision: "none",
		Boundary: []string{"none"}, MaxAttempts: 2, OnDirtyTree: "keep",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func resultLine(worker string) string {
	return fmt.Sprintf(`{"schemaVersion":"1.0","kind":"okstra-result","jobId":"%s/assignment:analysis:%s","attempt":1,"outcome":"completed","cause":"ok","resultClass":"completed","mutation":"none","exitCode":0,"signal":"","wallMs":1,"sessionId":"","boundary":"none","usage":null,"costUsd":null,"resultPath":"","promptPath":"","statusPath":"","attemptPath":"","logPath":"","warnings":[],"message":""}`+"\n", testRun, worker)
}

// A journal is trusted only where a crash explains what is wrong with it
// (report 18 and the fault of other tools' logs: damage taken for "not done").
func TestJournal(t *testing.T) {
	a, b := jobLine(t, "a"), jobLine(t, "b")
	nuls := strings.Repeat("\x00", 100)
	for _, tt := range []struct {
		name string
		text string
		jobs int
		torn int
		bad  string
	}{
		{"missing", "", 0, 0, ""},
		{"whole", a + b + resultLine("a"), 2, 0, ""},
		{"last line torn", a + b + resultLine("a")[:40], 2, 1, ""},
		{"torn, ended and marked by the next dispatcher", a + resultLine("a")[:40] + "\n" + a + b, 2, 1, ""},
		{"torn before anything was accepted", a[:40] + "\n" + a + b, 2, 1, ""},
		{"NULs behind a complete line, as a power cut leaves them", a + b + nuls, 2, 1, ""},
		{"torn, and NULs behind it", a + b + resultLine("a")[:40] + nuls, 2, 1, ""},
		{"all but the newline, and NULs in its place", a + b + strings.TrimSuffix(resultLine("a"), "\n") + nuls, 2, 1, ""},
		{"NULs and nothing else", nuls, 0, 1, ""},
		{"NULs, ended and marked by the next dispatcher", a + nuls + "\n" + a + b, 2, 1, ""},
		{"NULs in the middle", a + nuls + "\n" + resultLine("a"), 0, 0, ":2:"},
		{"NULs inside a line", a + b[:50] + nuls + b[50:], 0, 0, ":2:"},
		{"NULs, then text", a + nuls + b, 0, 0, ":2:"},
		{"cut in the middle", a + b[:50] + "\n" + resultLine("a"), 0, 0, ":2:"},
		{"cut before a job that is new", a[:50] + "\n" + a + b[:50] + "\n" + jobLine(t, "c"), 0, 0, ":3:"},
		{"changed in the middle", a + strings.Replace(b, `"kind"`, `"kind`, 1) + resultLine("a"), 0, 0, ":2:"},
		{"another run", strings.Replace(a, "slow:", "fast:", 1), 0, 0, "another run"},
		{"a result without a job", a + resultLine("b"), 0, 0, "never accepted"},
		{"accepted again, another prompt", a + strings.Replace(a, `"p/a.md"`, `"p/copy.md"`, 1), 0, 0, "another promptPath"},
		{"accepted again, another result", a + strings.Replace(a, `"r/a.md"`, `"r/b.md"`, 1), 0, 0, "another resultPath"},
		{"planned again before an attempt", a + strings.Replace(a, "sha256:"+strings.Repeat("0", 64), "sha256:"+strings.Repeat("1", 64), 1), 1, 0, ""},
		{"changed after an attempt", a + resultLine("a") + strings.Replace(a, "sha256:"+strings.Repeat("0", 64), "sha256:"+strings.Repeat("1", 64), 1), 0, 0, "another promptDigest"},
		{"another document", a + `{"kind":"okstra-team-state","jobId":"x"}` + "\n", 0, 0, "expected okstra-job"},
		{"no object", a + "[1]\n", 0, 0, "neither a job nor a result"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dispatch.jsonl")
			if tt.name != "missing" {
				if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			record, err := readJournal(path, testRun)
			if tt.bad != "" {
				var journal *JournalError
				if !errors.As(err, &journal) || !strings.Contains(err.Error(), tt.bad) {
					t.Fatalf("error %v, want a JournalError with %q", err, tt.bad)
				}
				return
			}
			if err != nil || len(record.order) != tt.jobs || len(record.torn) != tt.torn {
				t.Errorf("%d jobs, torn %q, error %v; want %d jobs and %d torn", len(record.order), record.torn, err, tt.jobs, tt.torn)
			}
		})
	}
}

// What a crash cut off stays on a line of its own, and the journal can be read
// again after the next dispatcher wrote to it.
func TestReport18TornTailIsEndedAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dispatch.jsonl")
	torn := resultLine("a")[:60]
	if err := os.WriteFile(path, []byte(jobLine(t, "a")+torn), 0o644); err != nil {
		t.Fatal(err)
	}
	record, err := readJournal(path, testRun)
	if err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(path, record.mark)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.add([]byte(jobLine(t, "b"))), j.close()); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if !strings.Contains(string(text), "\n"+torn+"\n") {
		t.Errorf("the torn line is not kept:\n%s", text)
	}
	again, err := readJournal(path, testRun)
	if err != nil || len(again.order) != 2 || len(again.torn) != 1 {
		t.Errorf("read again: %+v, %v", again, err)
	}
}

func TestJournalSharesOneWriteAmongCallers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dispatch.jsonl")
	j, err := openJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			for range 20 {
				if err := j.add([]byte(jobLine(t, fmt.Sprintf("w%d", i)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	record, err := readJournal(path, testRun)
	if err != nil || len(record.order) != 16 {
		t.Errorf("%d jobs, %v; want 16", len(record.order), err)
	}
	text, _ := os.ReadFile(path)
	if lines := strings.Count(string(text), "\n"); lines != 320 {
		t.Errorf("%d lines, want 320", lines)
	}
}

const teamState = `{
  "schemaVersion": "2.0",
  "kind": "okstra-team-state",
  "future": {"kept": [1, 2]},
  "workers": [
    {"workerId": "a", "role": "analyser", "promptPath": "", "status": null, "resultPath": "", "usage": null, "mine": 1},
    {"role": "analyser", "promptPath": "", "status": null}
  ],
  "workerDispatches": %s,
  "usageSummary": null
}
`

func flushed(t *testing.T, dispatches string, rows []run.LedgerRow, changes ...rosterChange) (run.TeamState, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team-state.json")
	if err := os.WriteFile(path, fmt.Appendf(nil, teamState, dispatches), 0o644); err != nil {
		t.Fatal(err)
	}
	l := openLedger(path, func(err error) { t.Error(err) })
	for _, row := range rows {
		l.put(row)
		if err := l.flush(); err != nil { // one by one, so that rows are replaced in a file of ours
			t.Fatal(err)
		}
	}
	l.note(changes...)
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var state run.TeamState
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return state, string(text)
}

// Five dispatches of one worker make five rows with five sessions, and the
// roster keeps naming the first prompt.
func TestLedgerHasARowForEveryDispatch(t *testing.T) {
	var rows []run.LedgerRow
	var changes []rosterChange
	for i, purpose := range []string{"analysis", "reverify-r1", "reverify-r2", "critic", "critic-gap"} {
		rows = append(rows, run.LedgerRow{SchemaVersion: "2.0", AssignmentRef: run.AssignmentRef(purpose, "a"), Attempt: 1, SessionID: fmt.Sprintf("s%d", i)})
		changes = append(changes, rosterChange{WorkerID: "a", PromptPath: fmt.Sprintf("p%d.md", i)})
	}
	state, _ := flushed(t, "[]", rows, changes...)
	ledger, skipped := state.Ledger()
	if len(ledger) != 5 || skipped != 0 {
		t.Fatalf("%d rows, %d skipped; want 5 and 0", len(ledger), skipped)
	}
	for i, row := range ledger {
		if row.SessionID != fmt.Sprintf("s%d", i) || row.WorkerKey() != "a" {
			t.Errorf("row %d is of session %q and worker %q", i, row.SessionID, row.WorkerKey())
		}
	}
	if got := state.Workers[0].PromptPath; got != "p0.md" {
		t.Errorf("roster names %q, want the first prompt", got)
	}
}

func TestLedgerRewrites(t *testing.T) {
	done := "completed"
	row := run.LedgerRow{SchemaVersion: "2.0", AssignmentRef: "assignment:analysis:a", Attempt: 1, SessionID: "s1", Outcome: &done}
	for _, tt := range []struct {
		name       string
		dispatches string
		want       []string // in the text, in this order
		rows       int
	}{
		{"null is an empty list", "null", []string{`"s1"`}, 1},
		{"an object is an empty list", `{"a":1}`, []string{`"s1"`}, 1},
		{"rows that are no objects stay", `[1, "x", null]`, []string{"1,", `"x"`, "null", `"s1"`}, 4},
		{"a row of version 1 stays", `[{"workerId": "a", "sessionId": "old"}]`, []string{`"old"`, `"s1"`}, 2},
		{
			"the row of the attempt is replaced where it stands, unknown keys kept",
			`[{"assignmentRef": "assignment:analysis:a", "attempt": 1, "sessionId": "", "later": true}, {"assignmentRef": "assignment:analysis:b", "attempt": 1}]`,
			[]string{`"s1"`, `"later": true`, `"assignment:analysis:b"`},
			2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, text := flushed(t, tt.dispatches, []run.LedgerRow{row, row})
			var raw []json.RawMessage
			if err := json.Unmarshal(state.WorkerDispatches, &raw); err != nil || len(raw) != tt.rows {
				t.Errorf("%d rows, %v; want %d", len(raw), err, tt.rows)
			}
			at := 0
			for _, want := range tt.want {
				i := strings.Index(text[at:], want)
				if i < 0 {
					t.Fatalf("%q is missing or out of order in\n%s", want, text)
				}
				at += i
			}
			if !strings.Contains(text, `"future": {"kept": [1, 2]}`) {
				t.Errorf("other members are not kept byte for byte:\n%s", text)
			}
		})
	}
}

func TestRosterChanges(t *testing.T) {
	status, reason, result, none := "timeout", "no output for 900 s", "r.md", ""
	state, text := flushed(t, "[]", nil,
		rosterChange{WorkerID: "a", Status: &status, Reason: &reason, ResultPath: &none},
		rosterChange{WorkerID: "unknown", Status: &status},
		rosterChange{WorkerID: "", Status: &status})
	if w := state.Workers[0]; w.Status == nil || *w.Status != "timeout" || w.Reason != reason {
		t.Errorf("worker a: %+v", w)
	}
	if state.Workers[1].Status != nil {
		t.Error("a worker without an id was changed")
	}
	if !strings.Contains(text, `"mine": 1`) {
		t.Error("an unknown key of a worker is lost")
	}
	done := "completed"
	state, text = flushed(t, "[]", nil,
		rosterChange{WorkerID: "a", Status: &status, Reason: &reason},
		rosterChange{WorkerID: "a", Status: &done, Reason: &none, ResultPath: &result})
	if w := state.Workers[0]; *w.Status != "completed" || w.ResultPath != "r.md" || strings.Contains(text, "reason") {
		t.Errorf("after a later completion: %+v\n%s", w, text)
	}
}

func TestPromptHeaders(t *testing.T) {
	job := run.Job{ProjectRoot: "/srv/shop", PromptPath: "p/a.md", ResultPath: "r/a.md", ErrorsSidecarPath: "r/a-worker-errors.json", Role: "analyser", ModelExecutionValue: "opus", AssignmentRef: "assignment:analysis:a"}
	text := jobHeaders(job, "logs/errors.jsonl").format() + "\n# Body\n**Model:** not a header\n"
	if !strings.Contains(text, "**Worktree:**\n") || !strings.Contains(text, "**Model:** analyser, opus\n") {
		t.Errorf("headers:\n%s", text)
	}
	h, rest, err := parseHeaders("p/a.md", text)
	if err != nil || h[labelResult] != "r/a.md" || h[labelModel] != "analyser, opus" || !strings.HasPrefix(rest, "\n# Body") {
		t.Errorf("parsed %v, rest %q, error %v", h, rest, err)
	}
	second := promptCopy(text, "p/a.attempt-2.md", "r/a-worker-errors.attempt-2.json")
	if !strings.Contains(second, "**Prompt History Path:** p/a.attempt-2.md\n") || !strings.Contains(second, "**Errors sidecar path:** r/a-worker-errors.attempt-2.json\n") || !strings.HasSuffix(second, rest) {
		t.Errorf("copy:\n%s", second)
	}
	if got := promptCopy("do it\n", "x.md", "y.json"); got != "do it\n" {
		t.Errorf("a prompt without headers was changed to %q", got)
	}
	_, _, err = parseHeaders("p/a.md", strings.Replace(text, "**Result Path:** r/a.md\n", "", 1))
	if header := (*HeaderError)(nil); !errors.As(err, &header) || !strings.Contains(err.Error(), "Result Path") {
		t.Errorf("error %v, want one that names the missing header", err)
	}
}

func FuzzParseHeaders(f *testing.F) {
	f.Add(jobHeaders(run.Job{}, "").format() + "\nbody")
	f.Add("**Model:** x\n\n**Role:** y")
	f.Add(":**\n**")
	f.Fuzz(func(t *testing.T, text string) {
		h, rest, err := parseHeaders("p", text)
		if err != nil {
			if h != nil || rest != "" {
				t.Errorf("an error came with values %v %q", h, rest)
			}
			return
		}
		again, _, err := parseHeaders("p", h.format()+rest)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for _, label := range headerLabels {
			if again[label] != h[label] {
				t.Errorf("%s: %q, read again %q", label, h[label], again[label])
			}
		}
	})
}
