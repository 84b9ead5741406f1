package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/clitest"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// program is this test binary under the name by which it is okstra-dispatch.
func program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("okstra-dispatch")
	if err != nil {
		t.Skip("okstra-dispatch is not in PATH: run the tests of this package with go test")
	}
	return path
}

// quickDir is a temporary folder in memory where there is one: what counts here
// is when the dispatcher dies, not how long a disk takes.
func quickDir(t *testing.T) string {
	t.Helper()
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "okstra-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// quickProvider is a CLI that writes its result; one job in ten takes a moment
// before, so that whatever ends the dispatcher finds processes at work.
const quickProvider = `{"schemaVersion":"1.0","kind":"okstra-provider","id":"quick","command":"sh",
"argv":["-c","case $1 in */w?5-*) sleep 0.1;; esac; echo result >\"$1\"","sh","{resultPath}"],"prompt":"stdin","boundaries":["overlay","landlock","none"],"maxBoundaryPrecision":"exact-path","env":{"pass":["PATH"],"set":{}},
"stream":{"format":"text"},"session":null,"models":[{"id":"m","executionValue":"m","pricing":[0,0,0]}],"defaultModel":"m"}`

// batch makes a project with a run of n quick jobs and gives the folder and the
// job lines.
func batch(t *testing.T, n int) (dir string, jobs []byte) {
	t.Helper()
	return batchIn(t, quickDir(t), n)
}

// batchIn is batch in a given folder.
func batchIn(t testing.TB, dir string, n int) (string, []byte) {
	t.Helper()
	clitest.NeedTool(t, "git")
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("shop/main.go", "package main\n")
	write("shop/.okstra/tasks/pay/README", "tasks\n")
	for _, args := range [][]string{{"init", "-q", "."}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "init"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir, "shop")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("quick.json", quickProvider)
	write("tmp/not-ours", "stays\n")
	workers, models := []string{}, map[string]string{"report-writer": "quick/m"}
	for i := range n {
		id := fmt.Sprintf("w%02d", i)
		workers, models[id] = append(workers, id), "quick/m"
	}
	inputs := run.Inputs{SchemaVersion: "1.0", Kind: "okstra-run-inputs", Ready: true, Inputs: run.InputFields{
		ProjectRoot: filepath.Join(dir, "shop"), ProjectID: "shop", TaskGroup: "pay", TaskID: "slow", TaskKey: "shop:pay:slow", IsNewTask: true,
		TaskType: "error-analysis", WorkCategory: "bugfix", Host: run.Host{Runtime: "terminal", EntryMode: "external"},
		PlanApplyItems: []string{}, Stages: []run.StageChoice{}, HandoffStages: []run.StageChoice{}, AnalysisTargets: []string{}, DesignPrep: []run.DesignDecision{},
		Workers: workers, Models: models, ReportLanguage: "en", Translations: []string{}, RelatedTasks: []string{},
	}}
	raw, err := jsondoc.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	write("inputs.json", string(raw))
	jobs, _ := dispatchIn(t, dir, "plan", "--inputs", "inputs.json")
	write("jobs.jsonl", string(jobs))
	return dir, jobs
}

const batchManifest = "shop/.okstra/tasks/pay/slow/runs/error-analysis/manifests/run-manifest-error-analysis-001.json"

func command(t testing.TB, dir string, args ...string) *exec.Cmd {
	if args[0] != "progress" {
		args = append(args, "--providers", "quick.json")
	}
	cmd := exec.Command(program(t), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "OKSTRA_HOME=", "TMPDIR="+filepath.Join(dir, "tmp"))
	return cmd
}

// dispatchIn runs the program to its end.
func dispatchIn(t testing.TB, dir string, args ...string) (stdout []byte, status int) {
	t.Helper()
	cmd := command(t, dir, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	status = cmd.ProcessState.ExitCode()
	if err != nil && status > 1 {
		t.Fatalf("okstra-dispatch %s: %v\n%s", strings.Join(args, " "), err, said.String())
	}
	return out.Bytes(), status
}

func results(t *testing.T, lines []byte) []run.Result {
	t.Helper()
	var list []run.Result
	for line := range bytes.Lines(lines) {
		var r run.Result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, r)
	}
	return list
}

// Killed at any moment, a batch leaves files that status and resume understand:
// every job is accounted for, and in the end done exactly once (reports 18, 19
// and 37).
func TestReport37KilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		boundary   string
		moments, n int
	}{{"none", 16, 50}, {"overlay", 4, 20}} {
		switch {
		case os.Getenv("OKSTRA_SOAK") != "":
			tt.moments *= 10
		case testing.Short():
			tt.moments, tt.n = 1, 12
		}
		t.Run(tt.boundary, func(t *testing.T) {
			t.Parallel()
			dir, _ := batch(t, tt.n)
			planned := filepath.Join(dir, "planned")
			if err := os.CopyFS(planned, os.DirFS(filepath.Join(dir, "shop"))); err != nil {
				t.Fatal(err)
			}
			for i := range tt.moments {
				if end, ok := t.Deadline(); ok && time.Until(end) < soakReserve {
					t.Skipf("%d of %d moments passed in the time that there was", i, tt.moments)
				}
				if i > 0 {
					startOver(t, dir, planned)
				}
				killOnce(t, dir, tt.n, tt.boundary, rand.N(800*time.Millisecond), i)
			}
		})
	}
}

