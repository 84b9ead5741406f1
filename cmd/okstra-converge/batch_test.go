package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ran runs the program in a folder, and gives its status and standard error.
func ran(t *testing.T, dir string, args ...string) (status int, told string) {
	t.Helper()
	cmd := exec.Command("okstra-converge", args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// TestEveryFileOfABatchIsToldOf: one that cannot be read hides neither the
// others that cannot, nor what is wrong with those that can; and nobody is
// called silent whose file may be among them.
func TestEveryFileOfABatchIsToldOf(t *testing.T) {
	dir := prepared(t)
	for name, text := range map[string]string{
		"broken.md": "## 1. Findings\n", "lead.md": "Round: 1\nWorker: lead\n", "late.md": "Round: 2\nWorker: scope-a\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	apply := []string{"apply", "--round", "1", "--state", "state.json", "--output", "next.json"}
	plan := []string{"plan-body", "apply", "--round", "1", "--state", "plan-seed.json", "--output", "next.json"}
	for _, tt := range []struct {
		name       string
		args       []string
		want, none []string
	}{
		{"items", []string{"items", "scope-a.md", "broken.md", "no1.md", "no2.md"}, []string{"broken.md:1: result-front-matter", "no1.md", "no2.md"}, nil},
		{"verdicts", append(apply, "no1.md", "lead.md", "no2.md"), []string{"no1.md", "lead.md: verdict-nonvoter", "no2.md"}, []string{"verdict-file-missing"}},
		{"a step that may be due", append(apply, "no1.md", "late.md"), []string{"no1.md"}, []string{"round-mismatch", "verdict-file-missing"}},
		{"verdicts on a plan", append(plan, "no1.md", "lead.md", "no2.md"), []string{"no1.md", "lead.md: verdict-nonvoter", "no2.md"}, []string{"verdict-file-missing"}},
	} {
		status, told := ran(t, dir, tt.args...)
		if status != 2 {
			t.Errorf("%s: status %d, want 2", tt.name, status)
		}
		for _, want := range tt.want {
			if !strings.Contains(told, want) {
				t.Errorf("%s: %q is not told of:\n%s", tt.name, want, told)
			}
		}
		for _, none := range tt.none {
			if strings.Contains(told, none) {
				t.Errorf("%s: tells of %q:\n%s", tt.name, none, told)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "next.json")); err == nil {
			t.Errorf("%s: a refused step wrote its output", tt.name)
		}
	}
}

// TestAResultOfAnotherWorkerHasNoneOfItsItems: a copy under the name of another
// worker's result is no result of that worker.
func TestAResultOfAnotherWorkerHasNoneOfItsItems(t *testing.T) {
	dir := prepared(t)
	const results = ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/worker-results"
	copied := filepath.Join(dir, results, "scope-a-worker-error-analysis-002.md")
	if err := os.WriteFile(copied, []byte(read(t, filepath.Join(dir, "scope-b.md"))), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"run folder": nil, "results-dir": {"--results-dir", filepath.Join(dir, results)}} {
		status, told := ran(t, dir, append([]string{"prepare-groups", "--run-manifest", "run/m.json", "--input", "g.md"}, args...)...)
		for _, want := range []string{
			`scope-a-worker-error-analysis-002.md:7: result-front-matter: workerId is "scope-b" (expected "scope-a")`,
			`item-unknown: group G-001: "scope-a" has no result that could hold item F-001`,
		} {
			if status != 2 || strings.Count(told, want) != 1 {
				t.Errorf("%s: status %d, want 2 and %q once:\n%s", name, status, want, told)
			}
		}
	}
}

// TestADraftOfNobodyIsTold: without an item only the run's manifest knows who is
// there.
func TestADraftOfNobodyIsTold(t *testing.T) {
	dir := prepared(t)
	if err := os.WriteFile(filepath.Join(dir, "none.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	status, told := ran(t, dir, "draft-groups", "--output", "draft.md", "none.jsonl")
	if want := "okstra-converge: none.jsonl: no items, and so nobody in the roster (--run-manifest says who is in the run)\n"; status != 0 || told != want {
		t.Errorf("status %d, %q; want 0, %q", status, told, want)
	}
	if status, told = ran(t, dir, "draft-groups", "--run-manifest", "run/m.json", "--output", "draft.md", "none.jsonl"); status != 0 {
		t.Errorf("with a manifest: status %d, %s", status, told)
	}
	if status, told = ran(t, dir, "prepare-groups", "--run-manifest", "run/m.json", "--input", "draft.md"); status != 0 {
		t.Errorf("the draft is no grouping: status %d, %s", status, told)
	}
}
