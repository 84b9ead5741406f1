//go:build e2e

package e2e

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"okstra/lib/clitest"
	"okstra/lib/clitest/modelserver"
)

var done = end{outcome: "completed", cause: "ok", exit: new(0), mutation: "artifact-only"}

// TestStandardInputIsNotInherited: Codex waits for ever, and Claude Code for a
// while, where they get a pipe that nobody writes to.
func TestStandardInputIsNotInherited(t *testing.T) {
	for _, c := range clis {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, c, modelserver.Options{Default: "tool", Command: doesTheJob})
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = r.Close(), w.Close() }()
			l.ended(l.dispatchWith(func(cmd *exec.Cmd) { cmd.Stdin = r }, patient.flags()), done, patient)
		})
	}
}

// TestAHomeOnAFullDisk: Claude Code ends well and loses its transcript, the
// others say so and end.
func TestAHomeOnAFullDisk(t *testing.T) {
	ends := map[string]end{
		"claude": done, "codex": failed("disk-full", 1), "grok": failed("disk-full", 1), "kimi": failed("disk-full", 1), "gemini": failed("disk-full", 1),
	}
	for _, c := range clis {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, c, modelserver.Options{Default: "tool", Command: doesTheJob})
			l.settings()
			disk := clitest.SmallDisk(t, 1<<20)
			if err := os.CopyFS(disk, os.DirFS(l.home)); err != nil {
				t.Fatal(err)
			}
			l.extra, l.home = append(l.extra, "OKSTRA_HOME="+filepath.Join(l.home, ".okstra")), disk
			fill(t, disk)
			r := l.dispatch(patient.flags()...)
			l.ended(r, ends[c.id], patient)
			if lost := slices.Contains(r.Warnings, "transcript-empty"); lost != (c.id == "claude") {
				t.Errorf("warnings %q", r.Warnings)
			}
		})
	}
}

// settings makes the settings file that each user of Claude Code has.
func (l *lane) settings() {
	if err := os.WriteFile(filepath.Join(l.home, ".claude.json"), []byte("{}\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// fill leaves no room on a disk.
func fill(t *testing.T, disk string) {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 512)
	for err == nil {
		_, err = file.Write(block)
	}
}

// TestTheSameSessionTwice: a CLI that takes a session id refuses one that it
// knows, and the dispatcher says that this is why.
func TestTheSameSessionTwice(t *testing.T) {
	const session = "0d2b7f2e-5f0c-4c1e-9a53-0b6a5d9b7c11"
	fixed := func(row map[string]any) {
		row["session"].(map[string]any)["mint"], row["session"].(map[string]any)["from"] = false, "stream"
		for i, arg := range row["argv"].([]any) {
			if arg == "{sessionId}" {
				row["argv"].([]any)[i] = session
			}
		}
	}
	for _, id := range []string{"claude", "grok"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, cliNamed(id), modelserver.Options{Default: "tool", Command: doesTheJob})
			flags := append(patient.flags(), "--providers", l.provider(fixed))
			l.ended(l.dispatch(flags...), done, patient)
			if err := os.Remove(filepath.Join(l.project, resultFile)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"dispatch.jsonl", "job.md.status.json", "job.md.attempt-1.json"} {
				if err := os.Remove(filepath.Join(l.project, filepath.Dir(promptFile), name)); err != nil {
					t.Fatal(err)
				}
			}
			l.ended(l.dispatch(flags...), failed("session-in-use", 1), patient)
		})
	}
}

// longTool is a tool that is still at work when the signal comes.
func longTool(string) string { return "sleep 300" }

// TestATermSignalWhileAToolRuns: however the CLI calls the end that a signal
// makes, the outcome says what happened, and the tool is gone.
func TestATermSignalWhileAToolRuns(t *testing.T) {
	terminated := end{outcome: "failed", cause: "signal", signal: "SIGTERM"}
	toTheCLI := map[string]end{
		"claude": {outcome: "failed"}, // says success, or ends with 143: whichever of its two ends comes first
		"codex":  terminated, "grok": terminated,
		"kimi":   failed("exit-nonzero", 143),
		"gemini": failed("stream-cut", 0),
	}
	for _, c := range clis {
		t.Run("to the CLI/"+c.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, c, modelserver.Options{Default: "tool", Command: longTool})
			r := l.dispatchWith(func(*exec.Cmd) { go l.whenTheToolRuns(func() { l.signal(l.process()) }) }, patient.flags())
			l.ended(r, toTheCLI[c.id], patient)
		})
		t.Run("to the dispatcher/"+c.id, func(t *testing.T) {
			t.Parallel()
			l := newLane(t, c, modelserver.Options{Default: "tool", Command: longTool})
			r := l.dispatchWith(func(cmd *exec.Cmd) { go l.whenTheToolRuns(func() { l.signal(cmd.Process.Pid) }) }, patient.flags(), 143)
			l.ended(r, end{outcome: "cancelled", cause: "interrupted"}, patient)
		})
	}
}

// whenTheToolRuns does something once the tool is at work, if it ever is.
func (l *lane) whenTheToolRuns(do func()) {
	for end := time.Now().Add(patient.wall); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, p := range l.processes() {
			if p.line == "sleep\x00300\x00" {
				time.Sleep(time.Second)
				do()
				return
			}
		}
	}
}

func (l *lane) signal(pid int) {
	if pid <= 1 { // 0 is the group of the test itself
		l.t.Errorf("no process to signal: pid %d", pid)
		return
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		l.t.Errorf("kill %d: %v", pid, err)
	}
}

// process is the one that the dispatcher started.
func (l *lane) process() int {
	var s struct{ Process struct{ PID int } }
	file, err := os.Open(filepath.Join(l.project, promptFile+".status.json"))
	if err == nil {
		defer file.Close()
		var text []byte
		if text, err = io.ReadAll(file); err == nil {
			err = json.Unmarshal(text, &s)
		}
	}
	if err != nil {
		l.t.Error(err)
	}
	return s.Process.PID
}
