package okstra_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"okstra/lib/clitest"
)

const recordings = "examples/checkout-timeouts/recordings"

// crossVerify is a call of the script in a repository of its own that holds a
// brief of the given name. The CLIs are there, and do nothing; vars are further
// variables of the environment, the last of a name counting.
func crossVerify(t *testing.T, brief string, vars ...string) *exec.Cmd {
	t.Helper()
	for _, tool := range []string{"sh", "git", "sed"} {
		clitest.NeedTool(t, tool)
	}
	bin, place := programs(t), t.TempDir()
	dir := filepath.Join(place, "a checkout")
	script, err := filepath.Abs("examples/cross-verify.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"bin", "tmp", "home"} {
		if err := os.Mkdir(filepath.Join(place, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, cli := range []string{"claude", "codex", "kimi"} {
		if err := os.WriteFile(filepath.Join(place, "bin", cli), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS("examples/checkout-timeouts")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "TASK.md"), filepath.Join(dir, brief)); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{
		{"init", "-q", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "start"},
	} {
		if output, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %v: %s", err, output)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := inDemo(exec.CommandContext(ctx, "sh", script, brief), bin+string(filepath.ListSeparator)+filepath.Join(place, "bin"), dir)
	cmd.Dir = dir
	home := filepath.Join(place, "home")
	cmd.Env = append(cmd.Env, "HOME="+home, "OKSTRA_HOME="+filepath.Join(home, ".okstra"), "TMPDIR="+filepath.Join(place, "tmp"), "TIMEOUT=3s")
	cmd.Env = append(cmd.Env, vars...)
	t.Cleanup(func() {
		if left, err := os.ReadDir(filepath.Join(place, "tmp")); err != nil || len(left) > 0 {
			t.Errorf("the script leaves %v in the temporary folder (%v)", left, err)
		}
	})
	return cmd
}

// TestCrossVerifyEndsWhenAnAnswerIsRefused: the script has one answer to each
// question, so that asking again would never end.
func TestCrossVerifyEndsWhenAnAnswerIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, setting string
		want          string
	}{
		{"a worker that is not installed", "WORKERS=nobody", `"nobody"`},
		{"a group that leads elsewhere", "GROUP=../x", `"../x" is no identifier`},
		{"a language of quotes", `TRANSLATE=d"\`, "okstra-wizard: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := runTool(t, crossVerify(t, "task.md", tt.setting), "")
			if status != 2 || strings.Count(stderr, tt.want) != 1 {
				t.Errorf("status %d, %q, want 2 and %s once", status, stderr, tt.want)
			}
		})
	}
	cmd := crossVerify(t, "task.md")
	cmd.Args[len(cmd.Args)-1] = "nowhere.md"
	if status, _, stderr := runTool(t, cmd, ""); status != 2 || !strings.Contains(stderr, `"nowhere.md": no such file`) {
		t.Errorf("a brief that is not there: status %d, %q", status, stderr)
	}
}

// TestCrossVerifyTakesABriefOfAnyName: there is no recording, so that the script
// ends when it has planned.
func TestCrossVerifyTakesABriefOfAnyName(t *testing.T) {
	for _, tt := range []struct{ brief, want string }{
		{"Fix it.md", ".okstra/tasks/adhoc/fix-it "},
		{"-x \\n $(date) \"q\".md", ".okstra/tasks/adhoc/x--n---date---q "},
		{"two\nlines.md", ".okstra/tasks/adhoc/two-lines "},
		{"\u00e4.md", ".okstra/tasks/adhoc/task-"},
		{strings.Repeat("long-", 30) + ".md", ".okstra/tasks/adhoc/" + strings.Repeat("long-", 12) + "long "},
	} {
		status, stdout, stderr := runTool(t, crossVerify(t, tt.brief, "TRANSLATE=DE", "OKSTRA_REPLAY_DIR="+t.TempDir()), "")
		if !strings.Contains(stdout, "The task folder "+tt.want) || !strings.Contains(stdout, ", also in de by ") || status != 2 {
			t.Errorf("%q: status %d, %s%s", tt.brief, status, stdout, stderr)
		}
	}
}

// TestCrossVerifyWantsItsProgramsBeforeItSpends: one that is missing at the end
// would have cost all the workers.
func TestCrossVerifyWantsItsProgramsBeforeItSpends(t *testing.T) {
	cmd := crossVerify(t, "task.md")
	some := t.TempDir()
	for _, tool := range []string{"wizard", "dispatch", "converge", "token-usage", "validate"} {
		if err := os.Symlink(filepath.Join(programs(t), "okstra-"+tool), filepath.Join(some, "okstra-"+tool)); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+some+":/usr/bin:/bin")
	status, stdout, stderr := runTool(t, cmd, "")
	if status != 2 || stdout != "" || stderr != "cross-verify.sh: okstra-translate is not on the PATH\n" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// TestCrossVerifyTellsTheCostOfASpoiltRun: what the workers cost, and what they
// agree on, is told although the report and a verdict file are rubbish.
func TestCrossVerifyTellsTheCostOfASpoiltRun(t *testing.T) {
	spoilt := t.TempDir()
	if err := os.CopyFS(spoilt, os.DirFS(recordings)); err != nil {
		t.Fatal(err)
	}
	restore(t, filepath.Join(spoilt, "report.data.json"), []byte("rubbish"))
	restore(t, filepath.Join(spoilt, "kimi-analysis.md"), []byte("rubbish"))
	for _, worker := range []string{"claude", "codex", "kimi"} {
		restore(t, filepath.Join(spoilt, worker+"-reverify-r2.json"), []byte(`{"steps": [{"write": "${resultPath}", "text": "rubbish"}]}`))
	}
	status, stdout, stderr := runTool(t, crossVerify(t, "task.md", "TRANSLATE=ko", "OKSTRA_REPLAY_DIR="+spoilt), "")
	for _, want := range []string{
		"cross-verify.sh: left out: .okstra/tasks/adhoc/task/runs/error-analysis/worker-results/kimi-worker-error-analysis-001.md\n",
		"== tokens and cost", "  kimi-worker: 32220 tokens", "  contract-violated: ", "error result-front-matter ", "error doc-syntax ", "  run folder: ",
	} {
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("nothing says %q", want)
		}
	}
	if status != 1 || t.Failed() {
		t.Errorf("status %d (want 1)\n%s%s", status, stdout, stderr)
	}
}

// TestCrossVerifyEndsItsWorkersWhenItIsStopped: a signal to the script alone must
// not leave workers behind that go on spending.
func TestCrossVerifyEndsItsWorkersWhenItIsStopped(t *testing.T) {
	hang := t.TempDir()
	for _, worker := range []string{"claude", "codex", "kimi"} {
		restore(t, filepath.Join(hang, worker+"-analysis.json"), []byte(`{"steps": [{"hang": true}]}`))
	}
	cmd := crossVerify(t, "task.md", "TIMEOUT=10m", "OKSTRA_REPLAY_DIR="+hang)
	prompts := filepath.Join(cmd.Dir, ".okstra/tasks/adhoc/task/runs/error-analysis/prompts")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); len(started(prompts)) < 3 && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is judged
	if status := cmd.ProcessState.ExitCode(); status != 143 || !strings.Contains(output.String(), "interrupted by SIGTERM") {
		t.Errorf("status %d, want 143\n%s", status, output.String())
	}
	ended := started(prompts)
	for _, name := range ended {
		if text, err := os.ReadFile(name); err != nil || !bytes.Contains(text, []byte(`"killVerified": true`)) {
			t.Errorf("%s: %v, still running:\n%s", name, err, text)
		}
	}
	if len(ended) != 3 {
		t.Errorf("jobs with a process: %v, want 3", ended)
	}
}
