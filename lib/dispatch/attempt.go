package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// attempt is one process for one job, from its preparation to its record.
type attempt struct {
	e     *engine
	t     *task
	book  *book
	n     int
	round int
	files paths
	own   *ownPaths

	sidecar run.Attempt
	status  run.Status
	policy  writepolicy.Policy
	box     boundary.Box
	boxErr  error
	tempDir string
	launch  provider.Launch
	rules   stream.Rules
	start   time.Time
	lay     map[string]fs.FileInfo // in the place of its artifacts at the start
	end     slotEnd
	lost    bool // the slot died

	seen     *ended // the evidence, once the process is over
	verdict  Verdict
	warnings []string

	mu     sync.Mutex // guards status against the late note of the process
	closed bool
}

// AttemptVariable marks every process of an attempt in its environment, so
// that one that outlives everything else can still be found.
const AttemptVariable = "OKSTRA_ATTEMPT"

func newAttempt(e *engine, t *task, n, round int) *attempt {
	return &attempt{
		e: e, t: t, book: e.bookOf(t), own: e.own, n: n, round: round, files: attemptPaths(t.job.ProjectRoot, t.job.PromptPath, n),
		warnings: slices.Clone(e.locks[workdir(t.job)]),
	}
}

// prepare makes everything that must be on disk before the process starts: the
// prompt copy, the contract, the boundary, the sidecar and the ledger row.
func (a *attempt) prepare() error {
	if err := a.copyPrompt(); err != nil {
		return err
	}
	job := &a.t.job
	if err := setAside(a.files.abs(errorsSidecarOf(job.ErrorsSidecarPath, a.n)), a.own); err != nil {
		return err
	}
	contract, err := a.e.contracts.forAttempt(*job, a.t.manifest, a.n, a.t.boundary)
	if err != nil {
		return err
	}
	if a.policy, err = writepolicy.FromRun(contract.WritePolicy); err != nil {
		return err
	}
	baseline := ""
	if r := a.e.audits.of(a.t); r != nil {
		a.round, baseline = r.number, r.path
	}
	a.sidecar = run.Attempt{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-attempt", JobID: job.JobID, Attempt: a.n, Round: a.round,
		PromptPath: a.files.Prompt, StatusPath: a.files.Status, SessionID: a.mintSession(), Placement: a.placement(),
		WritePolicy: contract.WritePolicy, WritePolicyDigest: contract.WritePolicyDigest, WriteEnforcement: contract.WriteEnforcement,
		BaselinePath: baseline, Warnings: []string{},
	}
	if err := a.makeLaunch(); err != nil {
		return err
	}
	a.ownPlaces()
	record := a.box.Record()
	a.sidecar.Boundary = &record
	if err := a.own.writeDocument(a.files.abs(a.files.Attempt), a.sidecar); err != nil {
		return err
	}
	a.book.ledger.put(a.ledgerRow(), a.rosterAtStart()...)
	return nil
}

// ownPlaces takes what the attempt's process itself fills, and the folders in
// which its CLI keeps what is its own, which may lie inside the project.
func (a *attempt) ownPlaces() {
	a.own.attempt(a.files)
	for _, path := range append(slices.Clone(a.launch.Writable), filepath.Dir(a.tempDir)) {
		a.own.folder(path)
	}
}

func (a *attempt) copyPrompt() error {
	if a.n <= 1 {
		return nil
	}
	first, err := os.ReadFile(a.files.abs(a.t.job.PromptPath))
	if err != nil {
		return err
	}
	text := promptCopy(string(first), a.files.Prompt, errorsSidecarOf(a.t.job.ErrorsSidecarPath, a.n))
	path := a.files.abs(a.files.Prompt)
	return a.own.write(path, func() error { return atomicfile.Write(path, []byte(text), 0o644) })
}

// placement is where the attempt runs: a retry runs where the first one did.
func (a *attempt) placement() run.Placement {
	if a.t.placement != nil {
		return *a.t.placement
	}
	job := a.t.job
	return run.Placement{Cwd: workdir(job), WorktreePath: job.WorktreePath, OnDirtyTree: job.OnDirtyTree}
}

