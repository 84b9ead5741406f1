package dispatch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/digest"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/gitrepo"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// Summary is what a run came to.
type Summary struct {
	Jobs, Completed int
}

// Run runs jobs: each is accepted into the journal, tried, judged, tried again
// where that is safe, and told of by one result line. Every job is checked
// before the first is started. The error is a refusal or a fault of our own;
// jobs that did not complete are no error but counted.
func Run(ctx context.Context, host Host, opts Options, name string, jobs []run.Job) (Summary, error) {
	if opts.Replay != "" {
		for i := range jobs {
			jobs[i].Replay = opts.Replay
		}
	}
	accepted := host.acceptance()
	tasks, err := accepted.accept(ctx, name, jobs)
	if err != nil {
		return Summary{}, err
	}
	host.sweep()
	e := newEngine(host, opts, len(tasks))
	defer e.release()
	if err := e.openBooks(ctx, tasks); err != nil {
		return Summary{}, err
	}
	if err := e.refuseKnown(tasks); err != nil {
		return Summary{}, err
	}
	return e.all(ctx, tasks)
}

func (h Host) acceptance() *acceptance {
	return &acceptance{cat: h.Catalogue, contracts: contracts{writepolicy.Machine{Environ: h.Environ, Dir: "/"}}}
}

func newEngine(host Host, opts Options, total int) *engine {
	e := &engine{
		host: host, opts: opts, owner: proc.Self(), total: total, books: map[*run.Manifest]*book{}, folders: leases{},
		out:    outlet{ordered: opts.Ordered, write: opts.Emit},
		budget: budget{limit: opts.BudgetUSD}, stops: newStops(opts.Backoff),
		pool: pool{self: host.Self, env: host.Environ, stderr: host.Stderr},
	}
	e.contracts = host.acceptance().contracts
	e.boundaries = &boundary.Set{Self: host.Self, Environ: host.Environ, Scratch: scratchDir(host)}
	return e
}

// scratchDir is where overlays keep what jobs change: a file system of the
// user's, not the temporary directory, which may be of another kind.
func scratchDir(host Host) string {
	if host.OkstraHome == "" {
		return filepath.Join(host.TempDir, "okstra-overlays")
	}
	return filepath.Join(host.OkstraHome, "overlays")
}

// all runs tasks whose books are open.
func (e *engine) all(ctx context.Context, tasks []*task) (Summary, error) {
	if err := e.leaseTrees(ctx, tasks); err != nil {
		return Summary{}, err
	}
	if err := e.chooseBoundaries(ctx, tasks); err != nil {
		return Summary{}, err
	}
	if err := e.holdRoom(tasks); err != nil {
		return Summary{}, err
	}
	if err := e.enter(tasks); err != nil {
		return Summary{}, err
	}
	if err := proc.BecomeReaper(); err != nil {
		return Summary{}, err
	}
	err := e.rounds(ctx, tasks)
	for _, b := range e.books {
		err = errors.Join(err, b.ledger.flush())
	}
	return Summary{Jobs: max(e.results, len(tasks)), Completed: e.results - e.bad}, err
}

// openBooks opens a book for every run that the tasks belong to.
func (e *engine) openBooks(ctx context.Context, tasks []*task) error {
	e.own = ownPathsOf(tasks)
	for _, t := range tasks {
		if e.books[t.manifest] != nil {
			continue
		}
		b, err := openBook(ctx, e.folders, t.job.ProjectRoot, t.manifest, run.Abs(t.job.ProjectRoot, t.job.PromptPath), e.host.Now, e.host.Warn)
		if err != nil {
			return err
		}
		e.books[t.manifest] = b
		b.own, b.journal.own = e.own, e.own
		for _, torn := range b.record.torn {
			e.host.Warn(torn)
		}
		e.round = max(e.round, lastRound(t.manifest))
	}
	return nil
}

func (e *engine) release() {
	for _, b := range e.books {
		if err := b.close(); err != nil {
			e.host.Warn(err.Error())
		}
	}
	e.folders.release()
	for _, lease := range e.leases {
		lease.Unlock()
	}
	e.boundaries.Close()
	e.temps.remove()
}

