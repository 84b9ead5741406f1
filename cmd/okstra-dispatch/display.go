package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/dispatch/stream"
	"okstra/lib/run"
	"okstra/lib/safetext"
)

// shown is what people see of a run on standard error: its progress, and the
// messages of the dispatcher between.
type shown interface {
	dispatch.Viewer
	above(write func()) // a message or a result line, which nothing of ours cuts
	close()             // the end: what the run came to
}

// newShown gives what suits standard error: lines that change on a terminal,
// plain ones elsewhere, nothing when quiet.
func newShown(std cli.IO, now func() time.Time, quiet bool) shown {
	switch {
	case quiet:
		return nil
	case std.ErrTTY && std.Env.Getenv("TERM") != "dumb":
		return newDisplay(std, now)
	}
	return newPlain(std, now)
}

// board is what every display knows: the jobs that run, and how the others
// ended.
type board struct {
	std  cli.IO
	now  func() time.Time
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	jobs  map[string]*shownJob
	ended []endedJob
}

// endedJob is how a job ended, and what all its attempts cost.
type endedJob struct {
	run.Result
	spent dispatch.Spent
}

func newBoard(std cli.IO, now func() time.Time) board {
	return board{std: std, now: now, jobs: map[string]*shownJob{}, stop: make(chan struct{}), done: make(chan struct{})}
}

// every calls tell again and again, with the board locked, until end.
func (b *board) every(pause time.Duration, tell func()) {
	defer close(b.done)
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-ticker.C:
			b.mu.Lock()
			tell()
			b.mu.Unlock()
		}
	}
}

// end stops every and waits until it has told for the last time.
func (b *board) end() {
	close(b.stop)
	<-b.done
}

// Seen takes what the stream of a job says.
func (b *board) Seen(name string, s stream.Summary, costUSD *float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs[name].see(s, costUSD)
}

// running lists the jobs that run, the oldest first.
func (b *board) running() []*shownJob {
	return slices.SortedFunc(maps.Values(b.jobs), func(x, y *shownJob) int { return cmp.Or(x.began.Compare(y.began), strings.Compare(x.name, y.name)) })
}

// display shows on a terminal what runs: one line for each job, with what it
// says, how long it runs, its tokens and its cost, and a summary at the end.
type display struct {
	board
	lines int // that stand on the terminal now
}

// shownJob is a job that runs.
type shownJob struct {
	name    string
	attempt int
	began   time.Time
	says    string
	tokens  int64
	cost    *float64
}

const redrawEvery = 200 * time.Millisecond

func newDisplay(std cli.IO, now func() time.Time) *display {
	d := &display{board: newBoard(std, now)}
	go d.every(redrawEvery, d.redraw)
	return d
}

// Started shows a job from now on.
func (d *display) Started(name string, attempt int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs[name] = &shownJob{name: name, attempt: attempt, began: d.now()}
}

// see takes what the stream says. A job that is not shown any more sees
// nothing.
func (j *shownJob) see(s stream.Summary, costUSD *float64) {
	if j == nil {
		return
	}
	j.says, j.cost = s.Last, costUSD
	if u := s.Usage; u != nil {
		j.tokens = tokens(*u)
	}
}

// Ended takes a job off the list of those that run.
func (d *display) Ended(name string, r run.Result, spent dispatch.Spent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.jobs, name)
	d.ended = append(d.ended, endedJob{r, spent})
}

// above writes a message where the lines stand, which move down.
func (d *display) above(write func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.erase()
	write()
	d.redraw()
}

func (d *display) erase() {
	if d.lines > 0 {
		fmt.Fprintf(d.std.Err, "\x1b[%dA\r\x1b[J", d.lines)
		d.lines = 0
	}
}

func (d *display) redraw() {
	var out strings.Builder
	jobs := d.running()
	for _, job := range jobs {
		out.WriteString(job.line(d.now()) + "\n")
	}
	d.erase()
	_, _ = io.WriteString(d.std.Err, out.String())
	d.lines = len(jobs)
}

// line fits a terminal of 80 columns, so that it never takes two.
func (j *shownJob) line(now time.Time) string {
	return safetext.Cut(fmt.Sprintf("%-24s %-28s %s", j.title(), j.facts(now), safetext.Line(j.says)), 79)
}

func (j *shownJob) title() string {
	if j.attempt > 1 {
		return fmt.Sprintf("%s (attempt %d)", j.name, j.attempt)
	}
	return j.name
}

// facts are how long the job runs, and its tokens and cost as far as its stream
// tells.
func (j *shownJob) facts(now time.Time) string {
	facts := []string{now.Sub(j.began).Round(time.Second).String()}
	if j.tokens > 0 {
		facts = append(facts, fmt.Sprintf("%d tokens", j.tokens))
	}
	if j.cost != nil {
		facts = append(facts, fmt.Sprintf("$%.2f", *j.cost))
	}
	return strings.Join(facts, ", ")
}

func tokens(u run.Usage) int64 {
	return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.Output
}

// close removes the lines and prints what the run came to: each job with its
// outcome and its cost, and whose cost is not known.
func (d *display) close() {
	d.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.erase()
	for _, line := range summary(d.ended) {
		d.std.Warnf("%s", line)
	}
}

// costOf tells what a job cost, with all its attempts.
func costOf(spent dispatch.Spent) string {
	switch {
	case !spent.Unknown:
		return fmt.Sprintf("cost $%.4f", spent.USD)
	case spent.USD > 0:
		return fmt.Sprintf("cost $%.4f and more", spent.USD)
	}
	return "cost --"
}

// ending tells how a job ended.
func ending(name string, r run.Result, cost string) string {
	line := fmt.Sprintf("%s: %s (%s), attempt %d, %s, %s", name, *r.Outcome, *r.Cause, r.Attempt, time.Duration(r.WallMs)*time.Millisecond, cost)
	if r.Message != "" {
		line += ": " + r.Message
	}
	return line
}

func summary(jobs []endedJob) []string {
	var lines []string
	completed, sum := 0, 0.0
	var unknown []string
	for _, r := range jobs {
		sum += r.spent.USD
		if r.spent.Unknown {
			unknown = append(unknown, r.WorkerID)
		}
		if *r.Outcome == "completed" {
			completed++
		}
		lines = append(lines, ending(r.WorkerID, r.Result, costOf(r.spent)))
	}
	total := fmt.Sprintf("%d of %d jobs completed, cost $%.4f", completed, len(jobs), sum)
	if len(unknown) > 0 {
		slices.Sort(unknown)
		total += ", not known for " + strings.Join(slices.Compact(unknown), ", ")
	}
	return append(lines, total)
}
