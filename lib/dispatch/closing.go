package dispatch

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/jsondoc"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// judgement is what an audit says about one attempt.
type judgement struct {
	audit    run.Audit
	mutation string
	failed   bool
}

// ended is the evidence about an attempt whose process is over: what the
// dispatcher saw, or what a later one reads in its files.
type ended struct {
	job      run.Job
	manifest *run.Manifest
	row      *provider.Provider
	files    paths
	report   proc.Report
	lost     bool
	keptBack *boundary.FullDiskError // an artifact that the disk had no room for
	summary  stream.Summary
	session  string
	cwd      string
	start    time.Time
	lay      map[string]fs.FileInfo // in the place of artifacts then, nil where nobody knows
	progress []string               // where the CLI keeps its sessions
	homes    []string               // where it writes
	box      boundary.Box           // nil when nobody knows any more what it saw

	withheld withheld // by the boundary

	artifact *run.Artifact
	decides  string // the promised artifact that decides, as documents name it
	warnings []string
}

// facts gathers what the outcome depends on, and warnings on the way.
func (v *ended) facts() Facts {
	report, summary := v.report, v.summary
	f := Facts{
		Unkillable: !report.KillVerified, Lost: v.lost, Limit: report.Limit, Stopped: report.Stopped, Signal: report.Signal,
		Provider: true, Stream: v.row.HasStream(), Terminal: summary.Terminal != "", Good: summary.Good, HTTPErr: summary.APIStatus != nil,
		Denied: summary.Denials > 0 || summary.Cancelled,
	}
	if report.StartError != nil {
		f.StartError = report.StartError.Reason
		return f
	}
	if report.ExitCode != nil {
		f.ExitCode = *report.ExitCode
	}
	var fault string
	f.Artifact, v.decides, fault, v.artifact = inspectAll(v.job.ProjectRoot, promises(v.job, v.manifest), begun{v.start, v.lay, v.withheld}, v.foreign)
	if v.keptBack != nil {
		f.Artifact, v.decides = ArtifactMissing, v.keptBack.Path
		v.warn("not-copied-out: %s", v.keptBack.Path)
	}
	f.Elsewhere = summary.Cwd != "" && !sameDir(summary.Cwd, v.cwd)
	if f.noGoodEnd() {
		v.explain(&f)
	} else if path := sessionFile(v.progress, v.session); path != "" && isEmpty(path) {
		v.warn("transcript-empty")
	}
	if fault != "" {
		v.warn("artifact-form: %s", fault)
	}
	if f.Denied && f.Artifact != ArtifactMissing {
		v.warn("permission-denials: %d", summary.Denials)
	}
	if summary.BadLines > 0 {
		v.warn("bad-lines: %d", summary.BadLines)
	}
	if report.Leftover > 0 {
		v.warn("leftover-processes: %d", report.Leftover)
	}
	return f
}

// foreign tells of a file, by its name in documents, that the job did not write,
// as far as its boundary knows, and warns of it.
func (v *ended) foreign(path string) bool {
	if v.box == nil {
		return false
	}
	wrote, known := v.box.Wrote(run.Abs(v.job.ProjectRoot, path))
	if known && !wrote {
		v.warn("artifact-foreign: %s lies there, and this job did not write it", path)
	}
	return known && !wrote
}

func (v *ended) warn(format string, args ...any) {
	v.warnings = append(v.warnings, fmt.Sprintf(format, args...))
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// tailBytes is how much of an output is searched for the reason of a failure.
const tailBytes = 64 << 10

// lostItsOutput says whether a CLI ended for want of room for its own output, which
// may be back by now: it names standard output in the same line, or it is a Node
// program that died of the error. Words about a full disk alone may be a test's.
func lostItsOutput(stderr string) bool {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if strings.HasPrefix(lines[len(lines)-1], "Node.js v") && strings.Contains(stderr, "ENOSPC") {
		return true
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, "stdout") && strings.Contains(line, "No space left on device")
	})
}

