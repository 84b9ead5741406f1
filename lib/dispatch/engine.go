package dispatch

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/dispatch/stream"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// Host is what a run may know and use of its surroundings.
type Host struct {
	Now        func() time.Time
	Environ    []string
	Home       string
	OkstraHome string
	TempDir    string // the system's
	Random     io.Reader
	Self       string // path of this program, which it starts again for its slots
	Stderr     io.Writer
	Warn       func(text string)
	Catalogue  *provider.Catalogue
}

// Options are the flags of run and resume. A nil pointer leaves what the job
// line says.
type Options struct {
	Parallel       int
	Wall, Idle     *time.Duration
	Retries        *int
	BudgetUSD      *float64
	Boundaries     []string
	Ordered        bool
	ProgressEvents bool
	Unaudited      bool // run lost attempts again that nothing could audit
	Replay         string
	Backoff        time.Duration // first pause after a rate limit, 0 for the default

	Emit func(run.Result) error // called in the order of the output
	Show Viewer                 // nil for nobody
}

// Viewer is told what happens, for a display. Its methods are called from
// several goroutines.
type Viewer interface {
	Started(name string, attempt int)
	Seen(name string, s stream.Summary, costUSD *float64)
	Ended(name string, r run.Result, spent Spent)
}

// engine runs accepted jobs.
type engine struct {
	host       Host
	opts       Options
	contracts  contracts
	boundaries *boundary.Set
	owner      run.Process
	books      map[*run.Manifest]*book // nil key: jobs without a run
	folders    leases                  // on the run folders
	leases     []*atomicfile.Held      // on trees
	round      int
	audits     audits
	own        *ownPaths
	temps      temps
	locks      map[string][]string // tree → warnings about locks left in it
	total      int

	out    outlet
	budget budget
	stops  stops
	pool   pool

	mu      sync.Mutex
	fault   error // our own writing failed: nothing more is started
	results int
	bad     int
}

func (e *engine) bookOf(t *task) *book { return e.books[t.manifest] }

// watching tells whether anybody wants to know what streams say meanwhile.
func (e *engine) watching() bool { return e.opts.Show != nil || e.opts.BudgetUSD != nil }

// limits are the limits of a job with the caller's changes. Many programs
// that start at once on few cores all start slowly.
func (e *engine) limits(l run.Limits) proc.Limits {
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	crowd := (min(e.opts.Parallel, e.total) + runtime.NumCPU() - 1) / runtime.NumCPU()
	limits := proc.Limits{
		Wall: seconds(l.WallSeconds), Idle: seconds(l.IdleSeconds), Startup: seconds(l.StartupSeconds) * time.Duration(max(crowd, 1)),
		Output: l.OutputBytes, Grace: seconds(l.GraceSeconds), Leftover: 2 * time.Second,
	}
	if e.opts.Wall != nil {
		limits.Wall = *e.opts.Wall
	}
	start := seconds(l.StartupSeconds)
	if e.opts.Idle != nil {
		limits.Idle, start = *e.opts.Idle, limits.Startup
	}
	if limits.Idle > 0 && limits.Idle < start {
		limits.Startup = 0 // silence is over before: it is the idle limit that says so
	}
	return limits
}

// fail remembers the first fault of our own.
func (e *engine) fail(err error) {
	if err == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault == nil {
		e.fault = err
	}
}

func (e *engine) failed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fault != nil
}

// rounds runs the tasks: all first attempts, then the retries together, as
// long as there are any. An attempt that needs no audit of its round is closed
// and repeated at once.
func (e *engine) rounds(ctx context.Context, tasks []*task) error {
	defer e.pool.close()
	for queue := tasks; len(queue) > 0 && !e.failed(); {
		if err := e.beginRound(ctx, queue); err != nil {
			return err
		}
		held := e.work(ctx, queue)
		queue = e.endRound(ctx, held)
	}
	e.fail(e.out.flush())
	return e.fault
}

// queue hands tasks to workers. One that is repeated within the round goes to
// its end.
type queue struct {
	mu      sync.Mutex
	ready   *sync.Cond
	tasks   []*task
	running int
}

func newQueue(tasks []*task) *queue {
	q := &queue{tasks: append([]*task(nil), tasks...)}
	q.ready = sync.NewCond(&q.mu)
	return q
}

