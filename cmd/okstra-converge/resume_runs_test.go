package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripts are the runs that are killed and resumed.
var scripts = []script{
	{"findings and a critic's", startFindings, dueOfFindings, 16},
	{"the body of a plan", startPlan, dueOfPlan, 10},
}

func missing(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return errors.Is(err, fs.ErrNotExist)
}

// dueOfFindings goes from worker results over two rounds and a critic's to the
// report's rows.
func dueOfFindings(t *testing.T, dir string) (s step, ok bool) {
	t.Helper()
	for _, s := range []step{
		{"items.jsonl", []string{"items", "scope-a.md", "scope-b.md", "scope-c.md"}},
		{"g.md", []string{"draft-groups", "--run-manifest", "m.json", "--output", "g.md.new", "items.jsonl"}},
		{"input.json", []string{"prepare-groups", "--run-manifest", "m.json", "--results-dir", ".", "--input", "g.md", "--output", "input.json.new"}},
		{"state.json", []string{"seed", "--output", "state.json.new", "input.json"}},
	} {
		if missing(dir, s.makes) {
			return s, true
		}
	}
	next := nextOf(t, filepath.Join(dir, "state.json"))
	switch {
	case next.Action == "finalize":
		return step{"state.json", []string{"finalize", "--output", "state.json.new", "state.json"}}, true
	case next.Action == "done" && !next.critical:
		return step{"state.json", []string{"critic", "gaps", "--state", "state.json", "--output", "state.json.new", "critic.md"}}, true
	case next.Action == "queue":
		return asked(t, dir, nil, "state.json", next.Round, reverified), true
	}
	for _, s := range []step{
		{"acceptance.json", []string{"critic", "acceptance", "--output", "acceptance.json.new", "state.json"}},
		{"summary.json", []string{"summary", "--output", "summary.json.new", "state.json"}},
		{"report.sarif", []string{"summary", "--format", "sarif", "--output", "report.sarif.new", "state.json"}},
		{"agreement.json", []string{"agreement", "--output", "agreement.json.new", "state.json"}},
	} {
		if missing(dir, s.makes) {
			return s, true
		}
	}
	return step{}, false
}

// dueOfPlan verifies a plan in three rounds, and mends it after each of the
// first two.
func dueOfPlan(t *testing.T, dir string) (s step, ok bool) {
	t.Helper()
	if missing(dir, "plan-body.json") {
		return step{"plan-body.json", []string{"plan-body", "seed", "--run-manifest", "m.json", "--data", "plan.json", "--output", "plan-body.json.new"}}, true
	}
	next := nextOf(t, filepath.Join(dir, "plan-body.json"))
	last := len(next.fixed) - 1
	switch {
	case next.Action == "queue" && last >= 0 && !next.fixed[last]:
		mended := []string{"plan2.json", "plan.json"}[last]
		return step{"plan-body.json", []string{"plan-body", "fix", "--data", mended, "--note", "the step names its target", "--output", "plan-body.json.new", "plan-body.json"}}, true
	case next.Action == "queue":
		return asked(t, dir, []string{"plan-body"}, "plan-body.json", next.Round, judged), true
	case missing(dir, "gate.json"):
		return step{"gate.json", []string{"plan-body", "gate", "--output", "gate.json.new", "plan-body.json"}}, true
	}
	return step{}, false
}

// asked is the step of a round: its packets, or where they lie there, the
// counting of what the workers answer to them.
func asked(t *testing.T, dir string, command []string, state string, round int, answer func(round, i int) string) step {
	t.Helper()
	packets := fmt.Sprintf("packets-%d.jsonl", round)
	if missing(dir, packets) {
		return step{packets, append(command, "queue", "--round", fmt.Sprint(round), state)}
	}
	args := append(command, "apply", "--round", fmt.Sprint(round), "--allow-missing", "--state", state, "--output", state+".new")
	return step{state, append(args, answerers(t, dir, round, answer)...)}
}