// explain looks for the reason of an attempt without a good end.
func (v *ended) explain(f *Facts) {
	stdoutPath := v.files.abs(v.files.Stdout)
	stderr := tailOf(v.files.abs(v.files.Stderr), tailBytes)
	f.DiskFull = v.keptBack != nil || lostItsOutput(stderr) || diskFull(append([]string{filepath.Dir(stdoutPath)}, v.homes...)...)
	message := v.summary.Message + "\n" + stderr
	if !v.row.HasStream() {
		message += "\n" + tailOf(stdoutPath, tailBytes)
	}
	read, session := false, ""
	contains := func(place, text string) bool {
		switch place {
		case "stderr":
			return strings.Contains(stderr, text)
		case "stdout":
			return strings.Contains(tailOf(stdoutPath, tailBytes), text)
		}
		if !read {
			read, session = true, tailOf(sessionFile(v.progress, v.session), 4<<20)
		}
		return strings.Contains(session, text)
	}
	f.Named = namedCause(v.summary.APIStatus, message, func() string { return v.row.CauseOf(contains) })
}

// artifactFaults says what is wrong with a promised artifact.
var artifactFaults = map[string]string{
	CausePermission:      "is missing, and tool calls were refused",
	CauseArtifactMissing: "is missing",
	CauseEmptyResult:     "is empty",
	CauseArtifactStale:   "is older than the start",
	CauseArtifactInvalid: "cannot be read as what was promised",
}

// message says in one line what a person would ask first. What only stands on
// stderr may have nothing to do with it, and is called what it is.
func (v *ended) message(verdict Verdict, found run.Audit, idle time.Duration) string {
	said := oneLine(lastLineOf(tailOf(v.files.abs(v.files.Stderr), 4096)))
	if said != "" {
		said = "the last line of stderr: " + said
	}
	fault, atArtifact := artifactFaults[verdict.Cause]
	text, known := endMessage(verdict, found, v.report, idle)
	switch {
	case known:
		if verdict.Outcome == OutcomePolicyViolation && found.Attribution != "call" {
			text += ", by a job of this round"
		}
		return text
	case v.keptBack != nil:
		return oneLine(v.keptBack.Error())
	case verdict.Cause == CauseWrongDirectory:
		return fmt.Sprintf("it ran in %s (expected %s)", oneLine(v.summary.Cwd), v.cwd)
	case atArtifact:
		return join("; ", v.decides+" "+fault, orText(oneLine(v.summary.Message), said))
	case verdict.Outcome == OutcomeLost:
		return "the process that watched it is gone"
	case verdict.Cause == CauseSignal:
		return join("; ", "ended by "+v.report.Signal, orText(oneLine(v.summary.Message), said))
	case v.summary.Message != "":
		return oneLine(v.summary.Message)
	case verdict.Cause == CauseDiskFull && said == "":
		return "no room on the disk of its output, or of what its CLI keeps"
	}
	return said
}

// endMessage is the message of an end that says enough by itself, whatever the
// command printed: a good one, a violation, an audit that failed, a command
// that did not start, a limit. known tells whether it was one of these.
func endMessage(verdict Verdict, found run.Audit, report proc.Report, idle time.Duration) (text string, known bool) {
	switch {
	case verdict.Outcome == OutcomeCompleted:
		return "", true
	case verdict.Outcome == OutcomePolicyViolation && len(found.Violations) > 0:
		return violationMessage(found), true
	case verdict.Cause == CauseAuditError:
		return oneLine(found.Error), true
	case report.StartError != nil:
		return oneLine(report.StartError.Text), true
	case report.Limit == proc.LimitIdle:
		return fmt.Sprintf("no output for %d s", int(idle/time.Second)), true
	case report.Limit != "":
		return report.Limit + " limit reached", true
	}
	return "", false
}

// violationMessage names the first path that was changed and how many more.
func violationMessage(found run.Audit) string {
	first, more := found.Violations[0], len(found.Violations)-1
	text := fmt.Sprintf("%s %s (%s)", oneLine(first.Path), first.Change, first.Class)
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// join joins the texts that are not empty.
func join(with string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), with)
}

