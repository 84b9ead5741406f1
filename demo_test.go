package okstra_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"okstra/lib/clitest"
	"okstra/lib/clitest/sarifjudge"
)

// demo is one played run of examples/demo.sh.
type demo struct {
	bin, project string
	output       string
	manifest     string
}

// demoFilter replaces what differs from run to run: where it was played, and
// the id of a commit that was made then.
var demoFilter = regexp.MustCompile(`(?m)^(  all of it:  |  Start from: HEAD ).*$`)

// demoProgress is what a call says while its jobs run: their order and times
// differ, and the script itself says how each of them ended.
var demoProgress = regexp.MustCompile(`(?m)^okstra-dispatch: .*(?:: started|: completed \(ok\), attempt \d+, .*| jobs completed, cost .*)\n`)

func playDemo(t *testing.T, bin string) demo {
	t.Helper()
	place := t.TempDir()
	// A git identity or a home of the machine must not matter.
	output, err := inDemo(exec.Command("sh", "examples/demo.sh"), bin, place).CombinedOutput()
	if err != nil {
		t.Fatalf("demo.sh: %v\n%s", err, output)
	}
	d := demo{bin: bin, project: filepath.Join(place, "checkout"), output: readable(output)}
	d.manifest = ".okstra/tasks/demo/task/runs/error-analysis/manifests/run-manifest-error-analysis-001.json"
	return d
}

// readable is the output without what no two runs have in common.
func readable(output []byte) string {
	return demoFilter.ReplaceAllString(demoProgress.ReplaceAllString(string(output), ""), "${1}…")
}

func inDemo(cmd *exec.Cmd, bin, place string) *exec.Cmd {
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "DEMO_DIR="+place, "BOUNDARY=none", "OKSTRA_REPLAY_DIR=")
	return cmd
}

// validate judges the run and gives status, findings and errors.
func (d demo) validate(t *testing.T) (status int, findings []map[string]any, stderr string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(d.bin, "okstra-validate"), "run", "--format", "json", d.manifest)
	cmd.Dir = d.project
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Runs []struct {
			Findings []map[string]any `json:"findings"`
		} `json:"runs"`
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
	}
	for _, r := range doc.Runs {
		findings = append(findings, r.Findings...)
	}
	return status, findings, errs.String()
}

func codes(findings []map[string]any) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f["code"].(string))
	}
	return out
}

// TestDemo plays the demo twice and then breaks what it left, one thing at a
// time.
func TestDemo(t *testing.T) {
	for _, tool := range []string{"sh", "git", "sed"} {
		clitest.NeedTool(t, tool)
	}
	bin := programs(t)
	d := playDemo(t, bin)
	golden(t, "testdata/demo.txt", d.output)
	if again := playDemo(t, bin); again.output != d.output {
		t.Errorf("the second run tells something else:\n%s", again.output)
	}
	if status, findings, stderr := d.validate(t); status != 0 {
		t.Fatalf("the demo's run is not clean: status %d, %v\n%s", status, findings, stderr)
	}
	t.Run("its findings are SARIF that others accept", d.sarif)
	t.Run("each missing cleanup line is named by its rule", d.withoutCleanup)
	t.Run("each truncated document is found and hides nothing", d.truncated)
	t.Run("a report of another run is refused", d.foreignReport)
	t.Run("the order of the ledger is not that of a batch", d.reversedLedger)
}

// sarif writes the run's findings as SARIF, in both layouts.
func (d demo) sarif(t *testing.T) {
	state := filepath.Join(filepath.Dir(filepath.Dir(d.manifest)), "state", "convergence-error-analysis-001.json")
	for _, layout := range []string{"per-worker", "single"} {
		cmd := exec.Command(filepath.Join(d.bin, "okstra-converge"), "summary", "--format", "sarif", "--sarif-layout", layout, state)
		cmd.Dir = d.project
		log, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		sarifjudge.Log(t, log)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", name, got)
	}
}

