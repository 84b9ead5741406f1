package grok

import (
	"slices"

	"okstra/lib/transcript"
)

// key is what makes two rows one. A fork copies its parent's records, their ids
// included; a row without an id is only itself.
type key struct {
	id, model string
	kind      uint8
	file      int
	offset    int64
}

type ref struct{ file, row int }

// fold counts each record once and leaves out the sub-agents that a parent's
// record holds already.
func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	var note transcript.Note
	owners := make(map[key][]ref)
	var order []key
	finished := make(map[string][]int64) // by session: when its records were written
	for i, f := range files {
		note = note.Add(transcript.Note{Files: 1, Bytes: f.Bytes, SkippedLines: f.Skipped, BadNumbers: f.BadNumbers})
		for k := range f.Rows {
			row := &f.Rows[k]
			finished[f.Session] = append(finished[f.Session], row.At)
			id := key{id: row.ID, model: row.Model, kind: row.Kind}
			if row.ID == "" {
				id.file, id.offset = i+1, row.Offset
			}
			if owners[id] == nil {
				order = append(order, id)
			}
			owners[id] = append(owners[id], ref{i, k})
		}
	}
	base := len(events)
	for _, id := range order {
		refs := owners[id]
		own := refs[0]
		for _, r := range refs[1:] {
			if before(files[r.file].Rows[r.row].N, files[own.file].Rows[own.row].N) {
				own = r
			}
		}
		f, row := files[own.file], &files[own.file].Rows[own.row]
		if f.Child && includes(finished[f.Parent], row.At) {
			continue
		}
		if e := event(f, row, own.file); e.Total() > 0 {
			for _, r := range refs {
				if r.file != own.file && !slices.Contains(e.Copies, r.file) {
					e.Copies = append(e.Copies, r.file)
				}
			}
			events = append(events, e)
		}
	}
	transcript.SortEvents(events[base:])
	return events, note
}

// before orders envelope times, a missing one last.
func before(a, b int64) bool { return a > 0 && (b <= 0 || a < b) }

// includes reports whether a parent wrote a record at or after a time.
func includes(records []int64, at int64) bool {
	for _, t := range records {
		if t != transcript.NoTime && t >= at {
			return true
		}
	}
	return false
}

func event(f *transcript.File, row *transcript.Row, index int) transcript.Event {
	e := transcript.Event{
		Provider: Provider, Session: row.Session, CWD: f.CWD, TS: row.TS, At: row.At, Model: row.Model,
		Counts: disjoint(row.Counts), Incomplete: row.Flags&flagIncomplete != 0,
		Source: transcript.Source{Path: f.Path, Line: row.Line}, File: index,
	}
	if e.Model == "" {
		e.Model = f.Model
	}
	if row.M > 1 {
		e.Calls = row.M
	}
	return e
}

// disjoint takes the cached parts out of the input. Parts larger than their
// whole are cut to it.
func disjoint(c transcript.Counts) transcript.Counts {
	c.CacheRead = min(c.CacheRead, c.Input)
	c.CacheWrite5m = min(c.CacheWrite5m, c.Input-c.CacheRead)
	c.Input -= c.CacheRead + c.CacheWrite5m
	c.Reasoning = min(c.Reasoning, c.Output)
	return c
}