// workdir is the folder in which a job runs: the worktree of its stage, else
// the project root.
func workdir(job run.Job) string {
	if job.WorktreePath != "" {
		return run.Abs(job.ProjectRoot, job.WorktreePath)
	}
	return job.ProjectRoot
}

// mintSession makes the session id of this attempt, for a CLI that takes one.
// A recording needs one in any case.
func (a *attempt) mintSession() string {
	if a.t.row.MintsSession() || a.t.recording != nil {
		return newUUID(a.e.host.Random)
	}
	return ""
}

func newUUID(random io.Reader) string {
	if random == nil {
		random = rand.Reader
	}
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic("dispatch: no random numbers: " + err.Error())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// makeLaunch fills the provider row in and puts the boundary around it.
func (a *attempt) makeLaunch() error {
	job := a.t.job
	a.rules = rulesOf(a.t.row)
	values := provider.Values{
		Workdir: a.sidecar.Placement.Cwd, ProjectRoot: job.ProjectRoot, ArtifactRoot: job.ProjectRoot,
		PromptPath: a.files.abs(a.files.Prompt), ResultPath: run.Abs(job.ProjectRoot, job.ResultPath),
		SessionID: a.sidecar.SessionID, ModelExecutionValue: a.t.executionValue(), Self: a.e.host.Self,
		Boundary: a.t.boundary, Root: a.t.boundary == boundary.Overlay || os.Getuid() == 0,
		Extra: map[string]string{AttemptVariable: a.files.abs(a.files.Status), "GIT_CEILING_DIRECTORIES": filepath.Dir(a.sidecar.Placement.Cwd)},
	}
	recording, err := a.addRecording(values.Extra)
	if err != nil {
		return err
	}
	if values.TempDir, err = a.makeTempDir(); err != nil {
		return err
	}
	values.Extra["TMPDIR"] = values.TempDir
	if a.launch, err = a.t.row.Launch(values, a.e.host.Environ); err != nil {
		return err
	}
	a.box, err = a.e.boundaries.Box(a.t.boundary, boundary.Order{
		Name: strconv.Itoa(a.t.index) + "-" + strconv.Itoa(a.n), Tree: a.sidecar.Placement.Cwd, Root: job.ProjectRoot, Policy: a.sidecar.WritePolicy,
		Writable: a.launch.Writable, TempDir: values.TempDir, OwnSandbox: a.t.row.OwnSandbox(), SandboxDirs: a.t.row.SandboxDirs, Requests: a.t.requests,
		Keep: a.book.room.record,
	})
	if err != nil {
		return err
	}
	if a.t.recording != nil {
		a.launch.Command, a.launch.Args, a.launch.Stdin = a.e.host.Self, []string{ReplayCommand, recording}, ""
	}
	return nil
}

// makeTempDir makes the temporary directory of the attempt. It is the
// attempt's own, so that the boundary can leave it open without opening the
// system's.
func (a *attempt) makeTempDir() (string, error) {
	base, err := a.e.temps.below(a.t.row.TempDirFor(a.e.host.TempDir, a.e.host.Home))
	if err != nil {
		return "", err
	}
	a.tempDir, err = os.MkdirTemp(base, strconv.Itoa(a.t.index)+"-"+strconv.Itoa(a.n)+"-")
	return a.tempDir, err
}

// executionValue is what the CLI is told: nothing where the model is the CLI's
// own default.
func (t *task) executionValue() string {
	if t.job.ModelExecutionValue == t.model.ID {
		return t.model.ExecutionValue
	}
	return orText(t.job.ModelExecutionValue, t.model.ExecutionValue)
}

// ReplayCommand is the hidden command that plays a recording, and
// ReplayVariable the environment variable that tells it which and how.
const (
	ReplayCommand  = "__replay"
	ReplayVariable = "OKSTRA_REPLAY"
)

// ReplayOrder is the content of ReplayVariable.
type ReplayOrder struct {
	Recording string            `json:"recording"`
	Names     map[string]string `json:"names"`
}

// addRecording tells the process that plays the recording what to put into
// its placeholders.
func (a *attempt) addRecording(extra map[string]string) (path string, _ error) {
	if a.t.recording == nil {
		return "", nil
	}
	job := a.t.job
	recording, err := a.t.recording.Find(job.WorkerID, purposeOf(job), a.n)
	if err != nil {
		return "", err
	}
	if recording.SessionID != "" {
		a.sidecar.SessionID = recording.SessionID
	}
	order := ReplayOrder{Recording: recording.Path, Names: replayNames(a)}
	raw, err := json.Marshal(order)
	extra[ReplayVariable] = string(raw)
	return recording.Path, err
}

func replayNames(a *attempt) map[string]string {
	job := a.t.job
	names := map[string]string{
		"as": a.t.row.ID, "model": job.ModelExecutionValue, "workerId": job.WorkerID, "role": job.Role, "purpose": purposeOf(job),
		"attempt": strconv.Itoa(a.n), "sessionId": a.sidecar.SessionID, "projectRoot": job.ProjectRoot, "workdir": a.sidecar.Placement.Cwd,
		"promptPath": a.files.abs(a.files.Prompt), "resultPath": run.Abs(job.ProjectRoot, job.ResultPath), "auditPath": run.Abs(job.ProjectRoot, job.AuditPath),
		"errorsSidecarPath": run.Abs(job.ProjectRoot, errorsSidecarOf(job.ErrorsSidecarPath, a.n)), "promptFile": a.files.Prompt,
		"startedAt": a.e.host.Now().UTC().Format(time.RFC3339), "home": a.e.host.Home,
	}
	if m := a.t.manifest; m != nil {
		maps.Copy(names, map[string]string{
			"runId": m.RunID, "taskKey": m.Task.TaskKey, "projectId": m.Task.ProjectID, "taskGroup": m.Task.TaskGroup, "taskId": m.Task.TaskID,
			"taskType": m.Task.TaskType, "runSeq": m.Task.RunSeq, "reportDataPath": run.Abs(job.ProjectRoot, m.ReportDataPath),
			"reportPath": run.Abs(job.ProjectRoot, m.ReportPath), "runDir": m.Folder().Dir(),
		})
	}
	return names
}

// rulesOf is how the stream of a provider is read.
func rulesOf(p *provider.Provider) stream.Rules {
	rules := stream.Rules{Format: "text"}
	if s := p.Stream; s != nil {
		rules = stream.Rules{
			Format: s.Format, TypePointer: s.TypePointer, Good: s.Good, Bad: s.Bad, Harmless: s.Harmless, Retry: s.Retry, UsagePointer: s.UsagePointer,
		}
		if s.Denials != nil {
			rules.DenialsPointer = *s.Denials
		}
	}
	if s := p.Session; s != nil {
		rules.SessionEvent, rules.SessionPointer = s.Event, s.Pointer
	}
	return rules
}

// run writes the status file, has a slot do the work, and closes the status
// file. It fails only when our own records cannot be written.
func (a *attempt) run(ctx context.Context, s *slot) error {
	a.start = a.e.host.Now()
	a.lay = layIn(a.t.job.ProjectRoot, promises(a.t.job, a.t.manifest))
	if err := a.openStatus(); err != nil {
		return err
	}
	order := slotStart{Spec: a.spec(), Rules: a.rules, Trees: a.launch.Progress, Log: a.files.abs(a.files.Log), Watch: a.e.watching()}
	if err := a.box.Wrap(&order.Spec); err != nil {
		a.end.Report = proc.Report{
			StartedAt: a.start, KillVerified: true,
			StartError: &proc.StartError{Reason: proc.ReasonBoundaryFailed, Text: err.Error()},
		}
		a.end.Report.End(a.e.host.Now())
		return a.closeStatus()
	}
	end, err := s.run(ctx, order, a.hear)
	if errors.Is(err, errSlotGone) {
		a.lost = true
		end = slotEnd{Report: proc.Report{StartedAt: a.start}}
		end.Report.End(a.e.host.Now())
		end.Report.KillVerified = a.e.endMarked(a)
	}
	a.end = end
	return a.closeStatus()
}

func (a *attempt) spec() proc.Spec {
	limits := a.e.limits(a.t.job.Limits)
	return proc.Spec{
		Argv: append([]string{a.launch.Command}, a.launch.Args...), Env: a.launch.Env, Dir: a.launch.Dir, Stdin: a.launch.Stdin,
		Stdout: a.files.abs(a.files.Stdout), Stderr: a.files.abs(a.files.Stderr), Limits: limits,
	}
}

// processNote is how long a process must run before it is worth a second
// writing of the status file. Shorter ones are found by their mark.
const processNote = 150 * time.Millisecond

func (a *attempt) openStatus() error {
	owner := a.e.owner
	a.status = run.Status{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-status", State: "started",
		Provider: a.t.job.Provider, Model: a.t.job.Model, ModelExecutionValue: a.t.job.ModelExecutionValue, Attempt: a.n,
		Owner: &owner, Argv: append([]string{a.launch.Command}, a.launch.Args...), Cwd: a.launch.Dir, SessionID: a.sidecar.SessionID,
		StartedAt:  run.Stamp(a.start),
		StdoutPath: a.files.Stdout, StderrPath: a.files.Stderr, LogPath: a.files.Log, Usage: jsonRaw("null"),
	}
	return a.own.writeDocument(a.files.abs(a.files.Status), a.status)
}

// hear takes news from the slot while the process runs.
func (a *attempt) hear(news slotNews) {
	switch {
	case news.Started != nil:
		p := *news.Started
		time.AfterFunc(processNote, func() { a.noteProcess(p) })
	case news.Seen != nil:
		a.e.seen(a, *news.Seen)
	}
}

// noteProcess writes down who runs, if it still does.
func (a *attempt) noteProcess(p run.Process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.status.Process = &p
	if err := a.own.writeDocument(a.files.abs(a.files.Status), a.status); err != nil {
		a.e.host.Warn(err.Error())
	}
}

// closeStatus writes the end of the process, with the CLI's own exit status.
func (a *attempt) closeStatus() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	report, summary := a.end.Report, a.end.Summary
	s := &a.status
	s.State, s.Reason = stateOf(report, a.lost)
	if report.Process.PID != 0 {
		p := report.Process
		s.Process = &p
	}
	if summary.SessionID != "" {
		s.SessionID, a.sidecar.SessionID = summary.SessionID, summary.SessionID
	}
	s.FirstOutputAt, s.LastProgressAt, s.EndedAt = stampOrEmpty(report.FirstOutput), stampOrEmpty(report.LastProgress), run.Stamp(report.EndedAt)
	s.ExitCode, s.Signal, s.Limit = report.ExitCode, report.Signal, report.Limit
	s.LeftoverProcesses, s.KillVerified = report.Leftover, report.KillVerified
	if info, err := os.Stat(a.files.abs(a.files.Stdout)); err == nil {
		s.StdoutBytes = info.Size()
	}
	if a.t.row.Session == nil && summary.RawUsage != nil {
		s.Usage = summary.RawUsage // nothing else will tell what was used
	}
	return a.book.document(a.files.abs(a.files.Status), *s)
}

func stampOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return run.Stamp(t)
}

// stateOf is the word of the status file, and its reason.
func stateOf(r proc.Report, lost bool) (state, reason string) {
	switch {
	case lost:
		return "failed", CauseLost
	case r.StartError != nil:
		return "failed", r.StartError.Reason
	case r.Limit != "":
		return "timeout", ""
	case r.Stopped:
		return "failed", CauseInterrupted
	}
	return "exited", ""
}
