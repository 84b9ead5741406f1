package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lateProvider leaves two helpers that ignore TERM: one commits while the tree
// is being ended, one would do so long after.
const lateProvider = `{"schemaVersion":"1.0","kind":"okstra-provider","id":"quick","command":"sh",
"argv":["-c","trap '' TERM; (sleep 0.9; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m early) & setsid sh -c \"sleep 3; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m late\" & sleep 30"],
"prompt":"stdin","boundaries":["none"],"maxBoundaryPrecision":"none","env":{"pass":["PATH"],"set":{}},"stream":{"format":"text"},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`

// A commit by a descendant landed nine minutes after its agent was reported as
// timed out (report 7). Here the set is empty before the audit looks: what came
// before the end is found, and nothing comes after it.
func TestReport07NothingLandsAfterTheAudit(t *testing.T) {
	t.Parallel()
	dir, jobs := batch(t, 1)
	shop := filepath.Join(dir, "shop")
	for name, text := range map[string]string{
		"quick.json": lateProvider,
		"jobs.jsonl": strings.Replace(string(jobs), `"graceSeconds":5`, `"graceSeconds":1`, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	out, _ := dispatchIn(t, dir, "run", "--boundary", "none", "--timeout", "500ms", "--retries", "0", "jobs.jsonl")
	list := results(t, out)
	if len(list) != 1 || *list[0].Outcome != "policy-violation" || *list[0].Cause != "wall" {
		t.Fatalf("result %s, want policy-violation/wall", out)
	}
	sidecar, err := os.ReadFile(filepath.Join(shop, list[0].AttemptPath))
	if err != nil || !bytes.Contains(sidecar, []byte(`"surface": "git-ref"`)) {
		t.Errorf("the commit during the grace is not in the audit: %v", err)
	}
	time.Sleep(time.Until(began.Add(4500 * time.Millisecond)))
	log := exec.Command("git", "log", "--format=%s")
	log.Dir = shop
	if text, err := log.Output(); err != nil || string(text) != "early\ninit\n" {
		t.Errorf("the log is %q, %v; want nothing after the audit", text, err)
	}
}

// Parallel writers of one state file tore it (report 40). Here every sidecar
// has one writer, and whoever reads meanwhile finds whole documents.
func TestReport40ReadersNeverFindATornFile(t *testing.T) {
	t.Parallel()
	dir, _ := batch(t, 24)
	folder := filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis")
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reads := 0
	reader.Go(func() {
		for {
			for _, pattern := range []string{"prompts/*.json", "state/*.json", "manifests/*.json"} {
				files, _ := filepath.Glob(filepath.Join(folder, pattern))
				for _, file := range files {
					text, err := os.ReadFile(file)
					if err == nil && !json.Valid(text) {
						t.Errorf("%s is torn: %d bytes", file, len(text))
					}
					reads++
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	_, status := dispatchIn(t, dir, "run", "-j", "8", "--boundary", "none", "jobs.jsonl")
	close(stop)
	reader.Wait()
	if status != 0 || reads == 0 {
		t.Errorf("status %d, %d reads", status, reads)
	}
	checkDone(t, dir, 24, "while it was read")
}

// Two jobs of one CLI have names of their own wherever they leave something.
func TestRow15TwoJobsOfOneCLIAreToldApart(t *testing.T) {
	t.Parallel()
	dir, _ := batch(t, 1)
	if err := os.WriteFile(filepath.Join(dir, "task.md"), []byte("# Look\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	jobs, _ := dispatchIn(t, dir, "plan", "--out", "shop", "--prompt", "task.md", "--worker", "quick", "--worker", "quick", "--worker", "quick")
	seen := map[string]string{}
	n := 0
	for line := range bytes.Lines(jobs) {
		var job map[string]any
		if err := json.Unmarshal(line, &job); err != nil {
			t.Fatal(err)
		}
		n++
		for _, key := range []string{"jobId", "workerId", "roleExecutionRef", "assignmentRef", "promptPath", "resultPath", "auditPath", "errorsSidecarPath"} {
			value, _ := job[key].(string)
			if other, taken := seen[value]; taken || value == "" {
				t.Errorf("job %d: %s %q is that of %s", n, key, value, other)
			}
			seen[value] = fmt.Sprintf("job %d, %s", n, key)
		}
	}
	if n != 3 {
		t.Fatalf("%d job lines, want 3:\n%s", n, jobs)
	}
	if err := os.WriteFile(filepath.Join(dir, "twins.jsonl"), jobs, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, "run", "-j", "3", "--boundary", "none", "twins.jsonl")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for _, r := range results(t, out.Bytes()) {
		for _, path := range []string{r.StatusPath, r.LogPath, r.AttemptPath} {
			if other, taken := seen[path]; taken {
				t.Errorf("%s: %s is that of %s", r.WorkerID, path, other)
			}
			seen[path] = r.WorkerID
		}
	}
}
