package claude

import (
	"cmp"
	"hash/maphash"
	"slices"

	"okstra/lib/transcript"
)

// placeholderOutput is the most output tokens that a row without a stop reason
// may show and still be no more than the placeholder written when a reply
// starts.
const placeholderOutput = 10

// ref names a row. next chains the rows of one message id, in file and line
// order, so that grouping a hundred thousand rows allocates next to nothing.
type ref struct {
	file, row, next int32
}

type group struct {
	first, last int32
	byID        bool // grouped by message.id; else by place
}

// place is the key of a row without a message id: its uuid in this file, else
// where it stands.
type place struct {
	file   int32
	uuid   string
	offset int64
}

// fold decides which rows are one reply.
//
//	message.id ─┬─ request id ────────────── one reply, wherever its rows stand
//	            ├─ none, one request known ─ that reply    (same session only)
//	            └─ none ──────────────────── one reply per session
//
// Of a reply's rows the one with the greatest total counts, whole; the earliest
// says when and in which session. Rule: docs/usage.md, "One reply, one event".
func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	var note transcript.Note
	total := 0
	for _, f := range files {
		note = note.Add(transcript.Note{Files: 1, Bytes: f.Bytes, SkippedLines: f.Skipped, BadNumbers: f.BadNumbers})
		total += len(f.Rows)
	}
	base := len(events)
	b := builder{files: files, refs: make([]ref, 0, total), events: events}
	b.group()
	for _, g := range b.groups {
		b.rows = b.rows[:0]
		for i := g.first; i >= 0; i = b.refs[i].next {
			b.rows = append(b.rows, b.refs[i])
		}
		if len(b.rows) == 1 || g.byID && b.single() {
			b.emit(b.rows)
			continue
		}
		b.replies(g.byID)
	}
	transcript.SortEvents(b.events[base:])
	return b.events, note
}

type builder struct {
	files  []*transcript.File
	refs   []ref
	groups []group
	rows   []ref // of the group at hand
	events []transcript.Event
}

func (b *builder) row(r ref) *transcript.Row { return &b.files[r.file].Rows[r.row] }

// group chains the rows of each message id. Rows of one reply mostly follow each
// other, so the group of the row before is tried first.
func (b *builder) group() {
	seed := maphash.MakeSeed()
	var byID transcript.Index
	byID.Reset(cap(b.refs))
	byPlace := make(map[place]int32)
	for fi, f := range b.files {
		var at int32
		for ri := range f.Rows {
			row := &f.Rows[ri]
			known := ri > 0 && row.ID != "" && row.ID == f.Rows[ri-1].ID
			switch next := int32(len(b.groups)); {
			case known:
			case row.ID != "":
				at, known = byID.Find(maphash.String(seed, row.ID), next, func(g int32) bool { return b.row(b.refs[b.groups[g].first]).ID == row.ID })
			default:
				key := place{file: int32(fi), uuid: row.Extra}
				if row.Extra == "" {
					key.offset = row.Offset
				}
				if at, known = byPlace[key]; !known {
					byPlace[key], at = next, next
				}
			}
			n := int32(len(b.refs))
			b.refs = append(b.refs, ref{file: int32(fi), row: int32(ri), next: -1})
			if !known {
				b.groups = append(b.groups, group{first: n, last: n, byID: row.ID != ""})
				continue
			}
			b.refs[b.groups[at].last].next = n
			b.groups[at].last = n
		}
	}
}

// single reports whether all rows of the group tell of one request, as nearly all
// groups do.
func (b *builder) single() bool {
	request := b.row(b.rows[0]).Request
	for _, r := range b.rows {
		if row := b.row(r); row.Request != request || row.Kind == rowAdvisor {
			return false
		}
	}
	return request != ""
}

// replyKey tells the replies of one message id apart. advisor is the index of an
// advisor call plus one.
type replyKey struct {
	request, session string
	advisor          int64
}

// replies splits the rows of a group into replies and emits each.
func (b *builder) replies(byID bool) {
	keys := make([]replyKey, len(b.rows))
	var known map[string]string
	if byID {
		known = b.requests()
	}
	for i, r := range b.rows {
		row := b.row(r)
		if byID {
			keys[i] = keyOf(row, known)
		}
		if row.Kind == rowAdvisor {
			keys[i].advisor = row.N + 1
		}
	}
	rows := b.rows
	if byID {
		rows, keys = b.withoutReplays(keys)
	}
	index := make(map[replyKey]int)
	var split [][]ref
	for i, r := range rows {
		at, ok := index[keys[i]]
		if !ok {
			at = len(split)
			index[keys[i]] = at
			split = append(split, nil)
		}
		split[at] = append(split[at], r)
	}
	for _, own := range split {
		b.emit(own)
	}
}

