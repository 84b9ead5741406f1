package dispatch

import (
	"fmt"
	"strings"

	"okstra/lib/run"
)

// A stray is a job that the ledger has attempts of, and that the journal of
// the run does not know: the journal was damaged or taken away. Such a job is
// told of, and never taken for one that was not run.
type stray struct {
	journal string
	job     run.Job
	rows    []run.LedgerRow
}

func (s stray) Error() string {
	return fmt.Sprintf("%s: no line of job %q, of which the ledger has %d attempts: the journal is damaged", s.journal, s.job.JobID, len(s.rows))
}

// ledgerRows are the rows of the ledger. A team state that cannot be read has
// none.
func (h *history) ledgerRows() []run.LedgerRow {
	state, _, err := run.LoadTeamState(run.Abs(h.manifest.ProjectRoot, h.manifest.TeamStatePath))
	if err != nil {
		return nil
	}
	rows, _ := state.Ledger()
	return rows
}

// straysOf are the jobs of rows that record has no line of, in the order of the
// ledger. Rows of old ledgers, and rows without a sidecar, are of dispatchers
// that kept no journal.
func straysOf(m run.Manifest, record *record, rows []run.LedgerRow) []stray {
	var list []stray
	at := map[string]int{}
	for _, row := range rows {
		id := m.RunID + "/" + row.AssignmentRef
		prompt, whole := strings.CutSuffix(row.AttemptPath, run.AttemptPath("", row.Attempt))
		if row.AssignmentRef == "" || !whole || prompt == "" || record.entries[id] != nil {
			continue
		}
		if _, known := at[id]; !known {
			at[id] = len(list)
			list = append(list, stray{journal: m.JournalPath, job: run.Job{
				JobID: id, ProjectRoot: m.ProjectRoot, RunManifestPath: m.Folder().RunManifest(),
				AssignmentRef: row.AssignmentRef, RoleExecutionRef: row.RoleExecutionRef, WorkerID: row.WorkerKey(), Role: row.Role,
				Provider: row.Provider, Model: row.Model, ModelExecutionValue: row.ModelExecutionValue,
				PromptPath: prompt, ResultPath: row.ResultPath, WorktreePath: row.WorktreePath,
			}})
		}
		s := &list[at[id]]
		s.rows = append(s.rows, row)
	}
	return list
}

// lines tell of the attempts as far as their files do, else of what the ledger
// says.
func (s stray) lines() []run.Result {
	const warning = "journal-lacks: it has no line of this job"
	var list []run.Result
	for _, p := range readPast(s.job) {
		list = append(list, p.result())
	}
	if len(list) == 0 {
		for _, row := range s.rows {
			p := past{job: s.job, n: row.Attempt, files: attemptPaths(s.job.ProjectRoot, s.job.PromptPath, row.Attempt)}
			r := p.result()
			r.Outcome, r.Cause, r.ResultClass, r.Mutation = row.Outcome, row.Cause, row.ResultClass, row.Mutation
			r.ExitCode, r.SessionID, r.Boundary, r.WallMs = row.ExitCode, row.SessionID, row.BoundaryKind, spanMs(row.DispatchedAt, row.EndedAt)
			list = append(list, r)
		}
	}
	for i := range list {
		list[i].Warnings = append(list[i].Warnings, warning)
	}
	return list
}
