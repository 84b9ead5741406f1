package dispatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"okstra/lib/run"
)

// account is the highest attempt of a job of which somebody else than its files
// tells, and who does.
type account struct {
	who     string
	attempt int
}

// accounts are what the journal, the ledger and the names of sidecars tell of
// the attempts of each job. An attempt of which they tell and whose files are
// gone, or lie behind a gap, was taken away: numbers have no gap, and the
// sidecar is written before anything tells of it.
func (h *history) accounts(ledger []run.LedgerRow) map[string]account {
	told := map[string]account{}
	note := func(id, who string, attempt int) {
		if attempt > told[id].attempt {
			told[id] = account{who: who, attempt: attempt}
		}
	}
	sidecars := sidecarNumbers{}
	for _, id := range h.record.order {
		entry := h.record.entries[id]
		if entry.result != nil {
			note(id, "the journal", entry.result.Attempt)
		}
		note(id, "a sidecar", sidecars.highest(run.Abs(entry.job.ProjectRoot, entry.job.PromptPath)))
	}
	for _, row := range ledger {
		note(h.manifest.RunID+"/"+row.AssignmentRef, "the ledger", row.Attempt)
	}
	return told
}

// missing says what is wrong with the attempts of a job, "" when there are files
// of every one that is told of.
func (h *history) missing(id string) string {
	if a, n := h.told[id], len(h.attempts[id]); a.attempt > n {
		return fmt.Sprintf("%s tells of attempt %d, and there are files of %d", a.who, a.attempt, n)
	}
	return ""
}

// sidecarNumbers are the highest numbers of the sidecars beside each prompt, by
// folder, which is read once.
type sidecarNumbers map[string]map[string]int

func (s sidecarNumbers) highest(prompt string) int {
	dir, name := filepath.Split(prompt)
	known, read := s[dir]
	if !read {
		known = map[string]int{}
		s[dir] = known
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			m := attemptNumber().FindStringSubmatch(entry.Name())
			if m == nil || m[3] != ".json" {
				continue
			}
			if n, err := strconv.Atoi(m[2]); err == nil {
				known[m[1]] = max(known[m[1]], n)
			}
		}
	}
	return known[name]
}
