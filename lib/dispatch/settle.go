package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// history is a run as its files tell of it.
type history struct {
	manifest run.Manifest
	record   *record
	attempts map[string][]*past // by job id
	strays   []stray            // attempts that the journal does not know
	told     map[string]account // what others than its files tell of a job's attempts
}

// readHistory reads manifest, journal and the files of every attempt.
func readHistory(manifestPath string) (*history, error) {
	m, err := LoadRun(manifestPath)
	if err != nil {
		return nil, err
	}
	h := &history{manifest: m, attempts: map[string][]*past{}}
	if h.record, err = readJournal(run.Abs(m.ProjectRoot, m.JournalPath), m.RunID); err != nil {
		return nil, err
	}
	// What tells of attempts is read before the attempts: a dispatcher may be at
	// work, and writes in the other order.
	ledger := h.ledgerRows()
	h.told, h.strays = h.accounts(ledger), straysOf(m, h.record, ledger)
	for _, id := range h.record.order {
		h.attempts[id] = readPast(h.record.entries[id].job)
	}
	return h, nil
}

func (h *history) leasePath() string {
	return filepath.Join(filepath.Dir(run.Abs(h.manifest.ProjectRoot, h.manifest.JournalPath)), "dispatch")
}

// Status tells of every job and attempt of a run, one result line each; an
// open one has no outcome. Attempts whose dispatcher is gone, and all of whose
// processes are gone too, are settled as lost on the way; one that outlived its
// dispatcher is shown as orphaned. The ledger is completed from the sidecars.
func Status(ctx context.Context, host Host, manifestPath string, emit func(run.Result) error) error {
	h, err := readHistory(manifestPath)
	if err != nil {
		return err
	}
	for _, torn := range h.record.torn {
		host.Warn(torn)
	}
	lease, err := atomicfile.Lock(ctx, h.leasePath(), 0)
	var unsettled error // told after the lines: what is known is known without it
	switch {
	case err == nil:
		defer lease.Unlock()
		unsettled = h.settleAll(ctx, host)
		host.sweep()
	case !errors.Is(err, atomicfile.ErrBusy):
		return err
	}
	var lines []run.Result
	for _, id := range h.record.order {
		if missing := h.missing(id); missing != "" {
			host.Warn(fmt.Sprintf("job %q: %s", id, missing))
		}
		lines = append(lines, h.lines(id)...)
	}
	for _, s := range h.strays {
		host.Warn(s.Error())
		lines = append(lines, s.lines()...)
	}
	for _, r := range lines {
		if err := emit(r); err != nil {
			return err
		}
	}
	return unsettled
}

// lines are the result lines of a job: one for each attempt, or one for a job
// that has none yet.
func (h *history) lines(id string) []run.Result {
	e, missing := h.record.entries[id], h.missing(id)
	var list []run.Result
	for _, p := range h.attempts[id] {
		r := p.result()
		if final := e.result; final != nil && final.Attempt == p.n && r.Outcome != nil {
			r = believed(r, *final)
		}
		if len(p.strange) > 0 {
			r.Outcome, r.Cause, r.ResultClass, r.Mutation, r.ExitCode, r.Signal = nil, nil, nil, nil, nil, ""
			r.Warnings = append(r.Warnings, "another-attempt: "+p.strange[0])
		} else if r.Outcome == nil && !p.ownerAlive() {
			if alive := p.alive(); len(alive) > 0 {
				r.Message = fmt.Sprintf("orphaned: %d processes outlived their dispatcher, the first is %d", len(alive), alive[0].PID)
			}
		}
		list = append(list, r)
	}
	if len(list) == 0 && e.result != nil {
		list = []run.Result{*e.result}
	}
	if len(list) > 0 {
		if last := &list[len(list)-1]; missing != "" {
			last.Warnings = append(slices.Clone(last.Warnings), "files-missing: "+missing)
		}
		return list
	}
	job := e.job
	return []run.Result{{
		SchemaVersion: "1.0", Kind: "okstra-result", JobID: job.JobID, AssignmentRef: job.AssignmentRef, WorkerID: job.WorkerID, Role: job.Role,
		Provider: job.Provider, Model: job.Model, ResultPath: job.ResultPath, PromptPath: job.PromptPath, Warnings: []string{}, Message: "accepted, not started",
	}}
}

// settleAll settles what is lost and completes the ledger. The caller holds
// the lease, so that no dispatcher is at work on the run.
func (h *history) settleAll(ctx context.Context, host Host) error {
	ledger := openLedger(run.Abs(h.manifest.ProjectRoot, h.manifest.TeamStatePath), func(err error) { host.Warn(err.Error()) })
	known, err := h.recorded(host.Warn)
	if err != nil {
		host.Warn("the ledger cannot be completed: " + err.Error())
	}
	for _, id := range h.record.order {
		for _, p := range h.attempts[id] {
			if len(p.strange) > 0 {
				host.Warn(fmt.Sprintf("job %q: %s", id, strings.Join(p.strange, "; ")))
			} else if p.open() && !p.ownerAlive() && len(p.alive()) == 0 {
				if err := p.settle(host, &h.manifest, h.lostRound(ctx, host, p)); err != nil {
					return err
				}
			}
		}
		if err == nil {
			h.completeLedger(ledger, known, id)
		}
	}
	return ledger.flush()
}

