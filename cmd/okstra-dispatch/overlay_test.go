package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"okstra/lib/run"
)

// scripted is a CLI whose prompt is a shell script.
const scripted = `{"schemaVersion":"1.0","kind":"okstra-provider","id":"scripted","command":"sh","argv":["-s"],"prompt":"stdin",
"boundaries":["overlay","landlock","none"],"maxBoundaryPrecision":"exact-path","env":{"pass":["PATH"],"set":{}},
"stream":{"format":"text"},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`

// shop makes a project under git with a linked worktree beside it, and gives
// the folder that holds both.
func shop(t *testing.T) string {
	t.Helper()
	dir := quickDir(t)
	for _, at := range []string{"shop/out", "shop/prompts", "home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, at), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "shop/src.txt"), "source\n")
	put(t, filepath.Join(dir, "quick.json"), scripted)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", "."},
		{"add", "src.txt"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"},
		{"worktree", "add", "-q", "-b", "stage", "../wt"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "shop")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// scriptedJob is a job line by hand; more are the keys that differ.
func scriptedJob(t *testing.T, dir, worker, role, script string, more map[string]any) string {
	t.Helper()
	shop := filepath.Join(dir, "shop")
	put(t, filepath.Join(shop, "prompts", worker+".md"), strings.NewReplacer("ROOT", shop, "WT", filepath.Join(dir, "wt")).Replace(script)+"\n")
	job := map[string]any{
		"schemaVersion": "1.0", "kind": "okstra-job", "projectRoot": shop, "workerId": worker, "role": role, "provider": "scripted",
		"promptPath": "prompts/" + worker + ".md", "resultPath": "out/" + worker + ".md",
	}
	maps.Copy(job, more)
	line, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// runLines runs job lines and gives what came of each worker, with its sidecar.
// It skips the test where there is no overlay.
func runLines(t *testing.T, dir, boundaries string, lines ...string) (map[string]run.Result, map[string]run.Attempt) {
	t.Helper()
	put(t, filepath.Join(dir, "jobs.jsonl"), strings.Join(lines, ""))
	cmd := command(t, dir, "run", "--boundary", boundaries, "--retries", "0", "-j", "4", "jobs.jsonl")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	if strings.Contains(said.String(), "no acceptable boundary") {
		t.Skipf("no %s is available here: %s", boundaries, said.String())
	}
	all, sidecars := map[string]run.Result{}, map[string]run.Attempt{}
	for _, r := range results(t, out.Bytes()) {
		all[r.WorkerID], sidecars[r.WorkerID] = r, sidecarAt(t, filepath.Join(dir, "shop", r.AttemptPath))
	}
	if len(all) != len(lines) {
		t.Fatalf("%d results of %d jobs: %s", len(all), len(lines), said.String())
	}
	return all, sidecars
}

func sidecarAt(t *testing.T, path string) run.Attempt {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var a run.Attempt
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func changesOf(list []run.Change) []string {
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprintf("%s %s %s", c.Path, c.Change, c.Class))
	}
	return all
}

// What an implementer does in its private copy of the project is judged with
// what it does in its worktree.
func TestAnImplementersOverlayIsJudgedToo(t *testing.T) {
	for _, tt := range []struct {
		name, script                string
		outcome, mutation, violates string
		copied                      bool
	}{
		{"the artifact alone", `echo r >ROOT/out/w.md`, "completed", "artifact-only", "", true},
		{"planned work", `echo r >ROOT/out/w.md; mkdir src; echo a >src/a.go`, "completed", "changed", "", true},
		{"the project's sources", `echo r >ROOT/out/w.md; echo evil >>ROOT/src.txt`, "policy-violation", "violation", "src.txt modified unplanned", true},
		{"the worktree's other sources", `echo r >ROOT/out/w.md; echo evil >>src.txt`, "policy-violation", "violation", "WT/src.txt modified unplanned", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := shop(t)
			all, sidecars := runLines(t, dir, "overlay", scriptedJob(t, dir, "w", "implementer", tt.script, map[string]any{
				"worktreePath": filepath.Join(dir, "wt"), "plannedPaths": []string{"src/a.go"},
			}))
			r, found := all["w"], sidecars["w"].Audit
			if *r.Outcome != tt.outcome || *r.Mutation != tt.mutation {
				t.Errorf("it ended as %s with mutation %s, want %s with %s: %s", *r.Outcome, *r.Mutation, tt.outcome, tt.mutation, r.Message)
			}
			want := strings.Replace(tt.violates, "WT", filepath.Join(dir, "wt"), 1)
			if got := strings.Join(changesOf(found.Violations), ", "); got != want {
				t.Errorf("violations %q, want %q", got, want)
			}
			if !slices.Contains(changesOf(found.Changes), "out/w.md created artifact") {
				t.Errorf("the artifact is not among the changes: %q", changesOf(found.Changes))
			}
			if text, err := os.ReadFile(filepath.Join(dir, "shop/src.txt")); err != nil || string(text) != "source\n" {
				t.Errorf("the project's own file is %q, %v", text, err)
			}
		})
	}
}

// A wrapped command with an implementer's policy gets its artifacts out of the
// overlay, and is judged by it.
func TestAWrappedImplementersArtifactsAreCopiedOut(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	_, sidecars := runLines(t, dir, "overlay", scriptedJob(t, dir, "w", "implementer", `echo r >ROOT/out/w.md`, map[string]any{
		"worktreePath": filepath.Join(dir, "wt"), "plannedPaths": []string{"src/a.go"},
	}))
	policy, err := json.Marshal(sidecars["w"].WritePolicy)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "policy.json"), string(policy))
	put(t, filepath.Join(dir, "p.md"), "")
	artifact := filepath.Join(dir, "shop/out/w.md")
	if err := os.Remove(artifact); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ script, outcome, mutation string }{
		{"echo r >" + artifact, "completed", "artifact-only"},
		{"echo r >" + artifact + "; echo x >>" + filepath.Join(dir, "shop/src.txt"), "policy-violation", "violation"},
	} {
		cmd := command(t, dir, "wrap")
		cmd.Dir = filepath.Join(dir, "wt")
		cmd.Args = append(cmd.Args[:2], "--prompt", filepath.Join(dir, "p.md"), "--boundary", "overlay", "--policy", filepath.Join(dir, "policy.json"), "--", "sh", "-c", tt.script)
		out, _ := cmd.Output()
		list := results(t, out)
		if len(list) != 1 || *list[0].Outcome != tt.outcome || *list[0].Mutation != tt.mutation {
			t.Fatalf("%s: %s, want %s with %s", tt.script, out, tt.outcome, tt.mutation)
		}
		if _, err := os.Stat(artifact); err != nil {
			t.Error(err)
		}
		if list := sidecarAt(t, filepath.Join(dir, "p.md.attempt-1.json")).Boundary.Mutations; len(list) == 0 || !list[0].CopiedOut {
			t.Errorf("the overlay's record is %+v", list)
		}
	}
}