// next gives the next task, or nil when none is left and none can come back.
func (q *queue) next() *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) == 0 {
		if q.running == 0 {
			return nil
		}
		q.ready.Wait()
	}
	t := q.tasks[0]
	q.tasks = q.tasks[1:]
	q.running++
	return t
}

// done says what became of a task; again puts it back.
func (q *queue) done(t *task, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if again {
		q.tasks = append(q.tasks, t)
	}
	q.ready.Broadcast()
}

// work runs a round and gives back the attempts that wait for its audit.
func (e *engine) work(ctx context.Context, tasks []*task) []*attempt {
	q := newQueue(tasks)
	var mu sync.Mutex
	var held []*attempt
	var group sync.WaitGroup
	for range min(e.opts.Parallel, len(tasks)) {
		group.Go(func() {
			for t := q.next(); t != nil; t = q.next() {
				a, again := e.oneAttempt(ctx, t)
				if a != nil {
					mu.Lock()
					held = append(held, a)
					mu.Unlock()
				}
				q.done(t, again)
			}
		})
	}
	group.Wait()
	return held
}

// oneAttempt makes one attempt at a task. It gives the attempt back when the
// audit of the round has to judge it; again tells that the task is to be
// repeated within the round.
func (e *engine) oneAttempt(ctx context.Context, t *task) (held *attempt, again bool) {
	defer func() {
		if r := recover(); r != nil {
			e.fail(fmt.Errorf("job %q: internal error: %v", t.job.JobID, r))
		}
	}()
	if cause := e.mayStart(ctx, t); cause != "" {
		e.fail(e.notRun(ctx, t, cause))
		return nil, false
	}
	a := newAttempt(e, t, t.first, e.round)
	t.first++
	if err := a.prepare(); err != nil {
		e.fail(fmt.Errorf("job %q: %w", t.job.JobID, err))
		return nil, false
	}
	e.begun(ctx, a)
	slot, err := e.pool.take()
	if err == nil {
		err = a.run(ctx, slot)
		e.pool.put(slot, a.lost)
	}
	if err != nil {
		e.fail(fmt.Errorf("job %q: %w", t.job.JobID, err))
		return nil, false
	}
	a.openBoundary()
	e.look(a)
	if e.audits.of(t) != nil {
		return a, false
	}
	return nil, e.settle(ctx, a, a.byCall())
}

// mayStart says why a task must not be started now, "" if it may. It waits
// while the task's provider is backing off.
func (e *engine) mayStart(ctx context.Context, t *task) string {
	for {
		e.fail(e.bookOf(t).room.hold())
		switch {
		case ctx.Err() != nil:
			return CauseInterrupted
		case e.failed():
			return CauseInterrupted
		case e.stops.stopped(t.job.Provider):
			return CauseAuthStopped
		case e.budget.spent():
			return CauseBudget
		}
		pause := e.stops.pause(t.job.Provider, e.host.Now())
		if pause <= 0 {
			return ""
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// begun tells everybody that an attempt is about to start.
func (e *engine) begun(ctx context.Context, a *attempt) {
	if e.opts.Show != nil {
		e.opts.Show.Started(purposeName(a.t.job), a.n)
	}
	if e.opts.ProgressEvents && a.n == 1 && isAnnounced(purposeOf(a.t.job)) {
		e.fail(a.book.announce(context.WithoutCancel(ctx), "phase-4-dispatch", a.t.job.Role, a.t.job.WorkerID))
	}
}

// seen takes what the stream of a running attempt says.
func (e *engine) seen(a *attempt, s stream.Summary) {
	cost := a.t.cost(s.Usage)
	e.budget.running(a, cost)
	if e.opts.Show != nil {
		e.opts.Show.Seen(purposeName(a.t.job), s, cost)
	}
}

// pool keeps slots for reuse.
type pool struct {
	self   string
	env    []string
	stderr io.Writer
	mu     sync.Mutex
	idle   []*slot
}

func (p *pool) take() (*slot, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	return startSlot(p.self, p.env, p.stderr)
}

// put gives a slot back; a broken one is buried.
func (p *pool) put(s *slot, broken bool) {
	if broken {
		s.close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.idle {
		s.close()
	}
	p.idle = nil
}
