package main

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is one command of a run and the file that it makes. A command with
// --output writes it under the name with ".new", any other prints it there; the
// script then gives it its name: "okstra-converge … > x.new && mv x.new x".
type step struct {
	makes string
	args  []string
}

// script is a run of commands: the folder that it begins in, and the step that
// is due, decided by nothing but the files of the folder; ok is false when the
// run is done.
type script struct {
	name  string
	start func(t *testing.T) string
	due   func(t *testing.T, dir string) (s step, ok bool)
	steps int // at least
}

// run runs a step to its end, or kills it after a while unless that is zero.
// What a killed command has printed stays where it got to.
func (s step) run(t *testing.T, dir string, killAfter time.Duration) (killed bool) {
	t.Helper()
	cmd := exec.Command("okstra-converge", s.args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	fresh := filepath.Join(dir, s.makes+".new")
	if !slices.Contains(s.args, "--output") {
		file, err := os.Create(fresh)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd.Stdout = file
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if killAfter > 0 {
		timer := time.AfterFunc(killAfter, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() && killAfter > 0 {
		return true
	}
	if s.args[1] == "gate" && cmd.ProcessState.ExitCode() == 1 {
		err = nil // shut, and written
	}
	if err == nil {
		err = os.Rename(fresh, filepath.Join(dir, s.makes))
	}
	if err != nil {
		t.Fatalf("okstra-converge %s: %v\n%s", strings.Join(s.args, " "), err, errs.String())
	}
	return false
}

// finish runs the steps that are due until there is none. before is called
// ahead of each, and after is told how long it took.
func (sc script) finish(t *testing.T, dir string, before func(), after func(time.Duration)) {
	t.Helper()
	const most = 30
	for range most {
		s, ok := sc.due(t, dir)
		if !ok {
			return
		}
		before()
		start := time.Now()
		s.run(t, dir, 0)
		after(time.Since(start))
	}
	t.Fatal("the run does not end")
}

// contents are the files directly in a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

// restore makes the files directly in a folder be these.
func restore(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name := range contents(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAKilledRunResumesFromItsFiles ends steps of a run with SIGKILL at random
// moments; what lies there then leads to the same bytes as an undisturbed run.
// A kill between two steps is one in which nothing was begun.
func TestAKilledRunResumesFromItsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: hundreds of processes")
	}
	for _, sc := range scripts {
		t.Run(sc.name, sc.killed)
	}
}

func (sc script) killed(t *testing.T) {
	dir := sc.start(t)
	var before []map[string]string // the folder before each step
	var took []time.Duration
	sc.finish(t, dir, func() { before = append(before, contents(t, dir)) }, func(d time.Duration) { took = append(took, d) })
	after := append(before[1:], contents(t, dir)) // and after it
	if len(before) < sc.steps {
		t.Fatalf("the run has %d steps, want at least %d", len(before), sc.steps)
	}
	random := rand.New(rand.NewPCG(1, 2))
	hit := 0
	for n := range kills {
		at := n % len(before)
		restore(t, dir, before[at])
		s, _ := sc.due(t, dir)
		if !s.run(t, dir, took[at]/20+time.Duration(random.Int64N(int64(took[at])))) {
			continue // it was done before
		}
		hit++
		// Begun again, the step leaves what it left undisturbed; what follows
		// is then the same steps over the same bytes, and seen to be so for
		// some of the kills.
		if s, ok := sc.due(t, dir); ok {
			s.run(t, dir, 0)
		}
		sc.due(t, dir) // writes the answers to what was asked
		if n%followed == 0 {
			sc.finish(t, dir, func() {}, func(time.Duration) {})
			at = len(after) - 1
		}
		got := contents(t, dir)
		maps.DeleteFunc(got, func(name, _ string) bool { return after[at][name] == "" }) // what a kill left half-written beside them
		if !maps.Equal(got, after[at]) {
			t.Errorf("killed in %q: other files than after an undisturbed run", s.args)
		}
	}
	t.Logf("%d of %d kills hit a running step", hit, kills)
	if hit == 0 {
		t.Error("no kill hit a running step")
	}
}
