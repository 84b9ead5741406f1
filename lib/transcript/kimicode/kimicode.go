// Package kimicode reads the wire files of Kimi Code.
//
// The same usage stands up to three times in a file: as a record of its own,
// inside the step that ended and inside the message that was appended. Only
// the record counts. Rules: docs/usage.md, "Kimi Code".
package kimicode

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "kimi"

// Reader reads Kimi Code transcripts. Rows: ID is the agent, N the time in
// milliseconds.
var Reader = transcript.Reader{
	Provider: Provider, Version: "kimi-code/3", Source: "kimi-code-wire", Model: "kimi-k3",
	Scan: scan, Fold: fold, Roots: roots, Beside: beside,
}

// roots is where Kimi Code keeps its sessions.
func roots(h transcript.Home) []transcript.Root {
	dir := h.Or("KIMI_CODE_HOME", ".kimi-code")
	if dir == "" {
		return nil
	}
	return []transcript.Root{{Dir: filepath.Join(dir, "sessions"), Match: IsWire}}
}

// IsWire says whether a path is that of a wire file.
func IsWire(path string) bool {
	return transcript.HasSuffix(path, "wire.jsonl") && SessionOfFile(path) != ""
}

// beside reads the working directory from the session's state.
func beside(f *transcript.File) {
	dir := filepath.Dir(filepath.Dir(filepath.Dir(f.Path))) // session_<id>/agents/<agent>/wire.jsonl
	var state struct {
		CWD string `json:"cwd"`
	}
	if text, err := transcript.ReadRegular(filepath.Join(dir, "state.json")); err == nil && json.Unmarshal(text, &state) == nil {
		f.CWD = state.CWD
	}
}

var needle = lines.NewNeedle('.', `"usage.record"`)

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	if f.Session == "" {
		f.Session = SessionOfFile(f.Path)
	}
	p := parser{file: f, texts: &s.Texts}
	return lines.Walk(r, f, s, needle, func(l lines.Line) {
		p.line = l
		l.Values(f, p.value)
	})
}

// SessionOfFile is the session in whose folder a wire file lies:
// session_<id>/agents/<agent>/wire.jsonl. A home may lie below a folder of such a
// name, so the last one counts.
func SessionOfFile(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 3; i >= 0; i-- {
		if id, ok := strings.CutPrefix(parts[i], "session_"); ok && parts[i+1] == "agents" {
			return id
		}
	}
	return ""
}

type parser struct {
	file  *transcript.File
	texts *transcript.Texts
	line  lines.Line
	at    int64 // where the value at hand begins
}

// record holds the members of a line that matter.
type record struct {
	kind, agent, model, scope []byte
	time                      []byte
	counts                    transcript.Counts
	hasUsage                  bool
	counter                   rawjson.Counter
}

func (p *parser) value(c *rawjson.Cursor) {
	p.at = p.line.Offset + int64(c.Offset())
	if !c.Object() {
		c.Skip()
		return
	}
	var r record
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "type":
			first(c, &r.kind)
		case "agentId":
			first(c, &r.agent)
		case "model":
			first(c, &r.model)
		case "usageScope":
			first(c, &r.scope)
		case "time":
			if r.time == nil {
				r.time = c.Skip()
				continue
			}
			c.Skip()
		case "usage":
			r.usage(c)
		default:
			c.Skip()
		}
	}
	if c.Bad() || string(r.kind) != "usage.record" || !r.hasUsage || len(r.scope) > 0 && string(r.scope) != "turn" {
		return
	}
	p.keep(r)
}

// first reads a text member unless an equal key came before.
func first(c *rawjson.Cursor, into *[]byte) {
	text, _ := c.Text()
	if *into == nil {
		*into = text
	}
}

func (r *record) usage(c *rawjson.Cursor) {
	if r.hasUsage || c.Next() != '{' {
		c.Skip()
		return
	}
	r.hasUsage = true
	c.Object()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "inputOther":
			r.counter.Count(c, &r.counts.Input, 0)
		case "output":
			r.counter.Count(c, &r.counts.Output, 1)
		case "inputCacheRead":
			r.counter.Count(c, &r.counts.CacheRead, 2)
		case "inputCacheCreation":
			r.counter.Count(c, &r.counts.CacheWrite5m, 3)
		default:
			c.Skip()
		}
	}
}

func (p *parser) keep(r record) {
	f := p.file
	f.BadNumbers += r.counter.Bad
	row := transcript.Row{
		Line: p.line.Number, Offset: p.at, Session: f.Session, At: transcript.NoTime,
		Model: p.texts.Intern(rawjson.Unquote(r.model)), ID: p.texts.Intern(rawjson.Unquote(r.agent)), Counts: r.counts,
	}
	if ms, ok := rawjson.ParseCount(r.time); ok && ms > 0 && ms <= 1<<43 {
		row.N, row.TS = ms, transcript.FromUnixMilli(ms)
		row.At = transcript.Instant(row.TS)
	}
	f.Rows = append(f.Rows, row)
}

// key is what makes two records one: a fork copies the records of its parent
// with their times, so the session is no part of it. A record without a time
// is only itself.
type key struct {
	agent, model string
	time         int64
	counts       transcript.Counts
	file         int
	offset       int64
}

func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	base := len(events)
	var note transcript.Note
	owner := map[key]int{}
	for i, f := range files {
		note.Files++
		note.Bytes += f.Bytes
		note.SkippedLines += f.Skipped
		note.BadNumbers += f.BadNumbers
		for _, row := range f.Rows {
			if row.Counts.IsZero() {
				continue
			}
			k := key{agent: row.ID, model: row.Model, time: row.N, counts: row.Counts}
			if row.TS == "" {
				k.file, k.offset = i+1, row.Offset
			}
			if first, seen := owner[k]; seen {
				if e := &events[first]; e.File != i {
					e.Copies = append(e.Copies, i)
				}
				continue
			}
			owner[k] = len(events)
			events = append(events, transcript.Event{
				Provider: Provider, Session: row.Session, Agent: f.Agent, CWD: f.CWD, TS: row.TS, Model: row.Model, Counts: row.Counts,
				Source: transcript.Source{Path: f.Path, Line: row.Line}, At: row.At, File: i,
			})
		}
	}
	transcript.SortEvents(events[base:])
	return events, note
}
