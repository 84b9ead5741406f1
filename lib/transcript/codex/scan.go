// Package codex reads the rollout files of the Codex CLI.
//
// A rollout's counter is no counter: it repeats itself, is re-stamped, falls
// after a compaction and is copied, with the whole history before it, into forks
// and spawned threads. Pass 1 keeps the rows that matter; own.go decides which
// rows are the thread's own work and count.go which of those are new.
// Rules: docs/usage.md, "Codex".
package codex

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "codex"

// Reader reads Codex rollouts. The meaning of a row's fields depends on its kind:
//
//	meta      ID thread, Request parent, CWD, N creation time as an instant
//	turn      ID turn id (may be empty), Model
//	snapshot  Counts last, Total total; N, M their total_tokens; Flags which are there
//	record    ID response, Request turn, Session thread; Counts usage, Total thread total; N, M as above
var Reader = transcript.Reader{
	Provider: Provider, Version: "codex/2", Source: "codex-rollout", Scan: scan, Describe: describe, Fold: fold,
	Roots: roots, Lineage: true, SameFile: baseName,
}

// Row kinds.
const (
	rowMeta = iota
	rowTurn
	rowSnapshot
	rowRecord
)

// Row flags: the usage objects that a snapshot or record holds, neither missing
// nor empty.
const (
	hasLast = 1 << iota
	hasTotal
)

var fileID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\.jsonl(?:\.zst)?$`)
})

// ThreadOfFile is the thread id in the name of a rollout, "" when there is none.
func ThreadOfFile(path string) string {
	if m := fileID().FindStringSubmatch(filepath.Base(path)); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// roots are the live and archived rollouts and, last, the folder that the
// reference implementation also knows.
func roots(h transcript.Home) []transcript.Root {
	var out []transcript.Root
	if dir := h.Or("CODEX_HOME", ".codex"); dir != "" {
		out = append(out, transcript.Root{Dir: filepath.Join(dir, "sessions"), Match: isRollout, Depth: 2}, transcript.Root{Dir: filepath.Join(dir, "archived_sessions"), Match: isRollout})
	}
	if dir := h.Below(".agent", "sessions"); dir != "" {
		out = append(out, transcript.Root{Dir: dir, Match: isRollout})
	}
	return out
}

func isRollout(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "rollout-") && transcript.HasSuffix(path, ".jsonl")
}

// baseName is what a rollout keeps when it is archived or compressed.
func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".zst") }

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	p := parser{file: f, texts: &s.Texts}
	err := lines.Walk(r, f, s, needle, func(l lines.Line) {
		p.line = l
		l.Values(f, p.value)
	})
	describe(f)
	return err
}

// describe takes the file's own thread, parent and directory from its rows.
func describe(f *transcript.File) {
	f.Session, f.Parent, f.CWD = "", "", ""
	for i := range f.Rows {
		row := &f.Rows[i]
		if row.Kind != rowMeta {
			continue
		}
		if f.Session == "" {
			f.Session, f.Parent, f.CWD = row.ID, row.Request, row.CWD
			if f.Started = row.N; f.Started == transcript.NoTime {
				f.Started = max(0, row.At)
			}
		} else if f.Parent == "" && row.ID != "" && row.ID != f.Session {
			f.Parent = row.ID
		}
	}
	if f.Session == "" {
		f.Session = ThreadOfFile(f.Path)
	}
}

// needle is the words that say what a line is, of the lines that matter.
var needle = lines.NewNeedle('_', `"token_count"`, `"turn_context"`, `"task_started"`, `"session_meta"`, `"token_usage_record"`)

type parser struct {
	file  *transcript.File
	texts *transcript.Texts
	line  lines.Line
}

func (p *parser) text(raw []byte) string { return p.texts.Intern(rawjson.Unquote(raw)) }

// line is what any of the lines that matter may hold.
type line struct {
	typ, ts []byte
	payload payload
}

func (p *parser) value(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var l line
	payloadSeen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "type":
			first(c, &l.typ)
		case string(key) == "timestamp":
			first(c, &l.ts)
		case string(key) == "payload" && !payloadSeen:
			payloadSeen = true
			l.payload.read(c)
		default:
			c.Skip()
		}
	}
	if !c.Bad() {
		p.keep(&l)
	}
}

var none = []byte{}

// first reads a text member unless an equal key came before.
func first(c *rawjson.Cursor, into *[]byte) {
	text, ok := c.Text()
	if *into != nil {
		return
	}
	*into = none
	if ok && len(text) > 0 {
		*into = text
	}
}

// keep appends the row that the line is, if it is one.
func (p *parser) keep(l *line) {
	pl := &l.payload
	row := transcript.Row{Line: p.line.Number, Offset: p.line.Offset}
	switch typ := string(l.typ); {
	case typ == "session_meta":
		row.Kind, row.ID, row.CWD = rowMeta, p.text(lower(pl.id)), p.text(pl.cwd)
		row.Request = p.text(lower(pl.parentID()))
		row.N = transcript.Instant(string(pl.timestamp))
	case typ == "turn_context":
		row.Kind, row.ID, row.Model = rowTurn, p.text(pl.turnID), p.text(pl.model)
	case typ == "event_msg" && string(pl.typ) == "task_started":
		row.Kind, row.ID = rowTurn, p.text(pl.turnID)
	case typ == "event_msg" && string(pl.typ) == "token_count":
		row.Kind = rowSnapshot
		if !pl.info.put(&row) {
			return
		}
	case typ == "token_usage_record":
		row.Kind, row.ID, row.Request = rowRecord, p.text(pl.responseID), p.text(pl.turnID)
		row.Session = p.text(lower(pl.threadID))
		record := info{last: pl.usage, total: pl.threadTotal}
		if !record.put(&row) || row.Flags&hasLast == 0 {
			return
		}
		pl.info.bad = record.bad
	default:
		return
	}
	p.file.BadNumbers += pl.info.bad
	row.TS = p.texts.Keep(rawjson.Unquote(l.ts))
	row.At = transcript.Instant(row.TS)
	p.file.Rows = append(p.file.Rows, row)
}

// lower makes thread ids comparable with the ones in file names.
func lower(id []byte) []byte { return bytes.ToLower(id) }
