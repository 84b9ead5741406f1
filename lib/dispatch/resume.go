package dispatch

import (
	"context"
	"fmt"
	"os"
	"time"

	"okstra/lib/digest"
	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
)

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
		if missing := h.missing(id); missing != "" {
			p.list = append(p.list, fmt.Errorf("job %q: %s", id, missing))
		}
		text, err := os.ReadFile(run.Abs(job.ProjectRoot, job.PromptPath))
		switch {
		case err != nil:
			p.list = append(p.list, fmt.Errorf("job %q: prompt: %w", id, err))
		case digest.Bytes(text) != job.PromptDigest:
			p.list = append(p.list, fmt.Errorf("job %q: prompt %q was changed since it was accepted", id, job.PromptPath))
		}
		for _, past := range h.attempts[id] {
			if err := past.checkPolicy(&h.manifest); err != nil {
				p.list = append(p.list, fmt.Errorf("job %q: %w", id, err))
			}
			for _, text := range past.strange {
				p.list = append(p.list, fmt.Errorf("job %q: %s", id, text))
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
var resumable = map[string]bool{CauseInterrupted: true, CauseBudget: true, CauseAuthStopped: true, CauseAuth: true, CauseLost: true, CauseDiskFull: true}

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