// refuseKnown refuses jobs that were tried before: what is open belongs to
// resume, what is done must not be done twice. It refuses prompts that somebody
// works with now, too: a wrapped command writes the same files.
func (e *engine) refuseKnown(tasks []*task) error {
	p := &problems{where: "run"}
	for _, t := range tasks {
		first := &past{job: t.job, files: attemptPaths(t.job.ProjectRoot, t.job.PromptPath, 1)}
		var status run.Status
		first.read(first.files.Status, "okstra-dispatch-status", &status, func() { first.status = &status })
		switch {
		case first.ownerAlive() && status.State == "started":
			p.list = append(p.list, fmt.Errorf("job %q: process %d works with its prompt", t.job.JobID, status.Owner.PID))
		case exists(first.files.abs(first.files.Attempt)):
			p.list = append(p.list, fmt.Errorf("job %q was tried before (resume goes on with what is not completed)", t.job.JobID))
		}
	}
	return p.err(1)
}

// leaseTrees takes the lease on every tree that a job may write to.
func (e *engine) leaseTrees(ctx context.Context, tasks []*task) error {
	var paths []string
	for _, t := range tasks {
		if t.job.Role != run.RoleImplementer {
			continue
		}
		path, err := leaseTree(t.job.ProjectRoot, workdir(t.job), digest.Bytes)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		lease, err := atomicfile.Lock(ctx, path, leaseWait)
		if err != nil {
			return whyBusy("another batch writes to this tree", err)
		}
		e.leases = append(e.leases, lease)
	}
	return nil
}

// chooseBoundaries picks for every job the first boundary that is listed,
// acceptable to it and held in its self-test. None is a refusal: nothing
// weaker is ever taken.
func (e *engine) chooseBoundaries(ctx context.Context, tasks []*task) error {
	p := &problems{where: "run"}
	for _, t := range tasks {
		accepted := slices.DeleteFunc(slices.Clone(t.job.Boundary), func(kind string) bool { return !t.row.Tolerates(kind) })
		for _, kind := range e.opts.Boundaries {
			if slices.Contains(accepted, kind) {
				t.requests = append(t.requests, kind)
			}
		}
		kind, err := e.boundaries.Choose(ctx, e.opts.Boundaries, accepted)
		if err != nil {
			p.list = append(p.list, fmt.Errorf("job %q: %w", t.job.JobID, err))
			continue
		}
		t.boundary = kind
	}
	return p.err(1)
}

// holdRoom makes sure that what will run can be recorded.
func (e *engine) holdRoom(tasks []*task) error {
	jobs := map[*book]int{}
	for _, t := range tasks {
		jobs[e.bookOf(t)]++
	}
	for b, n := range jobs {
		if err := b.holdRoom(min(e.opts.Parallel, n), n); err != nil {
			return err
		}
	}
	return nil
}

// enter writes the accepted jobs into the journals, before anything starts.
func (e *engine) enter(tasks []*task) error {
	lines := map[*book][][]byte{}
	for _, t := range tasks {
		b := e.bookOf(t)
		lines[b] = append(lines[b], t.line)
	}
	for b, list := range lines {
		if err := b.journal.add(list...); err != nil {
			return err
		}
	}
	return e.markRunning()
}

// markRunning says in the run manifests that work has begun.
func (e *engine) markRunning() error {
	for m, b := range e.books {
		if m == nil || m.Status != "prepared" {
			continue
		}
		if err := SetManifestStatus(context.Background(), b.root, *m, "running"); err != nil {
			return err
		}
	}
	return nil
}

// SetManifestStatus changes the status of a run manifest and nothing else.
func SetManifestStatus(ctx context.Context, root string, m run.Manifest, status string) error {
	path := run.Abs(root, m.Folder().RunManifest())
	return atomicfile.Update(ctx, path, 0o644, func(old []byte) ([]byte, error) {
		doc, err := jsondoc.Parse(path, old)
		if err != nil {
			return nil, err
		}
		doc, err = doc.Set("/status", status)
		return doc.Raw, err
	})
}

