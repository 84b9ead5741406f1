package main

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"okstra/lib/dispatch/proc"
)

const slowProvider = `{"schemaVersion":"1.0","kind":"okstra-provider","id":"quick","command":"sh",
"argv":["-c","trap '' TERM; setsid sleep 30 & (setsid sleep 30 &); sleep 30"],"prompt":"stdin","boundaries":["overlay","landlock","none"],"maxBoundaryPrecision":"exact-path",
"env":{"pass":["PATH"],"set":{}},"stream":{"format":"text"},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`

// Interrupted, the dispatcher ends what runs, with everything that fled from
// it, audits and records it, and ends with the signal's status; what was not
// done can be resumed (reports 5, 7, 8, 31 and 42).
func TestReport31InterruptedRunIsEndedAndRecorded(t *testing.T) {
	t.Parallel()
	// Below nohup SIGHUP would stay ignored in the programs as well.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangup) })
	for _, tt := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 143}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			dir, jobs := batch(t, 3)
			slowBatch(t, dir, jobs)
			cmd := command(t, dir, "run", "-j", "2", "--boundary", "none", "--select", ".", "jobs.jsonl")
			var out, said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			untilAtWork(t, dir, 2)
			began := time.Now()
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if status := cmd.ProcessState.ExitCode(); status != tt.status || !strings.Contains(said.String(), "interrupted") {
				t.Errorf("status %d, %q; want %d", status, said.String(), tt.status)
			}
			list := results(t, out.Bytes())
			if len(list) != 3 {
				t.Errorf("%d result lines, want 3:\n%s", len(list), out.String())
			}
			for _, r := range list {
				if *r.Outcome != "cancelled" || *r.Cause != "interrupted" {
					t.Errorf("%s ended as %s/%s", r.WorkerID, *r.Outcome, *r.Cause)
				}
				if r.StatusPath == "" {
					continue
				}
				if left := proc.Marked("OKSTRA_ATTEMPT=" + filepath.Join(dir, "shop", r.StatusPath)); len(left) > 0 {
					t.Errorf("%d processes of %s are left", len(left), r.WorkerID)
				}
			}
			state, err := os.ReadFile(filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/state/team-state-error-analysis-001.json"))
			if n, m := bytes.Count(state, []byte(`"status": "error"`)), bytes.Count(state, []byte(`"status": "not-run"`)); err != nil || n != 2 || m != 1 {
				t.Errorf("%d workers are error and %d not-run, %v; want 2 and 1", n, m, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(quickProvider), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, status := dispatchIn(t, dir, "resume", "--boundary", "none", "--run-manifest", batchManifest); status != 0 {
				t.Errorf("resume ended with status %d", status)
			}
			checkDone(t, dir, 3, "after "+tt.signal.String())
		})
	}
}

// slowBatch has the jobs of a batch not end by themselves, nor wait long after
// TERM, which they ignore.
func slowBatch(t *testing.T, dir string, jobs []byte) {
	t.Helper()
	for name, text := range map[string]string{
		"quick.json": slowProvider,
		"jobs.jsonl": strings.ReplaceAll(string(jobs), `"graceSeconds":5`, `"graceSeconds":1`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// untilAtWork waits until n jobs of a slow batch run with all their processes.
func untilAtWork(t *testing.T, dir string, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/prompts/*.status.json"))
		working := 0
		for _, file := range files {
			text, _ := os.ReadFile(file)
			if bytes.Contains(text, []byte(`"process": {`)) && len(proc.Marked("OKSTRA_ATTEMPT="+file)) >= 4 {
				working++
			}
		}
		if working == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d jobs run after a minute", working, n)
		}
	}
}

// A process that outlived both its dispatcher and its slot is shown as
// orphaned, not as lost, and resume ends it first (reports 36 and 42).
func TestReport42OrphansAreShownAndEnded(t *testing.T) {
	t.Parallel()
	dir, jobs := batch(t, 1)
	slowBatch(t, dir, jobs)
	cmd := command(t, dir, "run", "--boundary", "none", "jobs.jsonl")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	untilAtWork(t, dir, 1)
	for _, slot := range proc.Descendants(cmd.Process.Pid) {
		if parentOf(t, slot.PID) == cmd.Process.Pid {
			_ = syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
			_ = syscall.Kill(slot.PID, syscall.SIGKILL)
		}
	}
	_ = cmd.Wait()
	out, _ := dispatchIn(t, dir, "status", "--run-manifest", batchManifest)
	if r := results(t, out); len(r) != 1 || r[0].Outcome != nil || !strings.Contains(r[0].Message, "orphaned") {
		t.Errorf("status says %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(quickProvider), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, status := dispatchIn(t, dir, "resume", "--boundary", "none", "--run-manifest", batchManifest); status != 0 {
		t.Errorf("resume ended with status %d", status)
	}
	checkDone(t, dir, 1, "after an orphan")
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "PPid:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(rest))
			return n
		}
	}
	return 0
}

// A damaged or foreign journal, and a prompt that is no longer the accepted
// one, are refused and nothing is run.
func TestReport18DamagedJournalIsRefused(t *testing.T) {
	t.Parallel()
	dir, _ := batch(t, 2)
	journal := filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/logs/dispatch-error-analysis-001.jsonl")
	if _, status := dispatchIn(t, dir, "run", "--boundary", "none", "jobs.jsonl"); status != 0 {
		t.Fatalf("run ended with status %d", status)
	}
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"damaged in the middle": strings.Replace(string(whole), `"kind"`, `"kin`, 2),
		"of another run":        strings.ReplaceAll(string(whole), "pay:slow:", "pay:fast:"),
	} {
		if err := os.WriteFile(journal, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, status := dispatchIn(t, dir, "resume", "--boundary", "none", "--run-manifest", batchManifest); status != 1 || len(out) > 0 {
			t.Errorf("resume of a journal %s: status %d, output %q", name, status, out)
		}
	}
	if err := os.WriteFile(journal, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	prompt := filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/prompts/w00-analysis-error-analysis-001.md")
	if err := os.WriteFile(prompt, []byte("another task"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, status := dispatchIn(t, dir, "resume", "--boundary", "none", "--run-manifest", batchManifest); status != 1 {
		t.Errorf("resume with a changed prompt: status %d", status)
	}
}
