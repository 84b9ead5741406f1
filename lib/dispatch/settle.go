package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/digest"
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
}

// readHistory reads manifest, journal and the files of every attempt.
func readHistory(manifestPath string) (*history, error) {
	m, err := run.LoadManifest(manifestPath)
	if err != nil {
		return nil, err
	}
	h := &history{manifest: m, attempts: map[string][]*past{}}
	if h.record, err = readJournal(run.Abs(m.ProjectRoot, m.JournalPath), m.RunID); err != nil {
		return nil, err
	}
	for _, id := range h.record.order {
		h.attempts[id] = readPast(h.record.entries[id].job)
	}
	h.strays = h.findStrays()
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
	switch {
	case err == nil:
		defer lease.Unlock()
		if err := h.settleAll(ctx, host); err != nil {
			return err
		}
		host.sweep()
	case !errors.Is(err, atomicfile.ErrBusy):
		return err
	}
	var lines []run.Result
	for _, id := range h.record.order {
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
	return nil
}

// lines are the result lines of a job: one for each attempt, or one for a job
// that has none yet.
func (h *history) lines(id string) []run.Result {
	e := h.record.entries[id]
	var list []run.Result
	for _, p := range h.attempts[id] {
		r := p.result()
		if final := e.result; final != nil && final.Attempt == p.n && r.Outcome != nil {
			r = believed(r, *final)
		}
		if r.Outcome == nil && !p.ownerAlive() {
			if alive := p.alive(); len(alive) > 0 {
				r.Message = fmt.Sprintf("orphaned: %d processes outlived their dispatcher, the first is %d", len(alive), alive[0].PID)
			}
		}
		list = append(list, r)
	}
	if len(list) > 0 {
		return list
	}
	if e.result != nil {
		return []run.Result{*e.result}
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
	known, err := h.recorded()
	if err != nil {
		host.Warn("the ledger cannot be completed: " + err.Error())
	}
	for _, id := range h.record.order {
		for _, p := range h.attempts[id] {
			if p.open() && !p.ownerAlive() && len(p.alive()) == 0 {
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

func (h *history) recorded() (recorded, error) {
	state, _, err := run.LoadTeamState(run.Abs(h.manifest.ProjectRoot, h.manifest.TeamStatePath))
	if err != nil {
		return recorded{}, err
	}
	rows, _ := state.Ledger()
	known := recorded{rows: make(map[ledgerKey]run.LedgerRow, len(rows)), statuses: map[string]*string{}}
	for _, row := range rows {
		known.rows[ledgerKey{row.AssignmentRef, row.Attempt}] = row
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
	for _, p := range attempts {
		row, old := p.ledgerRow(), known.rows[ledgerKey{p.job.AssignmentRef, p.n}]
		if old.AssignmentRef == "" || !sameText(old.Outcome, row.Outcome) {
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
	case n == 0 && entry.result != nil && entry.result.Cause != nil:
		end = rosterNotRun(entry.job, *entry.result.Cause)
	}
	for _, change := range end {
		if !sameText(known.statuses[change.WorkerID], change.Status) {
			ledger.note(change)
		}
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
	p.sidecar = &sidecar
	return writeDocument(p.files.abs(p.files.Attempt), sidecar)
}

// endKnown tells whether the status file tells how the process ended.
func (p *past) endKnown() bool {
	return p.status != nil && p.status.EndedAt != "" && p.status.Reason != CauseLost && p.sidecar != nil
}

// readEvidence reads what an ended process left: its status, its stream, and
// where its CLI keeps sessions.
func (p *past) readEvidence(host Host, v *ended, sidecar run.Attempt) error {
	t := &task{}
	job := p.job
	var err error
	if t.row, err = host.Catalogue.Provider(job.Provider); err != nil {
		return err
	}
	if err := t.useRecording(host.Catalogue, &job); err != nil {
		return err
	}
	v.row = t.row
	s := p.status
	v.lost, v.session, v.cwd = false, s.SessionID, s.Cwd
	if v.start, err = p.startedAt(); err != nil {
		return err
	}
	v.report = proc.Report{ExitCode: s.ExitCode, Signal: s.Signal, Limit: s.Limit, Stopped: s.Reason == CauseInterrupted, Leftover: s.LeftoverProcesses, KillVerified: s.KillVerified}
	if s.State == "failed" && s.Reason != CauseInterrupted {
		v.report.StartError = &proc.StartError{Reason: s.Reason, Text: s.Reason}
	}
	kind := provider.BoundaryNone
	if sidecar.Boundary != nil {
		kind = sidecar.Boundary.Kind
	}
	launch, err := v.row.Launch(provider.Values{Workdir: s.Cwd, ProjectRoot: p.job.ProjectRoot, Boundary: kind}, host.Environ)
	if err == nil {
		v.progress, v.homes = launch.Progress, launch.Writable
	}
	v.summary, err = stream.ReadFile(rulesOf(v.row), p.files.abs(p.files.Stdout))
	return err
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

// Resume runs what a run has accepted and not completed. It refuses a journal
// that it cannot trust, and a job whose prompt or policy is no longer the one
// that was accepted: nothing is run then.
func Resume(ctx context.Context, host Host, opts Options, manifestPath string) (Summary, error) {
	h, err := readHistory(manifestPath)
	if err != nil {
		return Summary{}, err
	}
	if err := h.check(); err != nil {
		return Summary{}, err
	}
	host.sweep()
	e := newEngine(host, opts, 0)
	defer e.release()
	if len(h.record.order) == 0 {
		return Summary{}, nil
	}
	accepted := host.acceptance()
	var jobs []run.Job
	for _, id := range h.record.order {
		jobs = append(jobs, h.record.entries[id].job)
	}
	tasks, err := accepted.accept(ctx, h.manifest.JournalPath, jobs)
	if err != nil {
		return Summary{}, err
	}
	if err := e.openBooks(ctx, tasks); err != nil {
		return Summary{}, err
	}
	if h, err = readHistory(manifestPath); err != nil { // under the lease
		return Summary{}, err
	}
	if err := h.endOrphans(host); err != nil {
		return Summary{}, err
	}
	if err := h.settleAll(ctx, host); err != nil {
		return Summary{}, err
	}
	due, err := e.due(h, tasks)
	if err != nil || len(due) == 0 {
		return Summary{Jobs: e.results, Completed: e.results - e.bad}, err
	}
	e.total = len(due)
	return e.all(ctx, due)
}

// check compares every job with the prompt and the contract it was accepted
// with.
func (h *history) check() error {
	p := &problems{where: h.manifest.JournalPath}
	for _, s := range h.strays {
		p.list = append(p.list, s)
	}
	for _, id := range h.record.order {
		job := h.record.entries[id].job
		if r, n := h.record.entries[id].result, len(h.attempts[id]); r != nil && r.Attempt > n {
			p.list = append(p.list, fmt.Errorf("job %q: the journal tells of attempt %d, and there are files of %d", id, r.Attempt, n))
		}
		text, err := os.ReadFile(run.Abs(job.ProjectRoot, job.PromptPath))
		switch {
		case err != nil:
			p.list = append(p.list, fmt.Errorf("job %q: prompt: %w", id, err))
		case digest.Bytes(text) != job.PromptDigest:
			p.list = append(p.list, fmt.Errorf("job %q: prompt %q was changed since it was accepted", id, job.PromptPath))
		}
		for _, past := range h.attempts[id] {
			if past.n == 1 && past.sidecar != nil && past.sidecar.WritePolicyDigest != job.WritePolicyDigest {
				p.list = append(p.list, fmt.Errorf("job %q: write policy of %q is not the accepted one: %s (expected %s)",
					id, past.files.Attempt, past.sidecar.WritePolicyDigest, job.WritePolicyDigest))
			}
			if past.sidecar != nil && past.sidecar.JobID != id {
				p.list = append(p.list, fmt.Errorf("job %q: %q belongs to job %q", id, past.files.Attempt, past.sidecar.JobID))
			}
		}
	}
	return p.err(1)
}

// endOrphans ends the processes that outlived their dispatcher.
func (h *history) endOrphans(host Host) error {
	p := &problems{where: "resume"}
	for _, id := range h.record.order {
		for _, past := range h.attempts[id] {
			if !past.open() {
				continue
			}
			grace := time.Duration(past.job.Limits.GraceSeconds) * time.Second
			if n, verified := proc.EndAll(host.Now, past.alive, grace, nil); n > 0 {
				host.Warn(fmt.Sprintf("job %q, attempt %d: %d orphaned processes ended", id, past.n, n))
				if !verified {
					p.list = append(p.list, fmt.Errorf("job %q, attempt %d: its processes cannot be ended", id, past.n))
				}
			}
		}
	}
	return p.err(1)
}

// due picks the tasks that are to be run. A job that is not completed and may
// not be tried again is told of with the result that it has.
func (e *engine) due(h *history, tasks []*task) ([]*task, error) {
	var due []*task
	for i, t := range tasks {
		id := t.job.JobID
		attempts := h.attempts[id]
		t.index = i
		if len(attempts) == 0 {
			due = append(due, t)
			continue
		}
		last := attempts[len(attempts)-1]
		t.first = last.n + 1
		for _, p := range attempts {
			if !p.open() && *p.sidecar.Outcome != OutcomeLost {
				t.counted++
			}
		}
		if p := last.sidecar.Placement; p.Cwd != "" {
			t.placement = &p
		}
		t.last = last.told()
		switch {
		case *last.sidecar.Outcome == OutcomeCompleted:
			if h.record.entries[id].result == nil {
				if err := e.enterResult(e.bookOf(t), t, t.last.result); err != nil {
					return nil, err
				}
			}
		case e.goesOn(t, last):
			due = append(due, t)
		default:
			e.host.Warn(fmt.Sprintf("job %q stays %s (%s) after attempt %d: %s", id, *last.sidecar.Outcome, *last.sidecar.Cause, last.n, e.whyLeft(t, last)))
			if err := e.enterResult(e.bookOf(t), t, t.last.result); err != nil {
				return nil, err
			}
		}
	}
	for i, t := range due {
		t.index = i
	}
	return due, nil
}

// resumable lists the causes that say nothing against the job itself: a person
// who resumes asks for these again, however often it was tried.
var resumable = map[string]bool{CauseInterrupted: true, CauseBudget: true, CauseAuthStopped: true, CauseAuth: true, CauseLost: true}

// most is how many attempts a job may have that were not lost.
func (e *engine) most(job run.Job) int {
	if e.opts.Retries != nil {
		return *e.opts.Retries + 1
	}
	return job.MaxAttempts
}

// whyLeft says why resume does not try a job again, and what would make it.
func (e *engine) whyLeft(t *task, last *past) string {
	s := last.sidecar
	switch {
	case *s.ResultClass == ClassUnaudited && *s.Outcome == OutcomeLost:
		return "nobody knows what it changed (--accept-unaudited runs it again)"
	case *s.ResultClass != ClassFailedNoMutation:
		return "only an attempt that changed nothing is tried again, and this one is " + *s.ResultClass
	case hopeless[*s.Cause]:
		return "another attempt would meet the same"
	}
	return fmt.Sprintf("%d of %d attempts are used up (--retries allows more)", t.counted, e.most(t.job))
}

// goesOn tells whether resume tries a job again after its last attempt.
func (e *engine) goesOn(t *task, last *past) bool {
	s := last.sidecar
	if *s.ResultClass == ClassUnaudited && *s.Outcome == OutcomeLost {
		return e.opts.Unaudited
	}
	if *s.ResultClass == ClassFailedNoMutation && resumable[*s.Cause] {
		return true
	}
	return RetryAllowed(*s.ResultClass, *s.Cause, t.counted, e.most(t.job))
}

// told is how the attempt ended, for a job of which it is the last one.
func (p *past) told() *told {
	end := &told{result: p.result(), status: Verdict{Outcome: *p.sidecar.Outcome}.WorkerStatus()}
	if isPrimary(purposeOf(p.job)) {
		end.roster = []rosterChange{p.rosterAtEnd()}
	}
	return end
}
