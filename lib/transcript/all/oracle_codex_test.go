package all_test

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/transcript"
)

// usageOf is a usage object of Codex: its six fields in the order of the
// names below. nil is none at all.
type usageOf []int64

var codexFields = []string{"input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens"}

type codexRow struct {
	*entry
	kind            string // meta, turn, snapshot, record
	ts              string
	id, parent, cwd string // of a meta; id of a turn or a response, too
	model, thread   string
	at, created     int64
	last, total     usageOf
	own             bool
}

type codexFile struct {
	rows            []*codexRow
	id, parent, cwd string
	metas           []string // ids of further metas
	hasTurn         bool
}

type codexHome struct {
	files []*codexFile
}

func oracleCodex(docs []document) (j judgement) {
	home := codexHome{}
	for i, d := range docs {
		f := &codexFile{}
		home.files = append(home.files, f)
		for _, e := range entries(docs, &judgement{}) {
			if e.file != i {
				continue
			}
			if r := codexRowOf(e); r != nil {
				f.rows = append(f.rows, r)
				j.bad += *e.bad
			}
		}
		f.head(d.path)
	}
	entries(docs, &j)
	for _, f := range home.files {
		home.mark(f)
	}
	owners := home.responses()
	for i, f := range home.files {
		j.events = append(j.events, f.count(i, home.told(i), owners, &j)...)
	}
	return j
}

func codexRowOf(e *entry) *codexRow {
	p := get(e.value, "payload")
	r := &codexRow{entry: e, ts: text(e.value, "timestamp")}
	r.at = transcript.Instant(r.ts)
	switch typ := text(e.value, "type"); {
	case typ == "session_meta":
		r.kind, r.id, r.cwd = "meta", strings.ToLower(text(p, "id")), text(p, "cwd")
		for _, id := range []string{text(p, "forked_from_id"), text(p, "parent_thread_id"), text(p, "source", "subagent", "thread_spawn", "parent_thread_id")} {
			if r.parent == "" && !strings.EqualFold(id, text(p, "id")) { // nothing is its own parent
				r.parent = strings.ToLower(id)
			}
		}
		r.created = transcript.Instant(text(p, "timestamp"))
	case typ == "turn_context":
		r.kind, r.id, r.model = "turn", text(p, "turn_id"), text(p, "model")
	case typ == "event_msg" && text(p, "type") == "task_started":
		r.kind, r.id = "turn", text(p, "turn_id")
	case typ == "event_msg" && text(p, "type") == "token_count":
		r.kind, r.last, r.total = "snapshot", e.usage(get(p, "info", "last_token_usage")), e.usage(get(p, "info", "total_token_usage"))
		if r.last == nil && r.total == nil {
			return nil
		}
	case typ == "token_usage_record":
		r.kind, r.id, r.thread = "record", text(p, "response_id"), strings.ToLower(text(p, "thread_id"))
		r.last, r.total = e.usage(get(p, "usage")), e.usage(get(p, "thread_token_usage"))
		if r.last == nil {
			return nil
		}
	default:
		return nil
	}
	return r
}

// usage reads a usage object; an empty one is none.
func (e *entry) usage(v any) usageOf {
	if o, ok := v.(objectValue); !ok || len(o.members) == 0 {
		return nil
	}
	u := usageOf{}
	for _, name := range codexFields {
		u = append(u, e.count(v, name))
	}
	return u
}

// head finds the file's own thread and its parent.
func (f *codexFile) head(path string) {
	for _, r := range f.rows {
		switch {
		case r.kind == "turn":
			f.hasTurn = true
		case r.kind != "meta":
		case f.id == "":
			f.id, f.parent, f.cwd = r.id, r.parent, r.cwd
		default:
			if f.parent == "" && r.id != f.id {
				f.parent = r.id // "" changes nothing
			}
			f.metas = append(f.metas, r.id)
		}
	}
	if name := strings.TrimSuffix(filepath.Base(path), ".jsonl"); f.id == "" && len(name) >= 36 && isUUIDText(name[len(name)-36:]) {
		f.id = strings.ToLower(name[len(name)-36:])
	}
}

func isUUIDText(s string) bool {
	_, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	return err == nil && len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && strings.Count(s, "-") == 4
}

// bornAt is the time in a UUID of version 7.
func bornAt(id string) (int64, bool) {
	if !isUUIDText(id) || id[14] != '7' {
		return 0, false
	}
	var ms int64
	if _, err := fmt.Sscanf(id[:8]+id[9:13], "%x", &ms); err != nil || ms > 1<<43 {
		return 0, false
	}
	return ms * int64(time.Millisecond), true
}

func (h codexHome) of(id string) (files []*codexFile) {
	for _, f := range h.files {
		if f.id == id {
			files = append(files, f)
		}
	}
	return files
}

// above are the ids of a thread's ancestors that have files, nearest first.
func (h codexHome) above(id string) (up []string) {
	seen := []string{id, ""}
	var wait []string
	climb := func(id string) {
		var parent string
		var others []string
		for _, f := range h.of(id) {
			parent = first(parent, f.parent)
			others = append(others, f.metas...)
		}
		wait = append(append(wait, parent), others...)
	}
	climb(id)
	for len(wait) > 0 {
		next := wait[0]
		wait = wait[1:]
		if slices.Contains(seen, next) {
			continue
		}
		seen = append(seen, next)
		if len(h.of(next)) > 0 {
			up = append(up, next)
			climb(next)
		}
	}
	return up
}

