package codex

import (
	"hash/maphash"

	"okstra/lib/transcript"
)

// fold decides, thread by thread, which rows are own work and which of those are
// new, and makes an event of each.
func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	var note transcript.Note
	fam := newFamily(files)
	own := make([][]bool, len(files))
	for i, f := range files {
		note = note.Add(transcript.Note{Files: 1, Bytes: f.Bytes, SkippedLines: f.Skipped, BadNumbers: f.BadNumbers})
		own[i] = fam.own(f)
	}
	owners := responses(files, own)
	told := make(map[string]map[telling]bool) // per thread: snapshots of its earlier files
	seen := pairSet{seed: maphash.MakeSeed()}
	for i, f := range files {
		if told[f.Session] == nil {
			told[f.Session] = map[telling]bool{}
		}
		c := counter{file: f, index: i, own: own[i], owners: owners, told: told[f.Session], seen: &seen, note: &note, events: events}
		seen.begin(f.Rows)
		c.shared = len(fam.threads[f.Session].files) > 1
		c.run()
		for _, t := range c.tellings {
			c.told[t] = true
		}
		events = c.events
	}
	return events, note
}

// response identifies a response: by its id, else by all that its record says.
type response struct {
	id, ts string
	pair
}

func responseOf(row *transcript.Row) response {
	if row.ID != "" {
		return response{id: row.ID}
	}
	return response{ts: row.TS, pair: pairOf(row)}
}

// responses says in which file a response is counted: in one of the thread that
// the record names, else in the first. Only own rows compete.
func responses(files []*transcript.File, own [][]bool) map[response]int {
	owners := make(map[response]int)
	sure := make(map[response]bool)
	for i, f := range files {
		for k := range f.Rows {
			row := &f.Rows[k]
			if row.Kind != rowRecord || !own[i][k] {
				continue
			}
			id, named := responseOf(row), row.Session == f.Session
			if _, ok := owners[id]; !ok || named && !sure[id] {
				owners[id], sure[id] = i, named
			}
		}
	}
	return owners
}

// telling is a snapshot with its time: what two files of one thread must agree
// in to tell the same.
type telling struct {
	ts string
	pair
}

// counter walks one file.
type counter struct {
	file   *transcript.File
	index  int
	own    []bool
	owners map[response]int
	told   map[telling]bool
	shared bool // the thread has more files
	note   *transcript.Note

	model    string
	prev     reading // the last snapshot's total
	high     reading // the highest total since the counter last began anew
	top      reading // the highest total of all
	seen     *pairSet
	open     []*transcript.Row // records still without their snapshot
	counted  map[response]bool // responses counted in this file
	tellings []telling
	events   []transcript.Event
}

// reading is one state of the counter.
type reading struct {
	counts transcript.Counts
	total  int64
	there  bool
}

func totalOf(row *transcript.Row) reading {
	return reading{row.Total, row.M, row.Flags&hasTotal != 0}
}

// size is what readings are ordered by; old records do not state a total.
func (r reading) size() int64 {
	if r.total > 0 {
		return r.total
	}
	return transcript.AddSat(r.counts.Input, r.counts.Output)
}

// minus is the reading before last was added.
func (r reading) minus(row *transcript.Row) reading {
	d := reading{there: true, total: r.total - row.N}
	d.counts = transcript.Counts{
		Input:        r.counts.Input - row.Counts.Input,
		CacheRead:    r.counts.CacheRead - row.Counts.CacheRead,
		CacheWrite5m: r.counts.CacheWrite5m - row.Counts.CacheWrite5m,
		Output:       r.counts.Output - row.Counts.Output,
		Reasoning:    r.counts.Reasoning - row.Counts.Reasoning,
	}
	return d
}

func (c *counter) run() {
	for i := range c.file.Rows {
		row := &c.file.Rows[i]
		switch row.Kind {
		case rowTurn:
			if row.Model != "" {
				c.model = row.Model
			}
		case rowRecord:
			if c.own[i] {
				c.record(row)
			}
		case rowSnapshot:
			if c.own[i] {
				c.snapshot(i, row)
				if c.shared {
					c.tellings = append(c.tellings, telling{row.TS, pairOf(row)})
				}
			} else {
				c.note.Inherited++
				c.raise(totalOf(row))
			}
			if row.Flags&hasTotal != 0 {
				c.prev = totalOf(row)
			}
			c.seen.add(i)
		}
	}
}