// recorded is what a team state says of the dispatches.
type recorded struct {
	rows     map[ledgerKey]run.LedgerRow
	statuses map[string]*string // by worker
}

func (h *history) recorded(warn func(string)) (recorded, error) {
	state, _, err := run.LoadTeamState(run.Abs(h.manifest.ProjectRoot, h.manifest.TeamStatePath))
	if err != nil {
		return recorded{}, err
	}
	rows, _ := state.Ledger()
	known := recorded{rows: make(map[ledgerKey]run.LedgerRow, len(rows)), statuses: map[string]*string{}}
	for _, row := range rows {
		key := ledgerKey{row.AssignmentRef, row.Attempt}
		if known.rows[key].AssignmentRef != "" && row.AttemptPath != "" {
			warn(fmt.Sprintf("%s: two rows of attempt %d of %q (expected one)", h.manifest.TeamStatePath, row.Attempt, row.AssignmentRef))
		}
		known.rows[key] = row
	}
	for _, worker := range state.Workers {
		known.statuses[worker.WorkerID] = worker.Status
	}
	return known, nil
}

// completeLedger puts the rows that the sidecars prove into the ledger where it
// lacks them, and the end of a worker's job into the roster.
func (h *history) completeLedger(ledger *ledger, known recorded, id string) {
	entry, attempts := h.record.entries[id], h.attempts[id]
	if slices.ContainsFunc(attempts, func(p *past) bool { return len(p.strange) > 0 }) {
		return // what they are the proof of is not known
	}
	for _, p := range attempts {
		row, old := p.ledgerRow(), known.rows[ledgerKey{p.job.AssignmentRef, p.n}]
		if proved := provedBy(row); old.AssignmentRef == "" || proved != provedBy(old) {
			row.DispatchedAt, row.EndedAt = orText(row.DispatchedAt, old.DispatchedAt), orText(row.EndedAt, old.EndedAt)
			ledger.put(row, rosterChange{WorkerID: p.job.WorkerID, PromptPath: p.job.PromptPath})
		}
	}
	if !isPrimary(purposeOf(entry.job)) {
		return
	}
	var end []rosterChange
	switch n := len(attempts); {
	case n > 0 && !attempts[n-1].open():
		end = []rosterChange{attempts[n-1].rosterAtEnd()}
	case n == 0 && entry.result != nil && entry.result.Attempt == 0 && entry.result.Cause != nil:
		end = rosterNotRun(entry.job, *entry.result.Cause)
	}
	for _, change := range end {
		if !sameText(known.statuses[change.WorkerID], change.Status) {
			ledger.note(change)
		}
	}
}

// provedBy is what of a ledger row the files of its attempt prove.
func provedBy(row run.LedgerRow) [9]string {
	text := func(p *string) string {
		if p == nil {
			return "?"
		}
		return *p
	}
	code := "?"
	if row.ExitCode != nil {
		code = strconv.Itoa(*row.ExitCode)
	}
	return [9]string{
		text(row.Outcome), text(row.Cause), text(row.ResultClass), text(row.Mutation), code,
		row.SessionID, row.PromptPath, row.AttemptPath, row.WritePolicyDigest,
	}
}

func (p *past) rosterAtEnd() rosterChange {
	v := Verdict{Outcome: *p.sidecar.Outcome}
	status, reason, result := v.WorkerStatus(), "", ""
	if status == "completed" {
		result = p.job.ResultPath
	} else {
		reason = orText(p.sidecar.Message, v.Outcome)
	}
	return rosterChange{WorkerID: p.job.WorkerID, Status: &status, Reason: &reason, ResultPath: &result}
}

