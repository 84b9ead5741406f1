package dispatch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// WrapOrder is one command to be run without a plan.
type WrapOrder struct {
	Prompt     string // absolute path
	Argv       []string
	Dir        string
	StdinNull  bool
	Wall, Idle time.Duration
	Boundaries []string
	Policy     *jsondoc.Doc // nil without one
}

// Wrap runs one command under status file, log, limits and boundary. It reads
// nothing from the command's output, whose raw bytes are the log. An attempt
// sidecar is written only where there is a policy. One command at a time is
// wrapped with a prompt, because its files lie beside it: another one waits.
func Wrap(ctx context.Context, host Host, o WrapOrder) (run.Result, error) {
	if err := checkFile(o.Prompt); err != nil {
		return run.Result{}, &PlanError{Status: 2, Problems: []error{fmt.Errorf("--prompt %w", err)}}
	}
	w := &wrapping{host: host, order: o, files: attemptPaths("/", o.Prompt, 1), own: newOwnPaths()}
	if err := w.readPolicy(); err != nil {
		return run.Result{}, err
	}
	if err := w.notOfARun(); err != nil {
		return run.Result{}, err
	}
	turn, err := atomicfile.Lock(ctx, w.files.Status, leaseWait)
	if err != nil {
		return run.Result{}, whyBusy("another command is wrapped with this prompt", err)
	}
	defer turn.Unlock()
	w.room = &room{dir: filepath.Dir(w.files.Status), size: roomPerJob}
	defer w.room.release()
	if err := w.room.hold(); err != nil {
		return run.Result{}, err
	}
	host.sweep()
	set := &boundary.Set{Self: host.Self, Environ: host.Environ, Scratch: scratchDir(host)}
	defer set.Close()
	kind, err := set.Choose(ctx, o.Boundaries, boundary.Kinds)
	if err != nil {
		return run.Result{}, &PlanError{Problems: []error{err}}
	}
	w.box, err = set.Box(kind, boundary.Order{Name: "wrap-" + newUUID(host.Random), Tree: o.Dir, Root: w.root(), Policy: w.policy, Requests: o.Boundaries, Keep: w.room.record})
	if err != nil {
		return run.Result{}, err
	}
	defer w.box.Close()
	if err := w.run(ctx); err != nil {
		return run.Result{}, err
	}
	return w.close()
}

// wrapping is one wrapped command.
type wrapping struct {
	host   Host
	order  WrapOrder
	files  paths
	own    *ownPaths
	policy *run.WritePolicy
	digest string
	box    boundary.Box
	room   *room
	status run.Status
	report proc.Report
	found  judgement

	keptBack *boundary.FullDiskError // an artifact that the disk had no room for
}

// notOfARun refuses a prompt of a job that was tried: the files beside it are
// the account of that job, and would be written over.
func (w *wrapping) notOfARun() error {
	p := &past{files: w.files}
	var sidecar run.Attempt
	if p.read(w.files.Attempt, "okstra-dispatch-attempt", &sidecar, func() {}); sidecar.JobID != "" {
		return &PlanError{Problems: []error{fmt.Errorf("--prompt %s: the files beside it are of job %q (expected a prompt of nobody else, such as a copy)", w.order.Prompt, sidecar.JobID)}}
	}
	return nil
}

func (w *wrapping) readPolicy() error {
	if w.order.Policy == nil {
		return nil
	}
	policy, err := writepolicy.Load(*w.order.Policy)
	w.policy, w.digest = &policy.WritePolicy, policy.Digest
	return err
}

func (w *wrapping) root() string {
	if w.policy != nil {
		return w.policy.ArtifactPolicy.AllowedRoot
	}
	return w.order.Dir
}

func (w *wrapping) run(ctx context.Context) error {
	o := w.order
	limits := (&engine{opts: Options{Parallel: 1, Wall: &o.Wall, Idle: &o.Idle}, total: 1}).limits(DefaultLimits)
	spec := proc.Spec{Argv: o.Argv, Env: w.host.Environ, Dir: o.Dir, Stdin: o.Prompt, Stdout: w.files.Log, Stderr: w.files.Log, Limits: limits}
	if o.StdinNull {
		spec.Stdin = ""
	}
	spec.Env = append(withoutVariable(spec.Env, AttemptVariable), AttemptVariable+"="+w.files.Status)
	audit, err := w.openAudit(ctx)
	if err != nil {
		return err
	}
	owner, start := proc.Self(), w.host.Now()
	w.status = run.Status{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-status", State: "started", Attempt: 1, Owner: &owner, Argv: o.Argv, Cwd: o.Dir,
		StartedAt: run.Stamp(start), StdoutPath: w.files.Log, StderrPath: w.files.Log, LogPath: w.files.Log, Usage: jsonRaw("null"),
	}
	if err := w.writeSidecar(nil, ""); err != nil {
		return err
	}
	if err := w.own.writeDocument(w.files.Status, w.status); err != nil {
		return err
	}
	if err := w.box.Wrap(&spec); err != nil {
		w.report = proc.Report{StartedAt: start, KillVerified: true, StartError: &proc.StartError{Reason: proc.ReasonBoundaryFailed, Text: err.Error()}}
		w.report.End(w.host.Now())
		return nil
	}
	slot, err := startSlot(w.host.Self, w.host.Environ, w.host.Stderr)
	if err != nil {
		return err
	}
	defer slot.close()
	end, err := slot.run(ctx, slotStart{Spec: spec, Rules: stream.Rules{Format: "text"}}, func(news slotNews) {
		if news.Started != nil {
			w.status.Process = news.Started
			if err := w.own.writeDocument(w.files.Status, w.status); err != nil {
				w.host.Warn(err.Error())
			}
		}
	})
	if errors.Is(err, errSlotGone) {
		end.Report = proc.Report{StartedAt: start}
		end.Report.End(w.host.Now())
	}
	w.report = end.Report
	w.found = audit(context.WithoutCancel(ctx))
	return nil
}