// beginRound starts an audit round: with a baseline, if one of its jobs needs
// it.
func (e *engine) beginRound(ctx context.Context, tasks []*task) error {
	e.round++
	if err := e.tidy(ctx, tasks); err != nil {
		return err
	}
	e.findLocks(ctx, tasks)
	var err error
	e.audits, err = e.openAudits(ctx, tasks)
	return err
}

// tidy puts aside what lies uncommitted in the worktrees of jobs that ask for a
// clean one: into git's stash, where it can be found again. "fresh" takes
// ignored files along. Nothing is ever thrown away.
func (e *engine) tidy(ctx context.Context, tasks []*task) error {
	done := map[string]bool{}
	for _, t := range tasks {
		dir := workdir(t.job)
		if t.job.OnDirtyTree == "keep" || done[dir] {
			continue
		}
		done[dir] = true
		which := "--include-untracked"
		if t.job.OnDirtyTree == "fresh" {
			which = "--all"
		}
		repo := gitrepo.Open(dir, e.host.Environ)
		before, _ := repo.Line(ctx, "rev-parse", "--quiet", "--verify", "refs/stash")
		if _, err := repo.Do(ctx, "stash", "push", "--quiet", which, "--message", "okstra: before "+t.job.JobID); err != nil {
			return fmt.Errorf("put aside what lies uncommitted in %s: %w", dir, err)
		}
		if after, _ := repo.Line(ctx, "rev-parse", "--quiet", "--verify", "refs/stash"); after != before {
			e.host.Warn(fmt.Sprintf("what lay uncommitted in %s is in git's stash now: %s", dir, after))
		}
	}
	return nil
}

// staleAge is how old a lock must be before it can be one that was left behind.
const staleAge = 10 * time.Second

// lockSearch bounds the search for such locks: a worker can make a repository
// one that git never answers about.
const lockSearch = time.Minute

// findLocks looks for locks that a killed git left in the trees of the jobs:
// whatever needs them fails, so everybody is told. They are left where they
// are, because only a person can know that nobody wants them any more.
func (e *engine) findLocks(ctx context.Context, tasks []*task) {
	e.locks = map[string][]string{}
	for _, t := range tasks {
		dir := workdir(t.job)
		if _, seen := e.locks[dir]; seen {
			continue
		}
		e.locks[dir] = nil
		asking, done := context.WithTimeout(ctx, lockSearch)
		list, err := gitrepo.Open(dir, e.host.Environ).StaleLocks(asking, e.host.Now(), staleAge)
		done()
		if err != nil {
			continue // no repository
		}
		for _, lock := range list {
			e.locks[dir] = append(e.locks[dir], "stale-lock: "+run.Rel(t.job.ProjectRoot, lock.Path))
			e.host.Warn(fmt.Sprintf("%s was left behind %s ago and nobody holds it; git commands that need it fail until it is removed", lock.Path, lock.Age.Round(time.Second)))
		}
	}
}

// endRound judges the attempts that waited for the audit of the round and
// gives the tasks that may be tried again.
func (e *engine) endRound(ctx context.Context, held []*attempt) []*task {
	var again []*task
	for _, r := range e.audits {
		mine := slices.DeleteFunc(slices.Clone(held), func(a *attempt) bool { return !r.tasks[a.t] })
		if len(mine) == 0 {
			continue
		}
		for i, found := range r.judge(context.WithoutCancel(ctx), mine) {
			if e.settle(ctx, mine[i], found) {
				again = append(again, mine[i].t)
			}
		}
	}
	return again
}

// endMarked ends what is left of an attempt whose slot is gone.
func (e *engine) endMarked(a *attempt) bool {
	mark := AttemptVariable + "=" + a.files.abs(a.files.Status)
	_, verified := proc.EndAll(e.host.Now, func() []run.Process { return proc.Marked(mark) }, e.limits(a.t.job.Limits).Grace, nil)
	return verified
}
