// Package scan reads the transcripts of all homes into events, in parallel.
//
// Rule: docs/usage.md, "What is counted".
package scan

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

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
	files, faults, err := o.read(ctx, list)
	if err != nil {
		return r, err
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

// read runs pass 1 over all files, the largest first so that no core is left
// with one at the end.
func (o Options) read(ctx context.Context, list []found) ([]*transcript.File, []error, error) {
	files, faults := make([]*transcript.File, len(list)), make([]error, len(list))
	order := make([]int, len(list))
	var total int64
	for i, f := range list {
		order[i] = i
		total += f.size
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].size, list[a].size) })
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			scratch := new(transcript.Scratch)
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(order) {
					return nil
				}
				i := order[n]
				files[i], faults[i] = list[i].scan(scratch)
				if o.Progress != nil {
					o.Progress(total, list[i].size)
				}
			}
			return ctx.Err()
		})
	}
	return files, faults, group.Wait()
}

func (f found) scan(scratch *transcript.Scratch) (*transcript.File, error) {
	in, err := open(f.path)
	if err != nil {
		return nil, err
	}
	file := &transcript.File{Provider: f.reader.Provider, Path: f.path}
	fault := errors.Join(f.reader.Scan(in, file, scratch), in.Close())
	if f.reader.Beside != nil {
		f.reader.Beside(file)
	}
	return file, fault
}

// open opens a transcript, compressed or not.
func open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil || !compressed(path) {
		return file, err
	}
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &decoding{decoder, file}, nil
}

type decoding struct {
	*zstd.Decoder
	file *os.File
}

func (d *decoding) Close() error {
	d.Decoder.Close()
	return d.file.Close()
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
	var parts [][]transcript.Event
	count := 0
	for _, reader := range readers {
		group := byReader[reader]
		if len(group) == 0 {
			continue
		}
		events, note := reader.Fold(group)
		for i := range events {
			e := &events[i]
			e.File, e.Kind, e.Assumed = at[group[e.File]], reader.Source, reader.Model
			for k, c := range e.Copies {
				e.Copies[k] = at[group[c]]
			}
		}
		parts, count = append(parts, events), count+len(events)
		r.Note = r.Note.Add(note)
	}
	if len(parts) == 1 {
		r.Events = parts[0]
		return
	}
	r.Events = make([]transcript.Event, 0, count)
	for _, events := range parts {
		r.Events = append(r.Events, events...)
	}
	r.Events = transcript.SortEvents(r.Events)
}