// several stands for more than one request; no request id is empty or holds a
// line feed.
const several = "\n"

// requests is the one request that each session knows for the message at hand.
func (b *builder) requests() map[string]string {
	known := make(map[string]string)
	for _, r := range b.rows {
		row := b.row(r)
		if row.Request == "" {
			continue
		}
		switch only, ok := known[row.Session]; {
		case !ok:
			known[row.Session] = row.Request
		case only != row.Request:
			known[row.Session] = several
		}
	}
	return known
}

// keyOf is the request of a row; without one, the only request that the row's
// session knows for this message, else the session.
func keyOf(row *transcript.Row, known map[string]string) replyKey {
	if row.Request != "" {
		return replyKey{request: row.Request}
	}
	if only := known[row.Session]; only != "" && only != several {
		return replyKey{request: only}
	}
	return replyKey{session: row.Session}
}

// withoutReplays drops what an aside replays of its parent: side-chain rows
// under a request that no other row has, beside rows of the main chain.
func (b *builder) withoutReplays(keys []replyKey) ([]ref, []replyKey) {
	main := make(map[string]bool)
	for i, r := range b.rows {
		if b.row(r).Flags&flagSidechain == 0 {
			main[keys[i].request] = true
		}
	}
	if len(main) == 0 {
		return b.rows, keys
	}
	var kept []ref
	var keptKeys []replyKey
	for i, r := range b.rows {
		if b.row(r).Flags&flagSidechain == 0 || main[keys[i].request] {
			kept, keptKeys = append(kept, r), append(keptKeys, keys[i])
		}
	}
	return kept, keptKeys
}

// emit turns the rows of one reply, in file and line order, into its event.
func (b *builder) emit(rows []ref) {
	best, earliest, owner := rows[0], rows[0], rows[0]
	stopped := false
	for _, r := range rows {
		row := b.row(r)
		stopped = stopped || row.Flags&flagStop != 0
		if fuller(row, b.row(best)) {
			best = r
		}
		if earlier(row, b.row(earliest)) {
			earliest = r
		}
		o := b.row(owner)
		if same := row.Flags&flagMirror == o.Flags&flagMirror; same && earlier(row, o) || !same && o.Flags&flagMirror != 0 {
			owner = r
		}
	}
	won, first, own := b.row(best), b.row(earliest), b.row(owner)
	if won.Counts.Total() == 0 {
		return
	}
	e := transcript.Event{
		Provider: Provider, Session: first.Session, TS: transcript.Stamp(first.TS, first.At), At: first.At,
		Agent: own.Agent, CWD: own.CWD, Model: won.Model, Counts: won.Counts,
		Placeholder: own.Kind != rowAdvisor && !stopped && won.Counts.Output <= placeholderOutput,
		Source:      transcript.Source{Path: b.files[owner.file].Path, Line: own.Line},
		File:        int(owner.file),
	}
	if e.Agent == "" {
		e.Agent = b.files[owner.file].Agent
	}
	if won.Flags&flagFast != 0 {
		e.Speed = "fast"
	}
	for _, r := range rows {
		copied := b.row(r).Flags&flagMirror == 0 || own.Flags&flagMirror != 0
		if r.file != owner.file && copied && !slices.Contains(e.Copies, int(r.file)) {
			e.Copies = append(e.Copies, int(r.file))
		}
	}
	b.events = append(b.events, e)
}

// fuller reports whether row, the later one, beats best: the greater total, then
// the one with a speed, then the later.
func fuller(row, best *transcript.Row) bool {
	if c := cmp.Compare(row.Counts.Total(), best.Counts.Total()); c != 0 {
		return c > 0
	}
	speed, bestSpeed := row.Flags&flagSpeed, best.Flags&flagSpeed
	return speed >= bestSpeed
}

// earlier reports whether row, the later one in file and line order, has the
// earlier time. A row without a time is earlier than none.
func earlier(row, than *transcript.Row) bool {
	return row.At != transcript.NoTime && (than.At == transcript.NoTime || row.At < than.At)
}
