package codex

import (
	"slices"
	"strconv"
	"time"

	"okstra/lib/transcript"
)

// burst is the longest pause inside the copying of a history into a new file.
const burst = int64(5 * time.Second)

// family knows all threads of a fold: their files, turns, parents and ages.
type family struct {
	threads map[string]*thread
	turns   map[string][]*thread // threads in which a turn id occurs
}

// thread is one thread id with its files, mostly one.
type thread struct {
	id      string
	parent  string
	others  []string // ids of further session_metas in its files
	files   []*transcript.File
	turns   map[string]bool
	created int64 // NoTime when unknown
	above   []*thread
	climbed bool // above is filled
}

func newFamily(files []*transcript.File) *family {
	fam := &family{threads: make(map[string]*thread), turns: make(map[string][]*thread)}
	for _, f := range files {
		t := fam.threads[f.Session]
		if t == nil {
			t = &thread{id: f.Session, turns: make(map[string]bool), created: transcript.NoTime}
			fam.threads[f.Session] = t
		}
		t.files = append(t.files, f)
		if t.parent == "" {
			t.parent = f.Parent
		}
		fam.rows(t, f)
	}
	return fam
}

func (fam *family) rows(t *thread, f *transcript.File) {
	firstMeta := true
	for i := range f.Rows {
		row := &f.Rows[i]
		switch {
		case row.Kind == rowTurn && row.ID != "" && !t.turns[row.ID]:
			t.turns[row.ID] = true
			fam.turns[row.ID] = append(fam.turns[row.ID], t)
		case row.Kind == rowMeta && row.ID != t.id:
			t.others = append(t.others, row.ID)
		case row.Kind == rowMeta && firstMeta && t.created == transcript.NoTime:
			if t.created = row.N; t.created == transcript.NoTime {
				t.created = row.At
			}
		}
		if row.Kind == rowMeta {
			firstMeta = false
		}
	}
	if t.created != transcript.NoTime {
		return
	}
	if at, ok := v7Time(t.id); ok {
		t.created = at
	} else if len(f.Rows) > 0 {
		t.created = f.Rows[0].At
	}
}

// ancestors are the threads above t whose files are there, nearest first.
// direct says whether the parent itself is among them.
func (fam *family) ancestors(t *thread) (up []*thread, direct bool) {
	if !t.climbed {
		t.above, t.climbed = fam.climb(t), true
	}
	return t.above, fam.threads[t.parent] != nil && t.parent != t.id
}

func (fam *family) climb(t *thread) (up []*thread) {
	seen := map[string]bool{t.id: true}
	queue := append([]string{t.parent}, t.others...)
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		if a := fam.threads[id]; a != nil {
			up = append(up, a)
			queue = append(append(queue, a.parent), a.others...)
		}
	}
	return up
}

// own marks the rows of a file that are its thread's own work. The others were
// copied from an ancestor.
//
//	meta  (ancestor's meta)  turn t1  count  turn t2  count │ turn t3  count …
//	└──────────── copied, t1 and t2 are the ancestor's ─────┘ └─ own ──────────
//
// The boundary is found by whose turn it is wherever turn ids tell, else by the
// exact prefix of the parent's counts, else by time. Rule: docs/usage.md, "Forks
// and spawned threads".
func (fam *family) own(f *transcript.File) []bool {
	t := fam.threads[f.Session]
	own := make([]bool, len(f.Rows))
	if f.Parent == "" {
		fam.markTurns(t, f, own)
		return own
	}
	for i := fam.boundary(t, f); i < len(own); i++ {
		own[i] = true
	}
	return own
}

// markTurns marks the rows of a file without a parent: all but those of turns
// that another thread began.
func (fam *family) markTurns(t *thread, f *transcript.File, own []bool) {
	mine := true
	for i := range f.Rows {
		if row := &f.Rows[i]; row.Kind == rowTurn && row.ID != "" {
			mine = fam.beganHere(t, row.ID)
		}
		own[i] = mine
	}
}

// beganHere reports whether a turn id that a thread without a parent holds is
// its own: no older than the thread, and in no unrelated thread created before.
func (fam *family) beganHere(t *thread, turn string) bool {
	if older, known := olderTurn(turn, t.id); known && older {
		return false
	}
	if !isUUID(turn) {
		return true
	}
	for _, other := range fam.turns[turn] {
		if other == t || fam.descends(other, t) {
			continue
		}
		if other.before(t) {
			return false
		}
	}
	return true
}

// before orders threads by creation, those of unknown age last, then by id.
func (t *thread) before(other *thread) bool {
	if (t.created == transcript.NoTime) != (other.created == transcript.NoTime) {
		return other.created == transcript.NoTime
	}
	if t.created != other.created {
		return t.created < other.created
	}
	return t.id < other.id
}

func (fam *family) descends(t, from *thread) bool {
	up, _ := fam.ancestors(t)
	return slices.Contains(up, from)
}

type verdict int

const (
	undecided verdict = iota
	foreign
	mine
)