// believed is what is told of an attempt, whose sidecar gives r and whose line
// in the journal is final. The line knows more, but any job without a boundary
// can write to the journal: of another verdict than the sidecar's it is not
// believed.
func believed(r, final run.Result) run.Result {
	if sameText(final.Outcome, r.Outcome) && sameText(final.Cause, r.Cause) && sameText(final.ResultClass, r.ResultClass) && sameText(final.Mutation, r.Mutation) {
		return final
	}
	r.Warnings = append(orEmpty(r.Warnings), "journal-differs: its line of this attempt is not what the sidecar says")
	return r
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// settle closes an attempt that nobody works on any more. Where its status file
// tells how the process ended, the verdict is decided from what it left, as its
// own dispatcher would have done; otherwise it is lost. What it did to the tree
// is judged from what its boundary kept, or against the baseline of its round;
// where there is neither, it stays unknown.
func (p *past) settle(host Host, manifest *run.Manifest, found judgement) error {
	v := &ended{job: p.job, manifest: manifest, files: p.files, lost: true, report: proc.Report{KillVerified: true}}
	sidecar := p.sidecarOrNew()
	message := "its dispatcher ended before it did"
	if p.status != nil && p.status.State == "started" {
		p.status.State, p.status.Reason, p.status.EndedAt, p.status.KillVerified = "failed", CauseLost, run.Stamp(host.Now()), true
		if err := writeDocument(p.files.abs(p.files.Status), p.status); err != nil {
			return err
		}
	}
	facts := Facts{Lost: true}
	if p.endKnown() {
		if err := p.readEvidence(host, v, sidecar); err != nil {
			return err
		}
		facts = v.facts()
	}
	verdict := Decide(facts)
	if facts.StartError != "" {
		verdict = verdict.classed(MutationNone)
	} else {
		verdict = verdict.WithAudit(found.mutation, found.failed)
	}
	if verdict.Outcome != OutcomeLost {
		message = v.message(verdict, found.audit, time.Duration(p.job.Limits.IdleSeconds)*time.Second)
		sidecar.Artifact, sidecar.Warnings = v.artifact, append(orEmpty(sidecar.Warnings), v.warnings...)
		sidecar.Evidence = &run.Evidence{
			TerminalEvent: v.summary.Terminal, PermissionDenials: v.summary.Denials, BadLines: v.summary.BadLines, APIErrorStatus: v.summary.APIStatus,
		}
	}
	sidecar.Audit, sidecar.Message = &found.audit, message
	sidecar.Outcome, sidecar.Cause, sidecar.ResultClass, sidecar.Mutation = &verdict.Outcome, &verdict.Cause, &verdict.ResultClass, &verdict.Mutation
	if err := writeDocument(p.files.abs(p.files.Attempt), sidecar); err != nil {
		return err
	}
	p.sidecar = &sidecar
	return nil
}

// endKnown tells whether the status file tells how the process ended.
func (p *past) endKnown() bool {
	return p.status != nil && p.status.EndedAt != "" && p.status.Reason != CauseLost && p.sidecar != nil
}

// readEvidence reads what an ended process left: its status, its stream, and
// where its CLI keeps sessions.
func (p *past) readEvidence(host Host, v *ended, sidecar run.Attempt) error {
	var err error
	if v.row, err = p.row(host); err != nil {
		return err
	}
	s := p.status
	v.lost, v.session, v.cwd = false, s.SessionID, s.Cwd
	if v.start, err = p.startedAt(); err != nil {
		return err
	}
	v.report = proc.Report{ExitCode: s.ExitCode, Signal: s.Signal, Limit: s.Limit, Stopped: s.Reason == CauseInterrupted, Leftover: s.LeftoverProcesses, KillVerified: s.KillVerified}
	if s.State == "failed" && s.Reason != CauseInterrupted {
		v.report.StartError = &proc.StartError{Reason: s.Reason, Text: s.Reason}
	}
	if launch, err := p.launch(host, v.row); err == nil {
		v.progress, v.homes = launch.Progress, launch.Writable
	}
	v.summary, err = stream.ReadFile(rulesOf(v.row), p.files.abs(p.files.Stdout))
	return err
}

// row is the row of the CLI that ran; of a recording, of the imitated one.
func (p *past) row(host Host) (*provider.Provider, error) {
	row, err := host.Catalogue.Provider(p.job.Provider)
	if err != nil {
		return nil, err
	}
	t, job := &task{row: row}, p.job
	err = t.useRecording(host.Catalogue, &job)
	return t.row, err
}

// launch is how the CLI was started.
func (p *past) launch(host Host, row *provider.Provider) (provider.Launch, error) {
	v := provider.Values{Workdir: workdir(p.job), ProjectRoot: p.job.ProjectRoot, Boundary: provider.BoundaryNone}
	if p.status != nil && p.status.Cwd != "" {
		v.Workdir = p.status.Cwd
	}
	if p.sidecar != nil && p.sidecar.Boundary != nil {
		v.Boundary = p.sidecar.Boundary.Kind
	}
	return row.Launch(v, host.Environ)
}

// homes are the folders in which the CLI of an attempt kept what is its own.
func (p *past) homes(host Host) []string {
	row, err := p.row(host)
	if err != nil {
		return nil
	}
	homes := []string{row.TempDirFor(host.TempDir, host.Home)}
	if launch, err := p.launch(host, row); err == nil {
		homes = append(homes, launch.Writable...)
	}
	return homes
}

// startedAt is when the process was started. The status file tells the second;
// the sidecar, which was written just before and not since, tells the rest.
func (p *past) startedAt() (time.Time, error) {
	start, err := time.Parse(time.RFC3339, p.status.StartedAt)
	if err != nil {
		return start, err
	}
	info, err := os.Lstat(p.files.abs(p.files.Attempt))
	if err != nil {
		return start, nil
	}
	if written := changeTime(info); written.After(start) && written.Before(start.Add(time.Second)) {
		start = written
	}
	return start, nil
}

// spanMs is the time between two stamps in milliseconds, 0 when one is unknown.
func spanMs(from, to string) int64 {
	a, err1 := time.Parse(time.RFC3339, from)
	b, err2 := time.Parse(time.RFC3339, to)
	if err1 != nil || err2 != nil {
		return 0
	}
	return max(0, b.Sub(a).Milliseconds())
}
