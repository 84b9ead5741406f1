package main

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch/stream"
	"okstra/lib/run"
	"okstra/lib/safetext"
)

// plain tells of a run where standard error is no terminal, in a log of a CI or
// a file: one line when a job starts, one when it ends, one a minute while it
// runs, and one for the whole at the end.
type plain struct {
	std  cli.IO
	now  func() time.Time
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	jobs  map[string]*shownJob
	ended []run.Result
}

// plainEvery is how often a job that runs is told of. A log that says nothing
// for long is taken for a run that hangs.
const plainEvery = time.Minute

func newPlain(std cli.IO, now func() time.Time) *plain {
	p := &plain{std: std, now: now, jobs: map[string]*shownJob{}, stop: make(chan struct{}), done: make(chan struct{})}
	go p.loop()
	return p
}

func (p *plain) loop() {
	defer close(p.done)
	ticker := time.NewTicker(plainEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.tellOfRunning()
		}
	}
}

// tellOfRunning writes a line for each job that runs, the oldest first.
func (p *plain) tellOfRunning() {
	p.mu.Lock()
	defer p.mu.Unlock()
	jobs := make([]*shownJob, 0, len(p.jobs))
	for _, job := range p.jobs {
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b *shownJob) int { return cmp.Or(a.began.Compare(b.began), strings.Compare(a.name, b.name)) })
	for _, job := range jobs {
		line := job.title() + ": running, " + job.facts(p.now())
		if job.says != "" {
			line += ": " + job.says
		}
		p.say(line)
	}
}

func (p *plain) say(line string) { p.std.Warnf("%s", safetext.Cut(safetext.Line(line), 200)) }

// Started tells that a job starts.
func (p *plain) Started(name string, attempt int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	job := &shownJob{name: name, attempt: attempt, began: p.now()}
	p.jobs[name] = job
	p.say(job.title() + ": started")
}

// Seen takes what the stream of a job says.
func (p *plain) Seen(name string, s stream.Summary, costUSD *float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[name].see(s, costUSD)
}

// Ended tells how a job ended.
func (p *plain) Ended(name string, r run.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.jobs, name)
	p.ended = append(p.ended, r)
	p.say(ending(name, r, costOf(r)))
}

func (p *plain) above(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	write()
}

// close tells what the run came to. A run that was refused came to nothing.
func (p *plain) close() {
	close(p.stop)
	<-p.done
	if lines := summary(p.ended); len(p.ended) > 0 {
		p.say(lines[len(lines)-1])
	}
}