// boundary is the index of the first own row of a file with a parent, len(Rows)
// when there is none.
func (fam *family) boundary(t *thread, f *transcript.File) int {
	up, direct := fam.ancestors(t)
	ownCount := ownCounts(f, up, direct, t.created)
	turns := false
	for i := range f.Rows {
		turns = turns || f.Rows[i].Kind == rowTurn
	}
	open := !turns
	for i := range f.Rows {
		row := &f.Rows[i]
		switch row.Kind {
		case rowRecord:
			if row.Session == t.id {
				return i
			}
		case rowTurn:
			switch whose(row.ID, t, up, direct) {
			case mine:
				return i
			case foreign:
				open = false
			case undecided:
				open = true
			}
		case rowSnapshot:
			if open && ownCount(i) {
				return i
			}
		}
	}
	return len(f.Rows)
}

// whose decides a turn start by its id.
func whose(turn string, t *thread, up []*thread, direct bool) verdict {
	if turn == "" {
		return undecided
	}
	for _, a := range up {
		if a.turns[turn] {
			return foreign
		}
	}
	if direct && len(turnsOf(t, up)) > 0 {
		return mine
	}
	if older, known := olderTurn(turn, t.id); known {
		if older {
			return foreign
		}
		return mine
	}
	return undecided
}

// turnsOf is the nearest ancestor's turn ids: where it has none, a turn id that
// is not among them proves nothing.
func turnsOf(t *thread, up []*thread) map[string]bool {
	for _, a := range up {
		if a.id == t.parent {
			return a.turns
		}
	}
	return nil
}

// ownCounts returns the test for snapshots that no turn id decides: by the parent's
// counts if its file is there, else by time, and never before what an older
// ancestor counted.
func ownCounts(f *transcript.File, up []*thread, direct bool, created int64) func(i int) bool {
	var at int
	if direct {
		at = afterPrefix(f, up[0])
	} else {
		at = afterBurst(f, created)
		for _, a := range up {
			at = max(at, afterPrefix(f, a))
		}
	}
	return func(i int) bool { return i >= at }
}

// pair identifies a snapshot.
type pair struct {
	total, last transcript.Counts
	m, n        int64
}

func pairOf(row *transcript.Row) pair {
	return pair{total: row.Total, last: row.Counts, m: row.M, n: row.N}
}

// fresh lists the snapshots of a file without re-emits.
func fresh(f *transcript.File) (rows []int, pairs []pair) {
	seen := make(map[pair]bool)
	var prev pair
	have := false
	for i := range f.Rows {
		row := &f.Rows[i]
		if row.Kind != rowSnapshot {
			continue
		}
		p := pairOf(row)
		repeat := seen[p] || have && row.Flags&hasTotal != 0 && p.total == prev.total && p.m == prev.m
		seen[p] = true
		if row.Flags&hasTotal != 0 {
			prev, have = p, true
		}
		if !repeat {
			rows, pairs = append(rows, i), append(pairs, p)
		}
	}
	return rows, pairs
}

// afterPrefix is the index of the first snapshot behind the longest prefix that
// the file shares with one of the ancestor's files. Only an exact prefix counts:
// two threads may well do work of equal size.
func afterPrefix(f *transcript.File, ancestor *thread) int {
	rows, pairs := fresh(f)
	longest := 0
	for _, af := range ancestor.files {
		_, theirs := fresh(af)
		n := 0
		for n < len(pairs) && n < len(theirs) && pairs[n] == theirs[n] {
			n++
		}
		longest = max(longest, n)
	}
	if longest == len(rows) {
		return len(f.Rows)
	}
	return rows[longest]
}

// afterBurst is the index of the first snapshot that is neither older than the
// thread nor part of the burst in which an ancestor's history was copied in.
func afterBurst(f *transcript.File, created int64) int {
	copying, latest := false, int64(transcript.NoTime)
	for i := range f.Rows {
		row := &f.Rows[i]
		switch {
		case row.Kind == rowMeta && row.ID != f.Session:
			copying, latest = true, max(latest, row.At)
			continue
		case copying && (row.At == transcript.NoTime || row.At <= latest+burst):
			latest = max(latest, row.At)
			continue
		}
		copying = false
		if row.Kind == rowSnapshot && row.At != transcript.NoTime && (created == transcript.NoTime || row.At >= created) {
			return i
		}
	}
	return len(f.Rows)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !(c-'0' <= 9 || c|0x20-'a' <= 5) {
				return false
			}
		}
	}
	return true
}

// v7Time is the instant in a UUID of version 7.
func v7Time(id string) (int64, bool) {
	if !isUUID(id) || id[14] != '7' {
		return 0, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	if err != nil || ms > int64(1)<<43 {
		return 0, false
	}
	return ms * int64(time.Millisecond), true
}

// olderTurn reports whether a turn is older than its thread; known only when
// both ids carry a time.
func olderTurn(turn, thread string) (older, known bool) {
	a, ok := v7Time(turn)
	if !ok {
		return false, false
	}
	b, ok := v7Time(thread)
	return a < b, ok
}
