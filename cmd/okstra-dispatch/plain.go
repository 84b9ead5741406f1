package main

import (
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/run"
	"okstra/lib/safetext"
)

// plain tells of a run where standard error is no terminal, in a log of a CI or
// a file: one line when a job starts, one when it ends, one a minute while it
// runs, and one for the whole at the end.
type plain struct{ board }

// plainEvery is how often a job that runs is told of. A log that says nothing
// for long is taken for a run that hangs.
const plainEvery = time.Minute

func newPlain(std cli.IO, now func() time.Time) *plain {
	p := &plain{board: newBoard(std, now)}
	go p.every(plainEvery, p.tellOfRunning)
	return p
}

// tellOfRunning writes a line for each job that runs.
func (p *plain) tellOfRunning() {
	for _, job := range p.running() {
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

// Ended tells how a job ended.
func (p *plain) Ended(name string, r run.Result, spent dispatch.Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.jobs, name)
	p.ended = append(p.ended, endedJob{r, spent})
	p.say(ending(name, r, costOf(spent)))
}

func (p *plain) above(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	write()
}

// close tells what the run came to. A run that was refused came to nothing.
func (p *plain) close() {
	p.end()
	if lines := summary(p.ended); len(p.ended) > 0 {
		p.say(lines[len(lines)-1])
	}
}
