// Package grok reads the session folders of Grok.
//
// One record is one prompt: the use of all model calls that it took, sub-agents
// included. A session's use is the sum of its records. Rules: docs/usage.md,
// "Grok".
package grok

import (
	"encoding/json"
	"io"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "grok"

// Reader reads Grok sessions. Rows: ID is the prompt id, else the event id;
// Counts are as written (the cached parts inside the input); N is the envelope's
// time in milliseconds, M the number of model calls.
var Reader = transcript.Reader{
	Provider: Provider, Version: "grok/3", Source: "grok-updates",
	Scan: scan, Fold: fold, Roots: roots, Beside: beside, Lineage: true,
}

// Row kinds.
const (
	rowModel = iota // the use of one model
	rowTop          // the whole record, which names no models
	rowRest         // what the models' shares leave of the whole record
)

const flagIncomplete = 1

func roots(h transcript.Home) []transcript.Root {
	dir := h.Or("GROK_HOME", ".grok")
	if dir == "" {
		return nil
	}
	return []transcript.Root{{Dir: filepath.Join(dir, "sessions"), Match: IsUpdates}}
}

// IsUpdates reports whether a path is that of a session's record.
func IsUpdates(path string) bool {
	base := filepath.Base(path)
	return base == "updates.jsonl" || base == "updates.jsonl.zst"
}

var needle = lines.NewNeedle('_', `"turn_completed"`)

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	if f.Session == "" {
		f.Session = filepath.Base(filepath.Dir(f.Path))
	}
	if f.CWD == "" {
		f.CWD = cwdOfFolder(filepath.Base(filepath.Dir(filepath.Dir(f.Path))))
	}
	p := parser{file: f, texts: &s.Texts}
	return lines.Walk(r, f, s, needle, func(l lines.Line) {
		p.line = l
		l.Values(f, p.value)
	})
}

// cwdOfFolder undoes the encoding of a working directory in a folder's name.
func cwdOfFolder(name string) string {
	cwd, err := url.PathUnescape(name)
	if err != nil || !filepath.IsAbs(cwd) {
		return ""
	}
	return cwd
}

// beside reads the session's summary: the model in use, and whose child it is.
// A folder name too long for the working directory keeps it in a file.
func beside(f *transcript.File) {
	dir := filepath.Dir(f.Path)
	var summary struct {
		Model  string `json:"current_model_id"`
		Kind   string `json:"session_kind"`
		Parent string `json:"parent_session_id"`
	}
	if text, err := transcript.ReadRegular(filepath.Join(dir, "summary.json")); err == nil && json.Unmarshal(text, &summary) == nil {
		f.Model, f.Parent, f.Child = summary.Model, summary.Parent, strings.HasPrefix(summary.Kind, "subagent")
	}
	if f.CWD == "" {
		if text, err := transcript.ReadRegular(filepath.Join(filepath.Dir(dir), ".cwd")); err == nil {
			f.CWD = strings.TrimSpace(string(text))
		}
	}
}

type parser struct {
	file  *transcript.File
	texts *transcript.Texts
	line  lines.Line
	at    int64 // where the value at hand begins
}

// record is a line's members that matter.
type record struct {
	session, kind   []byte
	ids             [5][]byte // what names the record, the best name first
	envelope, agent int64     // milliseconds; -1 when it is no time, 0 when missing
	usage           use
	hasUsage        bool
}

// use is a usage object, or one model's share of it.
type use struct {
	model      []byte
	counts     transcript.Counts
	calls      int64
	incomplete bool
	counter    rawjson.Counter
	models     []use
}

func (p *parser) value(c *rawjson.Cursor) {
	p.at = p.line.Offset + int64(c.Offset())
	if !c.Object() {
		c.Skip()
		return
	}
	var r record
	paramsSeen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "timestamp" && r.envelope == 0:
			r.envelope = milliseconds(c, 1000)
		case string(key) == "params" && !paramsSeen:
			paramsSeen = true
			r.params(c)
		default:
			c.Skip()
		}
	}
	if !c.Bad() && string(r.kind) == "turn_completed" && r.hasUsage {
		p.keep(&r)
	}
}

// latest is in the year 2248; what lies behind it is no time of a transcript.
const latest = 1 << 43

// milliseconds reads a number of units of so many milliseconds: a whole one, or of
// seconds also one with a fraction.
func milliseconds(c *rawjson.Cursor, unit int64) int64 {
	raw := c.Skip()
	n, whole := rawjson.ParseCount(raw)
	if whole && n > 0 && n <= latest/unit {
		return n * unit
	}
	if whole || unit == 1 || len(raw) == 0 || raw[0]-'0' > 9 {
		return -1
	}
	seconds, err := strconv.ParseFloat(string(raw), 64)
	if ms := math.Round(seconds * float64(unit)); err == nil && ms >= 1 && ms <= latest {
		return int64(ms)
	}
	return -1
}

