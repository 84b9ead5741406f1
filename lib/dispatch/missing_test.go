package dispatch

import (
	"os"
	"path/filepath"
	"testing"

	"okstra/lib/run"
)

// Whoever tells of an attempt, its files must be there: what was taken away, or
// lies behind a gap, is no attempt that was never made.
func TestAnAttemptThatSomebodyTellsOfIsMissed(t *testing.T) {
	const id = testRun + "/assignment:analysis:a"
	row := func(attempt int) []run.LedgerRow {
		return []run.LedgerRow{{AssignmentRef: "assignment:analysis:a", Attempt: attempt}}
	}
	for _, tt := range []struct {
		name   string
		files  []string
		result int
		ledger []run.LedgerRow
		want   string
	}{
		{"nothing was tried", nil, 0, nil, ""},
		{"all agree", []string{"a.md.attempt-1.json", "a.md.attempt-2.json"}, 2, row(2), ""},
		{"the journal knows less", []string{"a.md.attempt-1.json"}, 0, nil, ""},
		{"the journal knows more", []string{"a.md.attempt-1.json"}, 2, row(1), "the journal tells of attempt 2, and there are files of 1"},
		{"only the journal knows", nil, 1, nil, "the journal tells of attempt 1, and there are files of 0"},
		{"the ledger knows more", []string{"a.md.attempt-1.json"}, 1, row(3), "the ledger tells of attempt 3, and there are files of 1"},
		{"a gap", []string{"a.md.attempt-1.json", "a.md.attempt-4.json"}, 1, row(1), "a sidecar tells of attempt 4, and there are files of 1"},
		{"sidecars of another prompt", []string{"a.md.attempt-1.json", "ab.md.attempt-2.json", "a.md.attempt-x.json"}, 1, row(1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			e := &entry{job: run.Job{JobID: id, ProjectRoot: dir, PromptPath: "a.md"}}
			if tt.result > 0 {
				e.result = &run.Result{Attempt: tt.result}
			}
			h := &history{manifest: *shopRun(), record: &record{order: []string{id}, entries: map[string]*entry{id: e}}}
			h.manifest.RunID = testRun
			h.told = h.accounts(tt.ledger)
			h.attempts = map[string][]*past{id: readPast(e.job)}
			if got := h.missing(id); got != tt.want {
				t.Errorf("missing is %q, want %q", got, tt.want)
			}
		})
	}
}