// record counts a response once. A copy of a response counted elsewhere still
// waits for its snapshot, which must not count either.
func (c *counter) record(row *transcript.Row) {
	id := responseOf(row)
	if c.counted[id] {
		return
	}
	c.open = append(c.open, row)
	if c.owners[id] != c.index {
		return
	}
	if c.counted == nil {
		c.counted = make(map[response]bool)
	}
	c.counted[id] = true
	c.event(row, row.Counts)
}

// snapshot decides one own snapshot. Rule: docs/usage.md, "Counting a rollout".
func (c *counter) snapshot(i int, row *transcript.Row) {
	total := totalOf(row)
	if c.closeTwin(row) {
		if total.there {
			c.raise(total)
			c.high = total
		}
		return
	}
	if c.repeats(row) || len(c.told) > 0 && c.told[telling{row.TS, pairOf(row)}] {
		c.raise(total)
		return
	}
	if total.there && c.top.there && total.size() < c.top.size() && c.stale(i, total) {
		return
	}
	if total.there && c.high.there && total.size() < c.high.size() {
		c.high = total
	}
	c.raise(total)
	switch {
	case isFill(row):
		c.note.ContextFills++
	case row.Flags&hasLast != 0:
		c.event(row, row.Counts)
	default:
		c.event(row, since(c.prev.counts, row.Total))
	}
}

func (c *counter) raise(total reading) {
	for _, high := range []*reading{&c.high, &c.top} {
		if total.there && (!high.there || total.size() > high.size()) {
			*high = total
		}
	}
}

// closeTwin looks for the open record that a snapshot repeats, and closes it and
// the older ones. The thread's total names the record; where no total does, the
// oldest record of equal size is it, for snapshots come in the records' order.
func (c *counter) closeTwin(row *transcript.Row) bool {
	for k, r := range c.open {
		if r.Flags&row.Flags&hasTotal != 0 && r.Total == row.Total && r.M == row.M {
			c.open = c.open[k+1:]
			return true
		}
	}
	for k, r := range c.open {
		if row.Flags&hasLast != 0 && r.Counts == row.Counts {
			c.open = c.open[k+1:]
			return true
		}
	}
	return false
}

// repeats reports whether a snapshot says nothing new.
func (c *counter) repeats(row *transcript.Row) bool {
	if c.seen.has(row) {
		return true
	}
	return row.Flags&hasTotal != 0 && c.prev.there && totalOf(row) == c.prev
}

// stale judges a fresh snapshot below the highest by the next one that is no
// repeat: if the counter went on from the highest, of all or since it began anew,
// the one between was old.
func (c *counter) stale(i int, total reading) bool {
	prev := totalOf(&c.file.Rows[i])
	here := &c.file.Rows[i]
	for k := i + 1; k < len(c.file.Rows); k++ {
		row := &c.file.Rows[k]
		if row.Kind != rowSnapshot {
			continue
		}
		if samePair(row, here) || c.seen.has(row) || row.Flags&hasTotal != 0 && totalOf(row) == prev {
			continue
		}
		if row.Flags&hasTotal == 0 || row.Flags&hasLast == 0 {
			return false
		}
		before := totalOf(row).minus(row)
		return before == c.top || before == c.high && total.size() < c.high.size()
	}
	return false
}

// isFill reports whether a snapshot only states that the context is full.
func isFill(row *transcript.Row) bool {
	if row.Flags&hasLast != 0 {
		return row.Counts.IsZero() && row.N > 0
	}
	return row.Total.IsZero() && row.M > 0
}

// since is the growth of each field, never below 0.
func since(prev, total transcript.Counts) transcript.Counts {
	return transcript.Counts{
		Input:        max(0, total.Input-prev.Input),
		CacheRead:    max(0, total.CacheRead-prev.CacheRead),
		CacheWrite5m: max(0, total.CacheWrite5m-prev.CacheWrite5m),
		Output:       max(0, total.Output-prev.Output),
		Reasoning:    max(0, total.Reasoning-prev.Reasoning),
	}
}

func (c *counter) event(row *transcript.Row, counts transcript.Counts) {
	counts = disjoint(counts)
	if counts.Total() == 0 {
		return
	}
	c.events = append(c.events, transcript.Event{
		Provider: Provider, Session: c.file.Session, CWD: c.file.CWD, TS: transcript.Stamp(row.TS, row.At), At: row.At, Model: c.model,
		Counts: counts, Source: transcript.Source{Path: c.file.Path, Line: row.Line}, File: c.index,
	})
}