func (r *record) params(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var updateSeen, metaSeen bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "sessionId":
			c.FirstText(&r.session)
		case string(key) == "update" && !updateSeen:
			updateSeen = true
			r.update(c)
		case string(key) == "_meta" && !metaSeen:
			metaSeen = true
			r.meta(c)
		default:
			c.Skip()
		}
	}
}

func (r *record) update(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	usageSeen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "sessionUpdate":
			c.FirstText(&r.kind)
		case string(key) == "prompt_id":
			c.FirstText(&r.ids[0])
		case string(key) == "promptId":
			c.FirstText(&r.ids[1])
		case string(key) == "usage" && !usageSeen:
			usageSeen = true
			if c.Next() == '{' {
				r.hasUsage = true
				r.usage.read(c)
				continue
			}
			c.Skip()
		default:
			c.Skip()
		}
	}
}

func (r *record) meta(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "prompt_id":
			c.FirstText(&r.ids[2])
		case string(key) == "promptId":
			c.FirstText(&r.ids[3])
		case string(key) == "eventId":
			c.FirstText(&r.ids[4])
		case string(key) == "agentTimestampMs" && r.agent == 0:
			r.agent = milliseconds(c, 1)
		default:
			c.Skip()
		}
	}
}

func (u *use) read(c *rawjson.Cursor) {
	c.Object()
	var modelsSeen, incompleteSeen bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "inputTokens":
			u.counter.Count(c, &u.counts.Input, 0)
		case "outputTokens":
			u.counter.Count(c, &u.counts.Output, 1)
		case "cachedReadTokens":
			u.counter.Count(c, &u.counts.CacheRead, 2)
		case "cacheCreationTokens":
			u.counter.Count(c, &u.counts.CacheWrite5m, 3)
		case "reasoningTokens":
			u.counter.Count(c, &u.counts.Reasoning, 4)
		case "modelCalls":
			u.counter.Count(c, &u.calls, 5)
		case "usageIsIncomplete":
			is := c.True()
			if !incompleteSeen {
				u.incomplete, incompleteSeen = is, true
			}
		case "modelUsage":
			if modelsSeen {
				c.Skip()
				continue
			}
			modelsSeen = true
			u.readModels(c)
		default:
			c.Skip()
		}
	}
}

func (u *use) readModels(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		one := use{model: rawjson.Unquote(key)}
		if c.Next() != '{' || slices.ContainsFunc(u.models, func(m use) bool { return string(m.model) == string(one.model) }) {
			c.Skip()
			continue
		}
		one.read(c)
		u.models = append(u.models, one)
	}
}

// name is the best name that the record has.
func (r *record) name() []byte {
	for _, id := range r.ids {
		if len(id) > 0 {
			return id
		}
	}
	return nil
}

// keep appends a row per model, and one for what the models leave unexplained.
func (p *parser) keep(r *record) {
	f, t, u := p.file, p.texts, &r.usage
	base := transcript.Row{
		Line: p.line.Number, Offset: p.at, N: r.envelope, At: transcript.NoTime,
		Session: t.Intern(rawjson.Unquote(r.session)),
		ID:      t.Keep(rawjson.Unquote(r.name())),
	}
	if base.Session == "" {
		base.Session = f.Session
	}
	ms := r.agent
	if ms <= 0 {
		ms = r.envelope
	}
	if ms > 0 {
		base.TS = transcript.FromUnixMilli(ms)
		base.At = transcript.Instant(base.TS)
	}
	if u.incomplete {
		base.Flags = flagIncomplete
	}
	f.BadNumbers += u.counter.Bad
	add := func(kind uint8, model string, counts transcript.Counts, calls int64) {
		row := base
		row.Kind, row.Model, row.Counts, row.M = kind, model, counts, calls
		f.Rows = append(f.Rows, row)
	}
	if len(u.models) == 0 {
		add(rowTop, "", u.counts, u.calls)
		return
	}
	rest, calls := u.counts, u.calls
	for i := range u.models {
		m := &u.models[i]
		f.BadNumbers += m.counter.Bad
		add(rowModel, t.Intern(m.model), m.counts, m.calls)
		rest, calls = less(rest, m.counts), max(0, calls-m.calls)
	}
	if !rest.IsZero() {
		base.Flags = flagIncomplete
		add(rowRest, "", rest, calls)
	}
}

// less is what b leaves of a, no bucket below 0.
func less(a, b transcript.Counts) transcript.Counts {
	return transcript.Counts{
		Input: max(0, a.Input-b.Input), CacheRead: max(0, a.CacheRead-b.CacheRead), CacheWrite5m: max(0, a.CacheWrite5m-b.CacheWrite5m),
		Output: max(0, a.Output-b.Output), Reasoning: max(0, a.Reasoning-b.Reasoning),
	}
}