// A job that wrote no artifact does not complete by one that a peer put in its
// place.
func TestAPeersForgeryIsNoArtifact(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	all, sidecars := runLines(t, dir, "overlay,none",
		scriptedJob(t, dir, "w1", "analyser", `until [ -e ROOT/../forged ]; do sleep 0.1; done`, map[string]any{"boundary": []string{"overlay"}}),
		scriptedJob(t, dir, "w2", "analyser", `echo r >ROOT/out/w2.md; until [ -e ROOT/prompts/w1.md.status.json ]; do sleep 0.1; done; echo forged >ROOT/out/w1.md; : >ROOT/../forged`, map[string]any{"boundary": []string{"none"}}))
	if r := all["w1"]; r.Boundary != "overlay" || *r.Outcome != "failed" || *r.Cause != "artifact-missing" || *r.Mutation != "none" {
		t.Errorf("the job whose artifact was forged: %s/%s with mutation %s under %s", *r.Outcome, *r.Cause, *r.Mutation, r.Boundary)
	}
	if a := sidecars["w1"]; a.Artifact == nil || a.Artifact.Present || !strings.HasPrefix(strings.Join(a.Warnings, ""), "artifact-foreign: out/w1.md") {
		t.Errorf("its sidecar says %+v with the warnings %q", a.Artifact, a.Warnings)
	}
	if r := all["w2"]; *r.Outcome != "policy-violation" || !strings.HasPrefix(r.Message, "out/w1.md created (unplanned)") {
		t.Errorf("the forger: %s, %q", *r.Outcome, r.Message)
	}
}
