package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// due is the next step of a run, decided by nothing but the files of its
// folder; ok is false when the run is done.
func due(t *testing.T, dir string) (s step, ok bool) {
	t.Helper()
	missing := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, s := range []step{
		{"items.jsonl", []string{"items", "scope-a.md", "scope-b.md", "scope-c.md"}},
		{"g.md", []string{"draft-groups", "--run-manifest", "m.json", "--output", "g.md.new", "items.jsonl"}},
		{"input.json", []string{"prepare-groups", "--run-manifest", "m.json", "--results-dir", ".", "--input", "g.md", "--output", "input.json.new"}},
		{"state.json", []string{"seed", "--output", "state.json.new", "input.json"}},
	} {
		if missing(s.makes) {
			return s, true
		}
	}
	next := nextOf(t, filepath.Join(dir, "state.json"))
	round := fmt.Sprint(next.Round)
	switch {
	case next.Action == "queue" && missing("packets-"+round+".jsonl"):
		return step{"packets-" + round + ".jsonl", []string{"queue", "--round", round, "--anonymize", "state.json"}}, true
	case next.Action == "queue":
		args := []string{"apply", "--round", round, "--allow-missing", "--state", "state.json", "--output", "state.json.new"}
		for _, worker := range answerers(t, dir, next.Round) {
			args = append(args, verdictFile(worker, next.Round))
		}
		return step{"state.json", args}, true
	case next.Action == "finalize":
		return step{"state.json", []string{"finalize", "--output", "state.json.new", "state.json"}}, true
	case missing("summary.json"):
		return step{"summary.json", []string{"summary", "--output", "summary.json.new", "state.json"}}, true
	case missing("agreement.json"):
		return step{"agreement.json", []string{"agreement", "--output", "agreement.json.new", "state.json"}}, true
	}
	return step{}, false
}

type next struct {
	Action string `json:"action"`
	Round  int    `json:"round"`
}

func nextOf(t *testing.T, path string) next {
	t.Helper()
	var state struct {
		Next next `json:"next"`
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		t.Fatalf("the state is not whole: %v", err)
	}
	return state.Next
}

func verdictFile(worker string, round int) string { return fmt.Sprintf("%s-r%d.md", worker, round) }

// answerers writes the verdict files of a round, unless they lie there, and
// names their workers. A worker is silent once, some change sides, and some
// blocks are bad.
func answerers(t *testing.T, dir string, round int) []string {
	t.Helper()
	packets, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("packets-%d.jsonl", round)))
	if err != nil {
		t.Fatal(err)
	}
	var workers []string
	for line := range strings.Lines(string(packets)) {
		var packet struct {
			WorkerID string `json:"workerId"`
			Groups   []struct {
				GroupID string `json:"groupId"`
			} `json:"groups"`
		}
		if err := json.Unmarshal([]byte(line), &packet); err != nil {
			t.Fatal(err)
		}
		if round == 1 && packet.WorkerID == "scope-b" {
			continue
		}
		workers = append(workers, packet.WorkerID)
		path := filepath.Join(dir, verdictFile(packet.WorkerID, round))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		var text strings.Builder
		fmt.Fprintf(&text, "# Reverify\nRound: %d\nWorker: %s\n", round, packet.WorkerID)
		for i, g := range packet.Groups {
			text.WriteString("\n## " + g.GroupID + "\n" + [...]string{
				"Verdict: AGREE\nEvidence: other.go:1\n",
				"Verdict: DISAGREE\nBasis: refuted\nEvidence: other.go:2\nReason: it is checked before\n",
				"Verdict: AGREE\n", // bad: no evidence
				"Verdict: SUPPLEMENT\nEvidence: other.go:3\nReason: so does the second caller\n",
			}[(i+round)%4])
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return workers
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
	if err == nil {
		err = os.Rename(fresh, filepath.Join(dir, s.makes))
	}
	if err != nil {
		t.Fatalf("okstra-converge %s: %v\n%s", strings.Join(s.args, " "), err, errs.String())
	}
	return false
}

// finish runs the steps that are due until there is none; each is shown to
// before, and how long it took to after.
func finish(t *testing.T, dir string, before func(), after func(time.Duration)) {
	t.Helper()
	const most = 20
	for range most {
		s, ok := due(t, dir)
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

// newRun is a folder with the results of three workers, 40 items each.
func newRun(t *testing.T) string {
	t.Helper()
	const each = 40
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"m.json": strings.ReplaceAll(read(t, filepath.Join(dir, "run/m.in.json")), "PROJECT", dir)}
	for w, worker := range []string{"scope-a", "scope-b", "scope-c"} {
		template := read(t, filepath.Join(dir, worker+".md"))
		head, _, _ := strings.Cut(template, "### F-001")
		_, tail, _ := strings.Cut(template, "## 2. ")
		tail, _, _ = strings.Cut(tail, "## 6. ")
		var items strings.Builder
		for i := range each {
			// Every fourth place is quoted by two workers.
			fmt.Fprintf(&items, "### F-%03d finding %d of %s\n- Tickets: PAY-%d\n- Evidence: part%d.go:%d\n\nText of it.\n\n", i+1, i, worker, i, w*min(i%4, 1), i+1)
		}
		files[worker+".md"] = head + items.String() + "## 2. " + tail
		files[worker+"-worker-error-analysis-002.md"] = files[worker+".md"]
	}
	restore(t, dir, files)
	return dir
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
		t.Skip("short: a hundred processes")
	}
	dir := newRun(t)
	var before []map[string]string // the folder before each step
	var took []time.Duration
	finish(t, dir, func() { before = append(before, contents(t, dir)) }, func(d time.Duration) { took = append(took, d) })
	want := contents(t, dir)
	if len(before) < 10 {
		t.Fatalf("the run has %d steps", len(before))
	}
	random := rand.New(rand.NewPCG(1, 2))
	hit := 0
	for n := range kills {
		at := n % len(before)
		restore(t, dir, before[at])
		s, _ := due(t, dir)
		if s.run(t, dir, took[at]/20+time.Duration(random.Int64N(int64(took[at])))) {
			hit++
		}
		finish(t, dir, func() {}, func(time.Duration) {})
		got := contents(t, dir)
		maps.DeleteFunc(got, func(name, _ string) bool { return want[name] == "" }) // what a kill left half-written beside them
		if !maps.Equal(got, want) {
			t.Errorf("killed in %q: other files than after an undisturbed run", s.args)
		}
	}
	t.Logf("%d of %d kills hit a running step", hit, kills)
	if hit == 0 {
		t.Error("no kill hit a running step")
	}
}
