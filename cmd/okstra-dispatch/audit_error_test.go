package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/run"
)

// An audit that fails takes a completion back, and loses nothing of what it was
// about: sidecar, ledger row, errors row and result line are all there. Here
// the jobs remove the tree that they were to be judged by.
func TestRow02AnAuditErrorLosesNoRecord(t *testing.T) {
	t.Parallel()
	dir, jobs := batch(t, 2)
	shop, side := filepath.Join(dir, "shop"), filepath.Join(dir, "side")
	cmd := exec.Command("git", "worktree", "add", "-q", "--no-track", "-b", "side", side)
	cmd.Dir = shop
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var moved strings.Builder
	for line := range strings.Lines(string(jobs)) {
		var job map[string]any
		if err := json.Unmarshal([]byte(line), &job); err != nil {
			t.Fatal(err)
		}
		job["worktreePath"] = side
		for _, derived := range []string{"writePolicy", "writePolicyDigest", "writeEnforcement"} {
			delete(job, derived)
		}
		text, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		moved.Write(append(text, '\n'))
	}
	for name, text := range map[string]string{
		"jobs.jsonl": moved.String(),
		"quick.json": strings.Replace(quickProvider, `echo result >`, `sleep 0.5; rm -rf \"$PWD\"; echo result >`, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, status := dispatchIn(t, dir, "run", "-j", "2", "--boundary", "none", "jobs.jsonl")
	list := results(t, out)
	if status != 1 || len(list) != 2 {
		t.Fatalf("status %d, results %s", status, out)
	}
	for _, r := range list {
		if *r.Outcome != "failed" || *r.Cause != "audit-error" || *r.ResultClass != "unaudited-failure" || r.Attempt != 1 {
			t.Errorf("%s: %s/%s, %s, attempt %d", r.WorkerID, *r.Outcome, *r.Cause, *r.ResultClass, r.Attempt)
		}
		text, err := os.ReadFile(filepath.Join(shop, r.AttemptPath))
		if err != nil || !strings.Contains(string(text), `"verdict": "error"`) || !strings.Contains(string(text), "no such file") {
			t.Errorf("%s: the sidecar does not tell of the error: %v\n%s", r.WorkerID, err, text)
		}
	}
	folder := filepath.Join(shop, ".okstra/tasks/pay/slow/runs/error-analysis")
	state, _, err := run.LoadTeamState(filepath.Join(folder, "state/team-state-error-analysis-001.json"))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := state.Ledger()
	if len(rows) != 2 || rows[0].Outcome == nil || *rows[0].Outcome != "failed" || rows[1].Outcome == nil {
		t.Errorf("ledger %+v", rows)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "logs/errors.jsonl")); err != nil || strings.Count(string(text), `"errorType":"mutation-audit"`) != 2 {
		t.Errorf("errors log %q, %v; want two mutation-audit rows", text, err)
	}
}