func (d demo) withoutCleanup(t *testing.T) {
	log := filepath.Join(d.project, filepath.Dir(filepath.Dir(d.manifest)), "logs", "events.jsonl")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { restore(t, log, whole) })
	rules := []string{"progress-cleanup-before-convergence", "progress-cleanup-stale"}
	lines := strings.SplitAfter(string(whole), "\n")
	for i, line := range lines {
		if !strings.Contains(line, "phase-batch-cleanup") {
			continue
		}
		restore(t, log, []byte(strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")))
		status, findings, _ := d.validate(t)
		if len(rules) == 0 {
			t.Fatalf("a third cleanup line: %s", line)
		}
		if got := codes(findings); status != 1 || len(got) != 1 || got[0] != rules[0] {
			t.Errorf("without %q: status %d, findings %v, want 1 and just %s", strings.TrimSpace(line), status, got, rules[0])
		}
		rules = rules[1:]
	}
	if len(rules) > 0 {
		t.Errorf("no cleanup line left to remove for %v", rules)
	}
}

// truncated cuts each JSON file of the run in half while a fault that was
// there before stays: the validator must find both.
func (d demo) truncated(t *testing.T) {
	var files []string
	if err := filepath.WalkDir(filepath.Join(d.project, ".okstra"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".json" {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("%d JSON files in the run, want 20 or more", len(files))
	}
	result := filepath.Join(d.project, filepath.Dir(filepath.Dir(d.manifest)), "worker-results", "codex-worker-error-analysis-001.md")
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	restore(t, result, append([]byte("no front matter\n"), text...))
	t.Cleanup(func() { restore(t, result, text) })
	for _, path := range files {
		name, err := filepath.Rel(d.project, path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		restore(t, path, whole[:len(whole)/2])
		status, findings, stderr := d.validate(t)
		restore(t, path, whole)
		if name == d.manifest {
			if status != 2 || !strings.Contains(stderr, filepath.Base(name)+":") {
				t.Errorf("%s: status %d, %q, want 2 and its place", name, status, stderr)
			}
			continue
		}
		located, other := false, false
		for _, f := range findings {
			line, _ := f["line"].(float64)
			located = located || f["code"] == "doc-syntax" && f["artifact"] == name && line > 0
			other = other || f["code"] == "result-front-matter"
		}
		if status != 1 || !located || !other {
			t.Errorf("%s: status %d, located %v, the other fault still listed %v: %v", name, status, located, other, codes(findings))
		}
	}
}

func (d demo) foreignReport(t *testing.T) {
	run := filepath.Join(d.project, filepath.Dir(filepath.Dir(d.manifest)))
	data := filepath.Join(run, "reports", "final-report-error-analysis-001.data.json")
	team := filepath.Join(run, "state", "team-state-error-analysis-001.json")
	whole, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { restore(t, data, whole) })
	restore(t, data, bytes.Replace(whole, []byte(`"runSeq": "001"`), []byte(`"runSeq": "002"`), 1))
	before, err := os.ReadFile(team)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(d.bin, "okstra-token-usage"), "collect", "--home", filepath.Join(d.project, "..", "home"), "--write", "--report", data, team)
	output, err := cmd.CombinedOutput()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 {
		t.Errorf("collect: %v, want status 1: %s", err, output)
	}
	if after, _ := os.ReadFile(team); !bytes.Equal(after, before) {
		t.Error("the team state changed although the report was refused")
	}
}

// reversedLedger turns the ledger round: with several jobs at once its rows
// stand in the order of starts, and a baseline's digests in that of the jobs.
func (d demo) reversedLedger(t *testing.T) {
	team := filepath.Join(d.project, filepath.Dir(filepath.Dir(d.manifest)), "state", "team-state-error-analysis-001.json")
	whole, err := os.ReadFile(team)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { restore(t, team, whole) })
	var state map[string]json.RawMessage
	var rows []json.RawMessage
	if err := json.Unmarshal(whole, &state); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(state["workerDispatches"], &rows); err != nil || len(rows) < 6 {
		t.Fatalf("%d ledger rows, %v, want 6 or more", len(rows), err)
	}
	slices.Reverse(rows)
	if state["workerDispatches"], err = json.Marshal(rows); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	restore(t, team, text)
	if _, findings, _ := d.validate(t); slices.Contains(codes(findings), "policy-authority") {
		t.Errorf("findings %v, want no policy-authority", codes(findings))
	}
}

func restore(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKillingTheDispatcherLosesNoJob kills the dispatcher while three workers
// run; status must account for every job and leave nothing running.
func TestKillingTheDispatcherLosesNoJob(t *testing.T) {
	clitest.NeedTool(t, "git")
	bin, place := programs(t), t.TempDir()
	script := `set -e
mkdir -p rec home && cd "$DEMO_DIR" && mkdir -p p home rec && cd p && git init -q . && git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m start
export HOME="$DEMO_DIR/home" OKSTRA_HOME="$DEMO_DIR/home/.okstra"
for w in claude codex kimi; do printf '{"steps": [{"hang": true}]}' > "../rec/$w-analysis.json"; done
echo '# Task' > task.md
okstra-dispatch plan --prompt task.md --worker claude --worker codex --worker kimi --replay ../rec > jobs.jsonl
exec okstra-dispatch run -j 3 --boundary none jobs.jsonl`
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := inDemo(exec.CommandContext(ctx, "sh", "-c", script), bin, place)
	cmd.Dir = place
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	prompts := filepath.Join(place, "p", ".okstra/tasks/adhoc/task/runs/error-analysis/prompts")
	for len(started(prompts)) < 3 {
		if ctx.Err() != nil {
			t.Fatal("the three jobs did not start within a minute")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	manifest := ".okstra/tasks/adhoc/task/runs/error-analysis/manifests/run-manifest-error-analysis-001.json"
	var states []string
	for ctx.Err() == nil {
		status := inDemo(exec.CommandContext(ctx, filepath.Join(bin, "okstra-dispatch"), "status", "--run-manifest", manifest), bin, place)
		status.Dir = filepath.Join(place, "p")
		output, err := status.Output()
		if err != nil {
			t.Fatalf("status: %v", err)
		}
		states = nil
		for line := range strings.SplitSeq(strings.TrimSpace(string(output)), "\n") {
			var r struct {
				WorkerID string  `json:"workerId"`
				Outcome  *string `json:"outcome"`
				Message  string  `json:"message"`
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			outcome := "open"
			if r.Outcome != nil {
				outcome = *r.Outcome
			}
			states = append(states, r.WorkerID+" "+outcome)
		}
		if strings.Join(states, ",") == "claude lost,codex lost,kimi lost" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("status tells %v, want three lost jobs", states)
}

// started lists the status files of processes that were started.
func started(prompts string) []string {
	files, err := filepath.Glob(filepath.Join(prompts, "*.status.json"))
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(`"process":{"pid"`)) || err == nil && regexp.MustCompile(`"process":\s*\{`).Match(text) {
			out = append(out, name)
		}
	}
	return out
}
