package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The jobs of a round are judged by one baseline. A retry is a round of its own:
// what its peer left in the round before is in its baseline, and no change of its.
func TestW11EveryRoundHasItsOwnBaseline(t *testing.T) {
	t.Parallel()
	dir, _ := batch(t, 2)
	provider := strings.Replace(quickProvider, `echo result >`, `case $1 in */w00-*) if ! [ -e ../tried ]; then touch ../tried; exit 7; fi;; esac; echo result >`, 1)
	if err := os.WriteFile(filepath.Join(dir, "quick.json"), []byte(provider), 0o644); err != nil {
		t.Fatal(err)
	}
	out, status := dispatchIn(t, dir, "run", "-j", "2", "--boundary", "none", "jobs.jsonl")
	list := results(t, out)
	if status != 0 || len(list) != 2 {
		t.Fatalf("status %d, results %s", status, out)
	}
	shop := filepath.Join(dir, "shop")
	baselines, err := filepath.Glob(filepath.Join(shop, ".okstra/tasks/pay/slow/runs/error-analysis/state/audit-*.json"))
	if err != nil || len(baselines) != 2 {
		t.Errorf("baselines %q, %v; want one for each of two rounds", baselines, err)
	}
	for _, r := range list {
		want := map[string]int{"w00": 2, "w01": 1}[r.WorkerID]
		if r.Attempt != want || *r.Outcome != "completed" || *r.Mutation != "artifact-only" {
			t.Errorf("%s: attempt %d, %s, %s", r.WorkerID, r.Attempt, *r.Outcome, *r.Mutation)
		}
		text, err := os.ReadFile(filepath.Join(shop, r.AttemptPath))
		peer := map[string]string{"w00": "w01", "w01": "w00"}[r.WorkerID] + "-worker"
		if _, audit, found := strings.Cut(string(text), `"audit": {`); err != nil || !found || strings.Contains(audit, peer) {
			t.Errorf("%s: a peer's file is among its changes, or there is no audit: %v\n%s", r.WorkerID, err, text)
		}
	}
}
