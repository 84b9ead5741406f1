// Package scan reads the transcripts of all homes into events, in parallel.
//
// Rule: docs/usage.md, "What is counted".
package scan

import (
	"context"
	"slices"
	"sync"
	"time"

	"okstra/lib/transcript"
)

// Options say what to read.
type Options struct {
	Readers []*transcript.Reader // whose transcripts
	Home    transcript.Home
	Paths   []string // files and folders in place of the home
	Workers int      // 0: one per core

	// Since leaves out files last changed before it, where that changes nothing
	// about what happened from then on.
	Since time.Time

	// Cache is the folder of the cache, "" for none, and Now the time by which it
	// judges how settled a file is.
	Cache string
	Now   time.Time

	piece int64 // bytes that one worker reads of a large file; 0 means pieceSize

	// Progress hears of every file read: the bytes of all, and of this one. It
	// is called from several goroutines.
	Progress func(total, step int64)
}

// Result is what the transcripts hold. Files are sorted by path, and the
// events by path and line; Event.File indexes Files.
type Result struct {
	Files    []*transcript.File
	Events   []transcript.Event
	Note     transcript.Note
	Warnings []error // what could not be read and is not counted
	Uncached error   // why the cache could not be written
}

// Run reads everything. Only what the caller named must be there. It asks the context
// before it writes the cache, and before it reads more than takes a moment.
func Run(ctx context.Context, o Options) (Result, error) {
	var r Result
	fi := &finder{warn: func(err error) { r.Warnings = append(r.Warnings, err) }}
	if len(o.Paths) > 0 {
		if err := fi.inPaths(o.Readers, o.Paths); err != nil {
			return r, err
		}
	} else {
		fi.inHome(o.Readers, o.Home)
	}
	list := o.recent(choose(fi.files))
	var known *cache
	if o.Cache != "" {
		known = openCache(o.Cache, list)
	}
	files, faults, fresh, err := o.read(ctx, list, known)
	if err != nil {
		return r, err
	}
	if known != nil {
		if changed := known.outdated(list, fresh); len(changed) > 0 {
			if err := ctx.Err(); err != nil {
				return r, err
			}
			r.Uncached = known.save(changed, list, fresh)
		}
	}
	r.fold(o.Readers, list, files, faults)
	return r, nil
}

// skew is by how much the clock that dates a file may be behind the one that
// dates what is in it: a server's clock, or a disk that keeps local time.
const skew = 24 * time.Hour

// recent drops the files that were last changed well before the time of interest.
// A provider whose old files bear on new ones keeps them all.
func (o Options) recent(list []found) []found {
	if o.Since.IsZero() {
		return list
	}
	since := o.Since.Add(-skew).UnixNano()
	return slices.DeleteFunc(list, func(f found) bool { return !f.reader.Lineage && f.mtime < since })
}

// fold runs pass 2 per provider and puts the events of all into one order.
func (r *Result) fold(readers []*transcript.Reader, list []found, files []*transcript.File, faults []error) {
	byReader := map[*transcript.Reader][]*transcript.File{}
	for i, f := range files {
		if faults[i] != nil {
			r.Warnings = append(r.Warnings, faults[i])
		}
		if f == nil {
			continue // a file that breaks off counts as far as it could be read
		}
		r.Files = append(r.Files, f)
		byReader[list[i].reader] = append(byReader[list[i].reader], f)
	}
	r.foldAll(readers, byReader)
	transcript.SortEvents(r.Events)
}

// foldAll folds the files of each provider, all at once, and puts their events
// behind each other in the order of the readers.
func (r *Result) foldAll(readers []*transcript.Reader, byReader map[*transcript.Reader][]*transcript.File) {
	rows := make([]int, len(readers)+1) // before each reader's own
	for i, reader := range readers {
		rows[i+1] = rows[i]
		for _, f := range byReader[reader] {
			rows[i+1] += len(f.Rows)
		}
	}
	room := transcript.Room[transcript.Event](rows[len(readers)])
	events, notes := make([][]transcript.Event, len(readers)), make([]transcript.Note, len(readers))
	var group sync.WaitGroup
	for i, reader := range readers {
		if files := byReader[reader]; len(files) > 0 {
			group.Go(func() { events[i], notes[i] = reader.Fold(files, room[rows[i]:rows[i]:rows[i+1]]) })
		}
	}
	group.Wait()
	at := make(map[*transcript.File]int, len(r.Files))
	for i, f := range r.Files {
		at[f] = i
	}
	for i, reader := range readers {
		group := byReader[reader]
		for k := range events[i] {
			e := &events[i][k]
			e.File, e.Kind, e.Assumed = at[group[e.File]], reader.Source, reader.Model
			for c, copied := range e.Copies {
				e.Copies[c] = at[group[copied]]
			}
		}
		r.Note = r.Note.Add(notes[i])
	}
	r.Events = room[:0]
	for i := range events {
		if len(events[i]) > rows[i+1]-rows[i] { // a fold that had no room
			r.Events = slices.Concat(events...)
			return
		}
	}
	for _, own := range events {
		r.Events = append(r.Events, own...) // moves down, over what has moved already
	}
}
