package all_test

import (
	"fmt"
	"slices"

	"okstra/lib/transcript"
)

// responses says which file counts a response: of the thread that the record
// names, else the first that has it.
func (h codexHome) responses() map[string]*codexFile {
	owners := map[string]*codexFile{}
	for _, named := range []bool{true, false} {
		for _, f := range h.files {
			for _, r := range f.rows {
				if r.kind == "record" && r.own && owners[r.response()] == nil && (r.thread == f.id || !named) {
					owners[r.response()] = f
				}
			}
		}
	}
	return owners
}

func (r *codexRow) response() string {
	if r.id != "" {
		return "id " + r.id
	}
	return "row " + r.telling()
}

// telling is a row with its time: what copies of a rollout agree in.
func (r *codexRow) telling() string { return r.ts + " " + r.pair() }

// told are the snapshots that earlier files of the same thread tell.
func (h codexHome) told(index int) map[string]bool {
	told := map[string]bool{}
	for _, f := range h.files[:index] {
		for _, r := range f.rows {
			if f.id == h.files[index].id && r.own && r.kind == "snapshot" {
				told[r.telling()] = true
			}
		}
	}
	return told
}

// count walks a file by rules B.
func (f *codexFile) count(index int, told map[string]bool, owners map[string]*codexFile, j *judgement) (events []transcript.Event) {
	var prev, high, top usageOf
	var open []*codexRow
	seen, counted := map[string]bool{}, map[string]bool{}
	model := ""
	add := func(r *codexRow, u usageOf) {
		c := transcript.Counts{Output: u[3], Reasoning: min(u[4], u[3])}
		c.CacheRead = min(u[1], u[0])
		c.CacheWrite5m = min(u[2], u[0]-c.CacheRead)
		c.Input = u[0] - c.CacheRead - c.CacheWrite5m
		if c.Total() > 0 {
			events = append(events, transcript.Event{
				Provider: "codex", Session: f.id, CWD: f.cwd, TS: r.ts, Model: model, Counts: c,
				Source: transcript.Source{Path: r.doc.path, Line: r.line}, File: index,
			})
		}
	}
	for i, r := range f.rows {
		switch {
		case r.kind == "turn":
			model = first(r.model, model)
		case r.kind == "record" && r.own && !counted[r.response()]:
			open = append(open, r)
			if owners[r.response()] == f {
				counted[r.response()] = true
				add(r, r.last)
			}
		case r.kind == "snapshot":
			verdict := f.judge(i, prev, high, top, seen, told, &open)
			if !r.own {
				verdict = "inherited"
				j.inherited++
			}
			switch verdict {
			case "fill":
				j.fills++
			case "last":
				add(r, r.last)
			case "growth":
				add(r, growth(prev, r.total))
			}
			if r.total != nil {
				high = f.highest(r, verdict, high)
				if top == nil || size(r.total) > size(top) {
					top = r.total
				}
				prev = r.total
			}
			seen[r.pair()] = true
		}
	}
	return events
}

// highest is the highest total so far; a reset begins it anew, and so does what
// a record has told already.
func (f *codexFile) highest(r *codexRow, verdict string, high usageOf) usageOf {
	fresh := verdict == "last" || verdict == "growth" || verdict == "fill" || verdict == "twin"
	if high == nil || fresh || size(r.total) > size(high) {
		return r.total
	}
	return high
}

func size(u usageOf) int64 {
	if u[5] > 0 {
		return u[5]
	}
	return u[0] + u[3]
}

// judge says what an own snapshot is.
func (f *codexFile) judge(i int, prev, high, top usageOf, seen, told map[string]bool, open *[]*codexRow) string {
	r := f.rows[i]
	if !r.own {
		return ""
	}
	if k := twin(r, *open); k >= 0 {
		*open = (*open)[k+1:]
		return "twin"
	}
	switch {
	case seen[r.pair()], r.total != nil && slices.Equal(r.total, prev), told[r.telling()]:
		return "repeat"
	case r.total != nil && high != nil && size(r.total) < size(high) && f.wentOn(i, high, seen),
		r.total != nil && top != nil && size(r.total) < size(top) && f.wentOn(i, top, seen):
		return "stale"
	case r.last != nil && !anySet(r.last[:5]) && r.last[5] > 0, r.last == nil && !anySet(r.total[:5]) && r.total[5] > 0:
		return "fill"
	case r.last != nil:
		return "last"
	}
	return "growth"
}

func anySet(u usageOf) bool { return slices.ContainsFunc(u, func(n int64) bool { return n != 0 }) }

func twin(r *codexRow, open []*codexRow) int {
	for k, record := range open {
		if record.total != nil && slices.Equal(record.total, r.total) {
			return k
		}
	}
	for k, record := range open {
		if r.last != nil && slices.Equal(record.last[:5], r.last[:5]) {
			return k
		}
	}
	return -1
}

// wentOn reports whether the next snapshot that is no repeat goes on from the
// highest total, and not from this one.
func (f *codexFile) wentOn(i int, high usageOf, seen map[string]bool) bool {
	here := f.rows[i]
	for _, r := range f.rows[i+1:] {
		if r.kind != "snapshot" || seen[r.pair()] || r.pair() == here.pair() || r.total != nil && slices.Equal(r.total, here.total) {
			continue
		}
		if r.total == nil || r.last == nil {
			return false
		}
		before := make(usageOf, len(r.total))
		for k := range before {
			before[k] = r.total[k] - r.last[k]
		}
		return fmt.Sprint(before) == fmt.Sprint(high)
	}
	return false
}

func growth(prev, total usageOf) usageOf {
	u := slices.Clone(total)
	for k := range prev {
		u[k] = max(0, u[k]-prev[k])
	}
	return u
}
