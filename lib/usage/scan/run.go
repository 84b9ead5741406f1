// Package scan reads the transcripts of all homes into events, in parallel.
//
// Rule: docs/usage.md, "What is counted".
package scan

import (
	"context"
	"slices"
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

// Run reads everything. Only what the caller named must be there.
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
		r.Uncached = known.save(list, fresh)
	}
	r.fold(o.Readers, list, files, faults)
	return r, nil
}

// recent drops the files that were last changed before the time of interest. A
// provider whose old files bear on new ones keeps them all.
func (o Options) recent(list []found) []found {
	if o.Since.IsZero() {
		return list
	}
	since := o.Since.UnixNano()
	return slices.DeleteFunc(list, func(f found) bool { return !f.reader.Lineage && f.mtime < since })
}

// fold runs pass 2 per provider and puts the events of all into one order.
func (r *Result) fold(readers []*transcript.Reader, list []found, files []*transcript.File, faults []error) {
	byReader := map[*transcript.Reader][]*transcript.File{}
	at := map[*transcript.File]int{}
	for i, f := range files {
		if faults[i] != nil {
			r.Warnings = append(r.Warnings, faults[i])
		}
		if f == nil {
			continue // a file that breaks off counts as far as it could be read
		}
		at[f] = len(r.Files)
		r.Files = append(r.Files, f)
		byReader[list[i].reader] = append(byReader[list[i].reader], f)
	}
	rows := 0
	for _, f := range r.Files {
		rows += len(f.Rows)
	}
	r.Events = transcript.Room[transcript.Event](rows)
	for _, reader := range readers {
		group := byReader[reader]
		if len(group) == 0 {
			continue
		}
		base := len(r.Events)
		events, note := reader.Fold(group, r.Events)
		for i := range events[base:] {
			e := &events[base+i]
			e.File, e.Kind, e.Assumed = at[group[e.File]], reader.Source, reader.Model
			for k, c := range e.Copies {
				e.Copies[k] = at[group[c]]
			}
		}
		r.Events, r.Note = events, r.Note.Add(note)
	}
	transcript.SortEvents(r.Events)
}