// soakReserve is how long before the end of all tests no other moment is begun:
// a soak on a busy machine ends with what it saw instead of a timeout.
const soakReserve = 2 * time.Minute

// startOver puts the project back as it was planned.
func startOver(t *testing.T, dir, planned string) {
	t.Helper()
	for _, name := range []string{"shop", "home"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "shop"), os.DirFS(planned)); err != nil {
		t.Fatal(err)
	}
}

func killOnce(t *testing.T, dir string, n int, boundary string, after time.Duration, round int) {
	t.Helper()
	cmd := command(t, dir, "run", "-j", "4", "--boundary", boundary, "jobs.jsonl")
	var printed bytes.Buffer
	cmd.Stdout = &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	where := fmt.Sprintf("round %d, killed after %v", round, after)

	seen := map[string]bool{}
	out, _ := dispatchIn(t, dir, "status", "--run-manifest", batchManifest)
	for _, r := range results(t, out) {
		seen[r.WorkerID] = true
	}
	if accepted := len(seen); accepted != n && accepted != 0 {
		t.Errorf("%s: status tells of %d jobs, want all %d, or none that was accepted", where, accepted, n)
	}
	args := []string{"resume", "-j", "4", "--boundary", boundary, "--run-manifest", batchManifest}
	if len(seen) == 0 {
		args = []string{"run", "-j", "4", "--boundary", boundary, "jobs.jsonl"}
	}
	if _, status := dispatchIn(t, dir, args...); status != 0 {
		t.Errorf("%s: %s ended with status %d", where, args[0], status)
	}
	checkDone(t, dir, n, where)
}

// checkDone wants every job completed exactly once, and every file whole.
func checkDone(t *testing.T, dir string, n int, where string) {
	t.Helper()
	out, _ := dispatchIn(t, dir, "status", "--run-manifest", batchManifest)
	completed, ends := map[string]int{}, map[string][]string{}
	for _, r := range results(t, out) {
		if r.Outcome != nil {
			ends[r.WorkerID] = append(ends[r.WorkerID], *r.Outcome+": "+r.Message)
		}
		if r.Outcome == nil {
			t.Errorf("%s: %s attempt %d is open: %s", where, r.WorkerID, r.Attempt, r.Message)
		} else if *r.Outcome == "completed" {
			completed[r.WorkerID]++
		}
	}
	for i := range n {
		if id := fmt.Sprintf("w%02d", i); completed[id] != 1 {
			t.Errorf("%s: %s is completed %d times: %q", where, id, completed[id], ends[id])
		}
	}
	state, _, err := run.LoadTeamState(filepath.Join(dir, "shop/.okstra/tasks/pay/slow/runs/error-analysis/state/team-state-error-analysis-001.json"))
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	rows, _ := state.Ledger()
	done := 0
	for _, row := range rows {
		if row.Outcome != nil && *row.Outcome == "completed" {
			done++
		}
	}
	if done != n {
		t.Errorf("%s: the ledger has %d completed rows, want %d", where, done, n)
	}
	if left := temporaryFiles(t, dir); len(left) > 3 {
		t.Errorf("%s: temporary files left: %v", where, left)
	}
	for place, want := range map[string]int{"tmp": 1, "home/.okstra/overlays": 0} {
		if left, _ := os.ReadDir(filepath.Join(dir, place)); len(left) != want {
			t.Errorf("%s: left in %s: %v", where, place, left)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// temporaryFiles lists what interrupted replacements left. A killed writer may
// leave one at a time for each of its writers.
func temporaryFiles(t *testing.T, dir string) []string {
	var list []string
	_ = filepath.WalkDir(filepath.Join(dir, "shop", ".okstra"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasPrefix(entry.Name(), ".") {
			list = append(list, path)
		}
		return nil
	})
	return list
}