func (h codexHome) hasTurn(thread, turn string) bool {
	for _, f := range h.of(thread) {
		for _, r := range f.rows {
			if r.kind == "turn" && r.id != "" && (turn == "" || r.id == turn) {
				return true
			}
		}
	}
	return false
}

// created is when a thread began.
func (h codexHome) created(id string) int64 {
	for _, f := range h.of(id) {
		at := int64(transcript.NoTime)
		if i := slices.IndexFunc(f.rows, func(r *codexRow) bool { return r.kind == "meta" }); i >= 0 && f.rows[i].id == id {
			if at = f.rows[i].created; at == transcript.NoTime {
				at = f.rows[i].at
			}
		}
		if born, ok := bornAt(id); ok && at == transcript.NoTime {
			at = born
		}
		if at == transcript.NoTime && len(f.rows) > 0 {
			at = f.rows[0].at
		}
		if at != transcript.NoTime {
			return at
		}
	}
	return transcript.NoTime
}

// mark says which rows are the thread's own work: rules A.
func (h codexHome) mark(f *codexFile) {
	if f.parent == "" {
		mine := true
		for _, r := range f.rows {
			if r.kind == "turn" && r.id != "" {
				mine = h.beganHere(f, r.id)
			}
			r.own = mine
		}
		return
	}
	own := false
	decided := !f.hasTurn // no turn start says anything: counts or times do
	for i, r := range f.rows {
		switch r.kind {
		case "record":
			own = own || r.thread == f.id
		case "turn":
			verdict := h.whose(f, r.id)
			own = own || verdict == "own"
			decided = verdict == "undecided"
		case "snapshot":
			own = own || decided && i >= h.behindCopy(f)
		}
		r.own = own
	}
}

// beganHere judges a turn of a thread without any link to another.
func (h codexHome) beganHere(f *codexFile, turn string) bool {
	a, ok := bornAt(turn)
	if b, known := bornAt(f.id); ok && known && a < b {
		return false
	}
	if !isUUIDText(turn) {
		return true
	}
	for _, other := range h.files {
		if other.id == f.id || !h.hasTurn(other.id, turn) || slices.Contains(h.above(other.id), f.id) {
			continue
		}
		theirs, mine := h.created(other.id), h.created(f.id)
		if theirs != transcript.NoTime && (mine == transcript.NoTime || theirs < mine) || theirs == mine && other.id < f.id {
			return false
		}
	}
	return true
}

// whose judges a turn start by its id: own, foreign or undecided.
func (h codexHome) whose(f *codexFile, turn string) string {
	if turn == "" {
		return "undecided"
	}
	for _, up := range h.above(f.id) {
		if h.hasTurn(up, turn) {
			return "foreign"
		}
	}
	if f.id != f.parent && h.hasTurn(h.parentOf(f), "") {
		return "own"
	}
	a, ok := bornAt(turn)
	b, known := bornAt(f.id)
	switch {
	case !ok || !known:
		return "undecided"
	case a < b:
		return "foreign"
	}
	return "own"
}

// parentOf is the parent of the file's thread, which its first file names.
func (h codexHome) parentOf(f *codexFile) string {
	parent := ""
	for _, g := range h.of(f.id) {
		parent = first(parent, g.parent)
	}
	return parent
}

// behindCopy is the first row that counts or times call own: behind the longest
// prefix of the parent's counts if its file is there, else behind the burst.
func (h codexHome) behindCopy(f *codexFile) int {
	above := h.above(f.id)
	parent := h.parentOf(f)
	if len(above) > 0 && above[0] == parent {
		return h.behindPrefix(f, parent)
	}
	at := h.behindBurst(f)
	for _, up := range above {
		at = max(at, h.behindPrefix(f, up))
	}
	return at
}

func (h codexHome) behindPrefix(f *codexFile, ancestor string) int {
	mine := firstTold(f)
	most := 0
	for _, g := range h.of(ancestor) {
		theirs, n := firstTold(g), 0
		for n < len(mine) && n < len(theirs) && f.rows[mine[n]].pair() == g.rows[theirs[n]].pair() {
			n++
		}
		most = max(most, n)
	}
	if most == len(mine) {
		return len(f.rows)
	}
	return mine[most]
}

// firstTold are the snapshots of a file that are no repeats.
func firstTold(f *codexFile) (rows []int) {
	seen := map[string]bool{}
	prev := ""
	for i, r := range f.rows {
		if r.kind != "snapshot" {
			continue
		}
		if !seen[r.pair()] && (r.total == nil || fmt.Sprint(r.total) != prev) {
			rows = append(rows, i)
		}
		seen[r.pair()] = true
		if r.total != nil {
			prev = fmt.Sprint(r.total)
		}
	}
	return rows
}

// pair identifies a snapshot; what is missing is 0.
func (r *codexRow) pair() string { return fmt.Sprint(r.total.orZero(), r.last.orZero()) }

func (u usageOf) orZero() usageOf {
	if u == nil {
		return make(usageOf, len(codexFields))
	}
	return u
}

func (h codexHome) behindBurst(f *codexFile) int {
	created := h.created(f.id)
	copying := false
	latest := int64(transcript.NoTime)
	for i, r := range f.rows {
		if r.kind == "meta" && r.id != f.id {
			copying, latest = true, max(latest, r.at)
			continue
		}
		if copying && r.at != transcript.NoTime && r.at > latest+int64(5*time.Second) {
			copying = false
		}
		if copying {
			latest = max(latest, r.at)
			continue
		}
		if r.kind == "snapshot" && r.at != transcript.NoTime && (created == transcript.NoTime || r.at >= created) {
			return i
		}
	}
	return len(f.rows)
}
