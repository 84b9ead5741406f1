package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"okstra/lib/price"
)

// project is a folder with runs in it.
type project struct {
	t    *testing.T
	root string
}

func newProject(t *testing.T) project {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".okstra"), 0o755); err != nil {
		t.Fatal(err)
	}
	return project{t, root}
}

// object is a JSON object.
type object = map[string]any

// write stores a document of a run and gives its path.
func (p project) write(task, taskType, dir, name string, doc any) string {
	p.t.Helper()
	text, isText := doc.(string)
	if !isText {
		raw, err := json.Marshal(doc)
		if err != nil {
			p.t.Fatal(err)
		}
		text = string(raw)
	}
	path := filepath.Join(p.root, ".okstra/tasks/pay", task, "runs", taskType, dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// state stores a team state that began on a day of September 2026; edit may
// change it.
func (p project) state(task, taskType, seq string, day int, summary any, edit ...func(object)) string {
	p.t.Helper()
	doc := object{
		"schemaVersion": "2.0", "kind": "okstra-team-state", "runId": "jobs:pay:" + task + ":" + taskType + ":" + seq, "taskType": taskType,
		"projectRoot": p.root, "startedAt": fmt.Sprintf("2026-09-%02dT10:00:00Z", day), "endedAt": fmt.Sprintf("2026-09-%02dT11:30:00Z", day),
		"lead": object{"provider": "codex", "model": "gpt-5.6-sol"}, "workers": []object{{"workerId": "a", "provider": "claude", "model": "opus"}},
		"workerDispatches": []object{}, "usageSummary": summary,
	}
	for _, e := range edit {
		e(doc)
	}
	return p.write(task, taskType, "state", "team-state-"+taskType+"-"+seq+".json", doc)
}

// used is a summary with a lead and a worker who used so much together.
func used(tokens, billable int64, cost any, cpu, wall int64, edit ...func(object)) object {
	doc := object{
		"grandTotalTokens": tokens, "grandBillableEquivalentTokens": billable, "costUsd": cost, "costComplete": cost != nil, "cpuSumMs": cpu, "wallClockMs": wall,
		"unmatchedModels": []string{}, "unattributed": nil, "unavailableReasons": []string{},
		"roles": []object{
			{"role": "leader", "workerId": nil, "provider": "codex", "model": "gpt-5.6-sol", "source": "codex-rollout", "totalTokens": tokens, "billableEquivalentTokens": billable, "costUsd": cost, "durationMs": cpu},
			{"role": "analyser", "workerId": "a", "provider": "claude", "model": "claude-opus-4-8", "source": "claude-transcript", "totalTokens": 0, "billableEquivalentTokens": 0, "costUsd": 0, "durationMs": 0},
		},
	}
	for _, e := range edit {
		e(doc)
	}
	return doc
}

func unmatched(names ...string) func(object) {
	return func(doc object) { doc["unmatchedModels"], doc["costComplete"] = names, false }
}

// nobody leaves the summary without anybody measured.
func nobody(doc object) {
	for _, r := range doc["roles"].([]object) {
		r["source"], r["totalTokens"], r["billableEquivalentTokens"], r["costUsd"] = "unavailable", nil, nil, nil
	}
	doc["grandTotalTokens"], doc["grandBillableEquivalentTokens"], doc["costUsd"] = nil, nil, nil
}

// worker replaces the summary's row of the worker.
func worker(row object) func(object) {
	return func(doc object) { doc["roles"].([]object)[1] = row }
}

var window = Options{
	Since: time.Date(2026, 8, 10, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 9, 9, 0, 0, 0, 0, time.UTC), Location: time.UTC, By: []string{"task-type"},
}

func (p project) report(o Options) Report {
	p.t.Helper()
	runs, err := Find(p.root)
	if err != nil {
		p.t.Fatal(err)
	}
	o.Root = "/w/jobs"
	r, _ := Make(runs, o)
	return r
}

func textOf(t *testing.T, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Text(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func by(words ...string) Options {
	o := window
	o.By = words
	return o
}

// sample is a project with five runs of two types, three of them covered.
func sample(t *testing.T) project {
	p := newProject(t)
	p.state("a", "implementation", "001", 1, used(400_000, 110_000, 1.41, 4_000_000, 2_200_000))
	p.state("a", "implementation", "002", 3, used(500_000, 200_000, 1, 5_000_000, 3_000_000, unmatched("gpt-7-x")))
	p.state("b", "implementation", "001", 3, used(1, 1, 1, 1, 1, nobody))
	p.state("b", "implementation-planning", "001", 6, used(158_700, 72_700, 0.3635, 6_011_000, 5_400_000))
	p.state("b", "implementation-planning", "002", 7, nil)
	return p
}

func usd(t *testing.T, c *price.USD) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