// evidence is what this dispatcher saw of the attempt.
func (a *attempt) evidence() *ended {
	v := &ended{
		job: a.t.job, manifest: a.t.manifest, row: a.t.row, files: a.files, report: a.end.Report, lost: a.lost, keptBack: a.keptBack(), summary: a.end.Summary,
		session: a.sidecar.SessionID, cwd: a.sidecar.Placement.Cwd, start: a.start, lay: a.lay, progress: a.launch.Progress, homes: a.launch.Writable, box: a.box,
		withheld: withheldOf(a.t.job.ProjectRoot, a.box.Record().Mutations),
	}
	// What the job left while the clock was set back is not older for that.
	v.start = v.start.Add(-proc.WentBack(v.start, a.e.host.Now()))
	if a.end.LogErr != "" {
		v.warn("log-unwritten")
	}
	return v
}

// look decides what the end of an attempt means, as far as its audit cannot
// change it. The next starts depend on it, so it does not wait for the audit of
// the round: a failed login stops its provider now.
func (e *engine) look(a *attempt) {
	a.seen = a.evidence()
	a.verdict = Decide(a.seen.facts())
	a.sidecar.Artifact, a.warnings = a.seen.artifact, append(a.warnings, a.seen.warnings...)
	e.stops.learn(a.t.job.Provider, a.verdict.Cause, a.start, e.host.Now())
	e.budget.ended(a, a.t.cost(a.end.Summary.Usage))
}

// settle closes an attempt after its audit: verdict, sidecar, journal, result
// line, in this order, then ledger, roster and errors log. again tells that
// the task may be tried once more at once.
func (e *engine) settle(ctx context.Context, a *attempt, found judgement) (again bool) {
	if a.lost || a.end.Report.StartError == nil {
		a.verdict = a.verdict.WithAudit(found.mutation, found.failed)
	} else {
		a.verdict = a.verdict.classed(MutationNone) // nothing ran
	}
	if a.verdict.Outcome == OutcomeLost {
		a.t.lost++
	} else {
		a.t.counted++
	}
	cost := a.t.cost(a.end.Summary.Usage)
	if a.end.Report.StartError == nil {
		a.t.spent.add(cost)
	}
	a.closeSidecar(found, a.seen.message(a.verdict, found.audit, e.limits(a.t.job.Limits).Idle))
	result := a.result(cost)
	ctx = context.WithoutCancel(ctx) // what ended is recorded, whatever comes
	if err := e.record(ctx, a, result); err != nil {
		e.fail(err)
		return false
	}
	last := told{result: result, roster: a.rosterAtEnd(), status: a.verdict.WorkerStatus()}
	if again = e.mayRepeat(a); again {
		a.t.last = &last
	} else {
		e.fail(e.finish(ctx, a.t, last))
	}
	return again
}

// mostLost bounds how often one dispatcher tries a job again whose attempts are
// lost: they do not count, so nothing else would end them.
const mostLost = 3

// mayRepeat tells whether another attempt follows. It inherits the placement.
func (e *engine) mayRepeat(a *attempt) bool {
	if !RetryAllowed(a.verdict.ResultClass, a.verdict.Cause, a.t.counted, e.most(a.t.job)) || a.t.lost > mostLost || e.failed() {
		return false
	}
	placement := a.sidecar.Placement
	a.t.placement = &placement
	return true
}

func (a *attempt) closeSidecar(found judgement, message string) {
	s := &a.sidecar
	if record := a.box.Record(); a.end.Report.StartError == nil {
		s.Boundary = &record
	}
	s.Audit = &found.audit
	s.Evidence = &run.Evidence{
		TerminalEvent: a.end.Summary.Terminal, PermissionDenials: a.end.Summary.Denials,
		BadLines: a.end.Summary.BadLines, APIErrorStatus: a.end.Summary.APIStatus,
	}
	s.Outcome, s.Cause = &a.verdict.Outcome, &a.verdict.Cause
	s.ResultClass, s.Mutation = &a.verdict.ResultClass, &a.verdict.Mutation
	s.Warnings, s.Message = orEmpty(a.warnings), message
}