type next struct {
	Action   string `json:"action"`
	Round    int    `json:"round"`
	critical bool   // a critic's candidates are in the state
	fixed    []bool // of a plan: whether it was mended after each round
}

func nextOf(t *testing.T, path string) next {
	t.Helper()
	var state struct {
		Next   next `json:"next"`
		Groups []struct {
			GroupID string `json:"groupId"`
		} `json:"groups"`
		Rounds []struct {
			SelfFix *struct{} `json:"selfFix"`
		} `json:"rounds"`
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		t.Fatalf("the state is not whole: %v", err)
	}
	for _, g := range state.Groups {
		state.Next.critical = state.Next.critical || strings.HasPrefix(g.GroupID, "X-")
	}
	for _, r := range state.Rounds {
		state.Next.fixed = append(state.Next.fixed, r.SelfFix != nil)
	}
	return state.Next
}

// reverified is what a worker says on the i-th group that it is asked about:
// some change sides, and some blocks are bad.
func reverified(round, i int) string {
	return [...]string{
		"Verdict: AGREE\nEvidence: other.go:1\n",
		"Verdict: DISAGREE\nBasis: refuted\nEvidence: other.go:2\nReason: it is checked before\n",
		"Verdict: AGREE\n", // bad: no evidence
		"Verdict: SUPPLEMENT\nEvidence: other.go:3\nReason: so does the second caller\n",
	}[(i+round)%4]
}

// judged is what a worker says on the i-th item of a plan: it is against one
// in each of the first two rounds, and once forgets its letter.
func judged(round, i int) string {
	switch {
	case round < 3 && i%3 == round:
		return "Verdict: DISAGREE\nLetter: c\nEvidence: go.mod:3\nReason: to whom is not said\n"
	case round < 3 && i == 4:
		return "Verdict: DISAGREE\nEvidence: go.mod:3\nReason: a vote without its letter\n"
	}
	return "Verdict: AGREE\n"
}

// answerers writes the verdict files of a round, unless they lie there, and
// names them. One worker is silent in round 1.
func answerers(t *testing.T, dir string, round int, answer func(round, i int) string) []string {
	t.Helper()
	packets, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("packets-%d.jsonl", round)))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
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
		name := fmt.Sprintf("%s-r%d.md", packet.WorkerID, round)
		files = append(files, name)
		path := filepath.Join(dir, name)
		if !missing(dir, name) {
			continue
		}
		var text strings.Builder
		fmt.Fprintf(&text, "# Verdicts\nRound: %d\nWorker: %s\n", round, packet.WorkerID)
		for i, g := range packet.Groups {
			text.WriteString("\n## " + g.GroupID + "\n" + answer(round, i))
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// startFindings is a folder with the results of three workers, 40 items each,
// and a critic's file.
func startFindings(t *testing.T) string {
	t.Helper()
	const each = 40
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	enable(t, dir, `"critic": {"enabled": false`, `"critic": {"enabled": true`)
	files := map[string]string{"critic.md": read(t, filepath.Join(dir, "scope-b-critic.md")), "m.json": strings.ReplaceAll(read(t, filepath.Join(dir, "run/m.in.json")), "PROJECT", dir)}
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

// startPlan is a folder with a plan and the same plan mended.
func startPlan(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	enable(t, dir, `"convergence": {`, `"convergence": {"planBody": {"maxRounds": 3}, `)
	restore(t, dir, map[string]string{
		"m.json":    strings.ReplaceAll(read(t, filepath.Join(dir, "plan/m.in.json")), "PROJECT", dir),
		"plan.json": read(t, filepath.Join(dir, "plan.json")), "plan2.json": read(t, filepath.Join(dir, "plan2.json")),
	})
	return dir
}

// enable changes the configuration in the task manifest of a folder.
func enable(t *testing.T, dir, was, is string) {
	t.Helper()
	name := filepath.Join(dir, ".okstra/tasks/pay/checkout-timeouts/task-manifest.json")
	text := read(t, name)
	if !strings.Contains(text, was) {
		t.Fatalf("no %s in %s", was, text)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(text, was, is, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
