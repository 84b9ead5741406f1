// Package kimi reads the wire files of the legacy Kimi CLI.
//
// A sub-agent's status updates stand in its own wire file and mirrored in its
// parent's; forks copy both. No file names the model. Rules: docs/usage.md,
// "Kimi, legacy".
package kimi

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/big"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "kimi"

// Reader reads legacy Kimi sessions. Rows: ID is the message id.
var Reader = transcript.Reader{
	Provider: Provider, Version: "kimi/1", Source: "kimi-wire", Model: "kimi-k3",
	Scan: scan, Fold: fold, Roots: roots, Beside: beside,
}

func roots(h transcript.Home) []transcript.Root {
	dir := h.Or("KIMI_SHARE_DIR", ".kimi")
	if dir == "" {
		return nil
	}
	return []transcript.Root{{Dir: filepath.Join(dir, "sessions"), Match: isWire}}
}

func isWire(path string) bool {
	base := filepath.Base(path)
	return base == "wire.jsonl" || base == "wire.jsonl.zst"
}

// places are the folders of a wire file: sessions/<cwd>/<session>/…/wire.jsonl,
// as far as the path says.
func places(path string) (share, cwd, session string) {
	parts := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
	for i := len(parts) - 3; i >= 0; i-- {
		if parts[i] == "sessions" {
			return strings.Join(parts[:i], "/"), parts[i+1], parts[i+2]
		}
	}
	return "", "", parts[len(parts)-1]
}

// beside looks the working directory up: the folder is named by its digest.
func beside(f *transcript.File) {
	share, folder, _ := places(f.Path)
	if share == "" {
		return
	}
	var known struct {
		Dirs []struct {
			Path string `json:"path"`
		} `json:"work_dirs"`
	}
	text, err := transcript.ReadRegular(filepath.Join(filepath.FromSlash(share), "kimi.json"))
	if err != nil || json.Unmarshal(text, &known) != nil {
		return
	}
	for _, d := range known.Dirs {
		sum := md5.Sum([]byte(d.Path))
		if digest := hex.EncodeToString(sum[:]); folder == digest || strings.HasSuffix(folder, "_"+digest) {
			f.CWD = d.Path
			return
		}
	}
}

var needle = lines.NewNeedle('_', `"token_usage"`)

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	if f.Session == "" {
		_, _, f.Session = places(f.Path)
	}
	p := parser{file: f, texts: &s.Texts}
	return lines.Walk(r, f, s, needle, func(l lines.Line) {
		p.line = l
		l.Values(f, p.value)
	})
}

type parser struct {
	file  *transcript.File
	texts *transcript.Texts
	line  lines.Line
}

// message is a message, or the event that a sub-agent's message wraps.
type message struct {
	typ       []byte
	id        []byte
	counts    transcript.Counts
	counter   rawjson.Counter
	hasUsage  bool
	inner     *message
	usageSeen bool
}

func (p *parser) value(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var ts []byte
	var m message
	seen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "timestamp" && ts == nil:
			ts = c.Skip()
		case string(key) == "message" && !seen:
			seen = true
			m.read(c)
		default:
			c.Skip()
		}
	}
	if c.Bad() {
		return
	}
	if string(m.typ) == "SubagentEvent" && m.inner != nil {
		m = *m.inner
	}
	if string(m.typ) != "StatusUpdate" || !m.hasUsage {
		return
	}
	f := p.file
	f.BadNumbers += m.counter.Bad
	row := transcript.Row{
		Line: p.line.Number, Offset: p.line.Offset, Session: f.Session,
		ID: p.texts.Keep(rawjson.Unquote(m.id)), Counts: m.counts, TS: stamp(ts),
	}
	row.At = transcript.Instant(row.TS)
	f.Rows = append(f.Rows, row)
}

// read reads {type, payload}.
func (m *message) read(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	seen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "type":
			c.FirstText(&m.typ)
		case string(key) == "payload" && !seen:
			seen = true
			m.payload(c)
		default:
			c.Skip()
		}
	}
}

func (m *message) payload(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "message_id":
			c.FirstText(&m.id)
		case string(key) == "event" && m.inner == nil:
			m.inner = new(message)
			m.inner.read(c)
		case string(key) == "token_usage" && !m.usageSeen:
			m.usageSeen = true
			m.usage(c)
		default:
			c.Skip()
		}
	}
}

func (m *message) usage(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip() // null: nothing has changed
		return
	}
	m.hasUsage = true
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "input_other":
			m.counter.Count(c, &m.counts.Input, 0)
		case "output":
			m.counter.Count(c, &m.counts.Output, 1)
		case "input_cache_read":
			m.counter.Count(c, &m.counts.CacheRead, 2)
		case "input_cache_creation":
			m.counter.Count(c, &m.counts.CacheWrite5m, 3)
		default:
			c.Skip()
		}
	}
}

// stamp turns seconds since 1970, a fraction included, into a time. The digits
// are moved, not rounded through a float.
func stamp(raw []byte) string {
	if len(raw) == 0 || len(raw) > 40 || strings.ContainsAny(string(raw), "eE\"") {
		return ""
	}
	v, ok := new(big.Rat).SetString(string(raw))
	if !ok || v.Sign() <= 0 {
		return ""
	}
	v.Mul(v, big.NewRat(int64(time.Second), 1))
	nanos := new(big.Int).Quo(v.Num(), v.Denom())
	if !nanos.IsInt64() {
		return ""
	}
	return time.Unix(0, nanos.Int64()).UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// inSession is what makes a mirror and the child's own row one; acrossSessions
// what makes a fork's copy and its original one.
type inSession struct {
	session, id, ts string
	counts          transcript.Counts
}

type acrossSessions struct {
	ts, id string
	counts transcript.Counts
}

func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	var note transcript.Note
	base := len(events)
	near, far := make(map[inSession]int), make(map[acrossSessions]int)
	for i, f := range files {
		note = note.Add(transcript.Note{Files: 1, Bytes: f.Bytes, SkippedLines: f.Skipped, BadNumbers: f.BadNumbers})
		for k := range f.Rows {
			row := &f.Rows[k]
			if row.Counts.Total() == 0 {
				continue
			}
			n := inSession{session: row.Session, id: row.ID, counts: row.Counts}
			if row.ID == "" {
				n.ts = row.TS
			}
			x := acrossSessions{row.TS, row.ID, row.Counts}
			first, seen := near[n]
			if !seen && row.TS != "" {
				first, seen = far[x]
			}
			if seen {
				near[n], far[x] = first, first
				if e := &events[first]; e.File != i && (len(e.Copies) == 0 || e.Copies[len(e.Copies)-1] != i) {
					e.Copies = append(e.Copies, i)
				}
				continue
			}
			near[n], far[x] = len(events), len(events)
			events = append(events, transcript.Event{
				Provider: Provider, Session: row.Session, CWD: f.CWD, TS: row.TS, At: row.At, Counts: row.Counts,
				Source: transcript.Source{Path: f.Path, Line: row.Line}, File: i,
			})
		}
	}
	transcript.SortEvents(events[base:])
	return events, note
}
