package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"okstra/lib/dispatch/proc"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// past is an attempt as its files tell of it.
type past struct {
	job     run.Job
	n       int
	files   paths
	sidecar *run.Attempt // nil: missing or unreadable
	status  *run.Status  // nil: missing, empty or unreadable
	faults  []string
	strange []string // what says that a file is not of this attempt
}

// readPast reads the attempts of a job that left a sidecar or a status file,
// in order. A file that is empty or cut off is "unknown", no fault of ours: a
// crash or a full disk leaves such files.
func readPast(job run.Job) []*past {
	var list []*past
	for n := 1; ; n++ {
		p := &past{job: job, n: n, files: attemptPaths(job.ProjectRoot, job.PromptPath, n)}
		var sidecar run.Attempt
		var status run.Status
		there := p.read(p.files.Attempt, "okstra-dispatch-attempt", &sidecar, func() { p.sidecar = &sidecar })
		there = p.read(p.files.Status, "okstra-dispatch-status", &status, func() { p.status = &status }) || there
		if !there {
			return list
		}
		p.compareNames()
		list = append(list, p)
	}
}

// compareNames notes files that tell of another attempt: somebody put them
// there. What they say is not believed.
func (p *past) compareNames() {
	note := func(file, field string, found, want any) {
		if found != want {
			p.strange = append(p.strange, fmt.Sprintf("%s: %s %q is of another attempt (expected %q)", file, field, fmt.Sprint(found), fmt.Sprint(want)))
		}
	}
	if s := p.sidecar; s != nil {
		note(p.files.Attempt, "jobId", s.JobID, p.job.JobID)
		note(p.files.Attempt, "attempt", s.Attempt, p.n)
	}
	if s := p.status; s != nil {
		note(p.files.Status, "attempt", s.Attempt, p.n)
		note(p.files.Status, "logPath", s.LogPath, p.files.Log)
	}
}

func (p *past) read(name, kind string, v any, take func()) (exists bool) {
	path := p.files.abs(name)
	doc, err := jsondoc.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = schema.Decode(doc, kind, v)
	}
	if err != nil {
		p.faults = append(p.faults, fmt.Sprintf("%s: unreadable", name))
		return true
	}
	take()
	return true
}

// ran tells whether the process was started, or may have been: its status is
// written before, and its output is opened. A worker may remove either.
func (p *past) ran() bool {
	return p.status != nil || slices.ContainsFunc([]string{p.files.Status, p.files.Stdout, p.files.Stderr, p.files.Log}, func(name string) bool { return exists(p.files.abs(name)) })
}

// open tells whether the attempt has no verdict.
func (p *past) open() bool { return p.sidecar == nil || p.sidecar.Outcome == nil }

// alive lists the processes of the attempt that still run.
func (p *past) alive() []run.Process {
	mark := AttemptVariable + "=" + p.files.abs(p.files.Status)
	list := proc.Marked(mark)
	if p.status == nil || p.status.Process == nil {
		return list
	}
	main := *p.status.Process
	if p.status.Owner != nil {
		main.BootID = p.status.Owner.BootID
	}
	if !proc.Alive(main) {
		return list
	}
	for _, other := range list {
		if other.PID == main.PID {
			return list
		}
	}
	return append(list, run.Process{PID: main.PID, StartTicks: main.StartTicks})
}

// ownerAlive tells whether the dispatcher that started the attempt still runs.
func (p *past) ownerAlive() bool {
	return p.status != nil && p.status.Owner != nil && proc.Alive(*p.status.Owner)
}

// result is the line that tells of the attempt as it stands.
func (p *past) result() run.Result {
	r := run.Result{
		SchemaVersion: "1.0", Kind: "okstra-result", JobID: p.job.JobID, AssignmentRef: p.job.AssignmentRef, WorkerID: p.job.WorkerID, Role: p.job.Role,
		Provider: p.job.Provider, Model: p.job.Model, Attempt: p.n,
		ResultPath: p.job.ResultPath, PromptPath: p.files.Prompt, StatusPath: p.files.Status, AttemptPath: p.files.Attempt, LogPath: p.files.Log,
		Warnings: orEmpty(p.faults),
	}
	if s := p.sidecar; s != nil {
		r.Outcome, r.Cause, r.ResultClass, r.Mutation = s.Outcome, s.Cause, s.ResultClass, s.Mutation
		r.SessionID, r.Message, r.Warnings = s.SessionID, s.Message, append(orEmpty(s.Warnings), p.faults...)
		if s.Boundary != nil {
			r.Boundary = s.Boundary.Kind
		}
	}
	if s := p.status; s != nil {
		r.ExitCode, r.Signal, r.SessionID = s.ExitCode, s.Signal, orText(s.SessionID, r.SessionID)
		r.WallMs = spanMs(s.StartedAt, s.EndedAt)
	}
	return r
}

// ledgerRow is the row that the files of the attempt prove.
func (p *past) ledgerRow() run.LedgerRow {
	r := p.result()
	row := run.LedgerRow{
		SchemaVersion: "2.0", AssignmentRef: p.job.AssignmentRef, RoleExecutionRef: p.job.RoleExecutionRef, Role: p.job.Role,
		Provider: p.job.Provider, Model: p.job.Model, ModelExecutionValue: p.job.ModelExecutionValue, Attempt: p.n,
		PromptPath: p.files.Prompt, ResultPath: p.job.ResultPath, AttemptPath: p.files.Attempt, WorktreePath: p.job.WorktreePath,
		SessionID: r.SessionID, Outcome: r.Outcome, Cause: r.Cause, ResultClass: r.ResultClass, Mutation: r.Mutation, ExitCode: r.ExitCode,
		BoundaryKind: r.Boundary, WritePolicyDigest: p.job.WritePolicyDigest, WriteEnforcement: p.job.WriteEnforcement,
	}
	if s := p.sidecar; s != nil {
		row.WritePolicyDigest, row.WriteEnforcement = s.WritePolicyDigest, s.WriteEnforcement
	}
	if s := p.status; s != nil {
		row.DispatchedAt, row.EndedAt = s.StartedAt, s.EndedAt
	}
	return row
}

// sidecarOrNew gives the sidecar for rewriting: of a file that was lost, what
// the job line knows.
func (p *past) sidecarOrNew() run.Attempt {
	if p.sidecar != nil {
		return *p.sidecar
	}
	return run.Attempt{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-attempt", JobID: p.job.JobID, Attempt: p.n,
		PromptPath: p.files.Prompt, StatusPath: p.files.Status,
		Placement:   run.Placement{Cwd: workdir(p.job), WorktreePath: p.job.WorktreePath, OnDirtyTree: p.job.OnDirtyTree},
		WritePolicy: p.job.WritePolicy, WritePolicyDigest: p.job.WritePolicyDigest, WriteEnforcement: p.job.WriteEnforcement, Warnings: []string{},
	}
}

// exists tells whether a file is there at all.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