func lastLineOf(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// result is the line that tells how the attempt ended.
func (a *attempt) result(cost *float64) run.Result {
	job, report := a.t.job, a.end.Report
	return run.Result{
		SchemaVersion: "1.0", Kind: "okstra-result", JobID: job.JobID, AssignmentRef: job.AssignmentRef, WorkerID: job.WorkerID, Role: job.Role,
		Provider: job.Provider, Model: job.Model, Attempt: a.n,
		Outcome: &a.verdict.Outcome, Cause: &a.verdict.Cause, ResultClass: &a.verdict.ResultClass, Mutation: &a.verdict.Mutation,
		ExitCode: report.ExitCode, Signal: report.Signal, WallMs: report.Elapsed.Milliseconds(),
		SessionID: a.sidecar.SessionID, Boundary: a.t.boundary, Usage: a.end.Summary.Usage, CostUSD: cost,
		ResultPath: job.ResultPath, PromptPath: a.files.Prompt, StatusPath: a.files.Status, AttemptPath: a.files.Attempt, LogPath: a.files.Log,
		Warnings: orEmpty(a.warnings), Message: a.sidecar.Message,
	}
}

// record writes what outlives the process: the sidecar first, then the ledger
// row and, for a failure, a row of the errors log.
func (e *engine) record(ctx context.Context, a *attempt, result run.Result) error {
	if err := a.book.document(a.files.abs(a.files.Attempt), a.sidecar); err != nil {
		return err
	}
	a.box.Close()
	proc.RemoveAll(a.tempDir) // what a job leaves there is nobody's
	a.book.ledger.put(a.ledgerRow())
	if a.verdict.Outcome != OutcomeCompleted {
		if err := a.book.writeError(ctx, a.errorRow(result)); err != nil {
			return err
		}
	}
	return a.book.foldErrors(ctx, a)
}

// told is how a job ended, as every reader of it is told.
type told struct {
	result run.Result
	roster []rosterChange
	status string // of the worker, for the progress line; "" without one
}

// finish ends the job: journal, result line, roster, progress line. The roster
// follows the sidecar, whoever cannot be told.
func (e *engine) finish(ctx context.Context, t *task, end told) error {
	b := e.bookOf(t)
	err := e.enterResult(b, t, end.result)
	b.ledger.note(end.roster...)
	if e.opts.Show != nil {
		e.opts.Show.Ended(purposeName(t.job), end.result, t.spent)
	}
	if err == nil && end.status != "" && e.opts.ProgressEvents && isAnnounced(purposeOf(t.job)) {
		err = b.announce(ctx, "phase-5-collect", t.job.Role, t.job.WorkerID, end.status)
	}
	return err
}

// enterResult writes a result line into the journal, then prints it.
func (e *engine) enterResult(b *book, t *task, result run.Result) error {
	line, err := jsondoc.MarshalLine(result)
	if err != nil {
		return err
	}
	if err := b.journal.add(line); err != nil {
		return err
	}
	return e.emit(t, result)
}

// ledgerRow is the row of the attempt as it stands now.
func (a *attempt) ledgerRow() run.LedgerRow {
	job, s := a.t.job, a.sidecar
	row := run.LedgerRow{
		SchemaVersion: "2.0", AssignmentRef: job.AssignmentRef, RoleExecutionRef: job.RoleExecutionRef, Role: job.Role,
		Provider: job.Provider, Model: job.Model, ModelExecutionValue: job.ModelExecutionValue, Attempt: a.n,
		PromptPath: a.files.Prompt, ResultPath: job.ResultPath, AttemptPath: a.files.Attempt, WorktreePath: job.WorktreePath,
		SessionID: s.SessionID, DispatchedAt: stampOrEmpty(a.start), Outcome: s.Outcome, Cause: s.Cause, ResultClass: s.ResultClass, Mutation: s.Mutation,
		ExitCode: a.end.Report.ExitCode, WritePolicyDigest: s.WritePolicyDigest, BoundaryKind: a.t.boundary, WriteEnforcement: s.WriteEnforcement,
	}
	if row.DispatchedAt == "" {
		row.DispatchedAt = run.Stamp(a.e.host.Now())
	}
	if s.Outcome != nil {
		row.EndedAt = stampOrEmpty(a.end.Report.EndedAt)
	}
	return row
}

// rosterAtStart opens the worker's row again when this is what it is in the
// run for.
func (a *attempt) rosterAtStart() []rosterChange {
	return []rosterChange{{WorkerID: a.t.job.WorkerID, PromptPath: a.t.job.PromptPath}}
}

// rosterAtEnd is the worker's status after its last attempt.
func (a *attempt) rosterAtEnd() []rosterChange {
	if !isPrimary(purposeOf(a.t.job)) {
		return nil
	}
	status, reason, result := a.verdict.WorkerStatus(), "", ""
	if status == "completed" {
		result = a.t.job.ResultPath
	} else {
		reason = orText(a.sidecar.Message, a.verdict.Cause)
	}
	return []rosterChange{{WorkerID: a.t.job.WorkerID, Status: &status, Reason: &reason, ResultPath: &result}}
}

// errorRow tells of a failed attempt in the errors log.
func (a *attempt) errorRow(result run.Result) run.ErrorRow {
	return run.ErrorRow{
		At: run.Stamp(a.e.host.Now()), ErrorType: errorType(a.verdict), Phase: phaseOf(purposeOf(a.t.job)), Source: "observed",
		AssignmentRef: a.t.job.AssignmentRef, Role: a.t.job.Role, Attempt: a.n, Outcome: a.verdict.Outcome, Cause: a.verdict.Cause,
		Command: commandName(a.launch.Command, a.launch.Args), ExitCode: result.ExitCode, Message: orText(a.sidecar.Message, a.verdict.Cause), LogPath: a.files.Log,
	}
}

// errorType sorts a failure by what was broken.
func errorType(v Verdict) string {
	switch {
	case v.Outcome == OutcomePolicyViolation:
		return "policy-violation"
	case v.Outcome == OutcomeTimeout:
		return "timeout"
	case v.Cause == CauseAuditError:
		return "mutation-audit"
	case v.Cause == CauseArtifactMissing, v.Cause == CauseEmptyResult, v.Cause == CauseArtifactStale, v.Cause == CauseArtifactInvalid, v.Cause == CauseWrongDirectory:
		return "contract-violation"
	}
	return "cli-failure"
}

// commandName is the program and its subcommand, without arguments.
func commandName(command string, args []string) string {
	name := filepath.Base(command)
	if len(args) > 0 && args[0] != "" && !strings.HasPrefix(args[0], "-") {
		name += " " + args[0]
	}
	return name
}

// notRun records that a job was not started, by decision. One that was tried
// before ended as its last attempt did.
func (e *engine) notRun(ctx context.Context, t *task, cause string) error {
	ctx = context.WithoutCancel(ctx)
	if t.last != nil {
		end := *t.last
		end.result.Warnings = append(slices.Clone(end.result.Warnings), "not-tried-again: "+cause)
		return e.finish(ctx, t, end)
	}
	verdict := Decide(Facts{NotRun: cause}).classed(MutationNone)
	end := told{result: run.Result{
		SchemaVersion: "1.0", Kind: "okstra-result", JobID: t.job.JobID, AssignmentRef: t.job.AssignmentRef, WorkerID: t.job.WorkerID, Role: t.job.Role,
		Provider: t.job.Provider, Model: t.job.Model,
		Outcome: &verdict.Outcome, Cause: &verdict.Cause, ResultClass: &verdict.ResultClass, Mutation: &verdict.Mutation,
		ResultPath: t.job.ResultPath, PromptPath: t.job.PromptPath, Warnings: []string{},
	}}
	if isPrimary(purposeOf(t.job)) {
		end.roster = rosterNotRun(t.job, cause)
	}
	return e.finish(ctx, t, end)
}

// rosterNotRun is the status of a worker whose job was never started.
func rosterNotRun(job run.Job, cause string) []rosterChange {
	status := "not-run"
	return []rosterChange{{WorkerID: job.WorkerID, Status: &status, Reason: &cause}}
}