func withoutVariable(environ []string, name string) []string {
	var list []string
	for _, entry := range environ {
		if !strings.HasPrefix(entry, name+"=") {
			list = append(list, entry)
		}
	}
	return list
}

// close writes the ends of the status file and, with a policy, of the sidecar.
func (w *wrapping) close() (run.Result, error) {
	r, s := w.report, &w.status
	s.State, s.Reason = stateOf(r, false)
	if s.Process == nil && r.Process.PID != 0 {
		s.Process = &r.Process
	}
	s.FirstOutputAt, s.LastProgressAt, s.EndedAt = stampOrEmpty(r.FirstOutput), stampOrEmpty(r.LastProgress), run.Stamp(r.EndedAt)
	s.ExitCode, s.Signal, s.Limit, s.LeftoverProcesses, s.KillVerified, s.StdoutBytes = r.ExitCode, r.Signal, r.Limit, r.Leftover, r.KillVerified, r.OutputBytes
	err := w.own.write(w.files.Status, func() error {
		return w.room.record(func() error { return writeDocument(w.files.Status, s) })
	})
	if err != nil {
		return run.Result{}, err
	}
	facts := Facts{Unkillable: !r.KillVerified, Limit: r.Limit, Stopped: r.Stopped, Signal: r.Signal}
	if r.StartError != nil {
		facts.StartError = r.StartError.Reason
	}
	if r.ExitCode != nil {
		facts.ExitCode = *r.ExitCode
	}
	if w.keptBack != nil {
		facts.Artifact = ArtifactMissing
	}
	facts.DiskFull = w.keptBack != nil || facts.noGoodEnd() && diskFull(filepath.Dir(w.files.Log))
	verdict := Decide(facts).WithAudit(w.found.mutation, w.found.failed)
	if r.StartError != nil {
		verdict = Decide(facts).classed(MutationNone)
	}
	message, known := endMessage(verdict, w.found.audit, r, w.order.Idle)
	if !known && w.keptBack != nil {
		message = oneLine(w.keptBack.Error())
	}
	result := run.Result{
		SchemaVersion: "1.0", Kind: "okstra-result", Attempt: 1,
		Outcome: &verdict.Outcome, Cause: &verdict.Cause, ResultClass: &verdict.ResultClass, Mutation: &verdict.Mutation,
		ExitCode: r.ExitCode, Signal: r.Signal, WallMs: r.Elapsed.Milliseconds(), Boundary: w.box.Record().Kind,
		PromptPath: w.files.Prompt, StatusPath: w.files.Status, LogPath: w.files.Log, Warnings: []string{}, Message: message,
	}
	if w.policy != nil {
		result.AttemptPath = w.files.Attempt
	}
	return result, w.room.record(func() error { return w.writeSidecar(&verdict, message) })
}

// writeSidecar writes what is agreed and, at the end, how it went. There is no
// sidecar without a policy.
func (w *wrapping) writeSidecar(v *Verdict, message string) error {
	if w.policy == nil {
		return nil
	}
	record := w.box.Record()
	checked, err := writepolicy.FromRun(w.policy)
	if err != nil {
		return err
	}
	enforcement, err := w.host.acceptance().contracts.machine.Derive(checked, boundary.Precision(record.Kind), run.RoleVerifier)
	if err != nil {
		return err
	}
	sidecar := run.Attempt{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-attempt", Attempt: 1, PromptPath: w.files.Prompt, StatusPath: w.files.Status,
		Placement:   run.Placement{Cwd: w.order.Dir, OnDirtyTree: "keep"},
		WritePolicy: w.policy, WritePolicyDigest: w.digest, WriteEnforcement: &enforcement, Boundary: &record, Warnings: []string{}, Message: message,
	}
	if v != nil {
		sidecar.Audit = &w.found.audit
		sidecar.Outcome, sidecar.Cause, sidecar.ResultClass, sidecar.Mutation = &v.Outcome, &v.Cause, &v.ResultClass, &v.Mutation
	}
	return w.own.writeDocument(w.files.Attempt, sidecar)
}
