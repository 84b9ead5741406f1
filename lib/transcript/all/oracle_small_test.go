package all_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/transcript"
)

// event begins an event at an entry.
func (e *entry) event(provider, session, ts, model string, c transcript.Counts) transcript.Event {
	return transcript.Event{
		Provider: provider, Session: session, TS: ts, Model: model, Counts: c, File: e.file,
		Source: transcript.Source{Path: e.doc.path, Line: e.line},
	}
}

// carved takes the cached parts out of the input, no part larger than the rest.
func carved(c transcript.Counts) transcript.Counts {
	c.CacheRead = min(c.CacheRead, c.Input)
	c.CacheWrite5m = min(c.CacheWrite5m, c.Input-c.CacheRead)
	c.Input -= c.CacheRead + c.CacheWrite5m
	c.Reasoning = min(c.Reasoning, c.Output)
	return c
}

// when reads a time that is a whole number of units, or of seconds also one with a
// fraction; 0 and less is none.
func when(v any, unit int64) (ms int64, ok bool) {
	number, _ := v.(json.Number)
	if n, whole := integral(string(number)); whole {
		if n == 0 || n > (1<<43)/unit {
			return 0, false
		}
		return n * unit, true
	}
	f, err := number.Float64()
	f = math.Round(f * 1000)
	if err != nil || unit == 1 || f < 1 || f > 1<<43 {
		return 0, false
	}
	return int64(f), true
}

func zulu(ms int64) string {
	return time.Unix(0, 0).UTC().Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
}

type grokRow struct {
	*entry
	session, id, model, key string
	envelope, at            int64
	sent, dated             bool
	counts                  transcript.Counts
	calls                   int64
	incomplete              bool
}

func oracleGrok(docs []document) (j judgement) {
	var rows []*grokRow
	for _, e := range entries(docs, &j) {
		rows = append(rows, grokRows(e)...)
		j.bad += *e.bad
	}
	done := map[string]bool{}
	for _, r := range rows {
		if done[r.key] {
			continue
		}
		done[r.key] = true
		own := r
		for _, copied := range rows {
			if copied.key == r.key && copied.sent && (!own.sent || copied.envelope < own.envelope) {
				own = copied
			}
		}
		e := own.event("grok", own.session, "", first(own.model, own.doc.model), carved(own.counts))
		if own.dated {
			e.TS = zulu(own.at)
		}
		if own.calls > 1 {
			e.Calls = own.calls
		}
		e.CWD, e.Incomplete = grokFolder(own.doc.path), own.incomplete
		if e.Total() > 0 && !(own.doc.child && toldByParent(own, rows)) {
			j.events = append(j.events, e)
		}
	}
	return j
}

// toldByParent reports whether the parent wrote a record at or after a row.
func toldByParent(r *grokRow, rows []*grokRow) bool {
	for _, p := range rows {
		if folder(p.doc.path) == r.doc.parent && p.dated && (!r.dated || p.at >= r.at) {
			return true
		}
	}
	return false
}

func grokFolder(path string) string {
	cwd, err := url.PathUnescape(folder(filepath.Dir(path)))
	if err != nil || !strings.HasPrefix(cwd, "/") {
		return ""
	}
	return cwd
}

func grokRows(e *entry) (rows []*grokRow) {
	update, meta := get(e.value, "params", "update"), get(e.value, "params", "_meta")
	usage := get(update, "usage")
	if text(update, "sessionUpdate") != "turn_completed" || !isObject(usage) {
		return nil
	}
	base := grokRow{
		entry: e, session: first(text(e.value, "params", "sessionId"), folder(e.doc.path)), incomplete: get(usage, "usageIsIncomplete") == true,
		id: first(text(update, "prompt_id"), text(update, "promptId"), text(meta, "prompt_id"), text(meta, "promptId"), text(meta, "eventId")),
	}
	base.envelope, base.sent = when(get(e.value, "timestamp"), 1000)
	if base.at, base.dated = when(get(meta, "agentTimestampMs"), 1); !base.dated {
		base.at, base.dated = base.envelope, base.sent
	}
	add := func(kind, model string, c transcript.Counts, calls int64) *grokRow {
		r := base
		r.model, r.counts, r.calls = model, c, calls
		r.key = fmt.Sprintf("%s %q %q", kind, model, r.id)
		if r.id == "" {
			r.key += fmt.Sprint(" at ", e.file, " ", e.number)
		}
		rows = append(rows, &r)
		return &r
	}
	rest, calls := grokCounts(e, usage)
	models, _ := get(usage, "modelUsage").(objectValue)
	named := map[string]bool{}
	for _, m := range models.members {
		model := strings.TrimPrefix(m.key, `\`)
		if !isObject(m.value) || named[model] {
			continue
		}
		named[model] = true
		c, n := grokCounts(e, m.value)
		add("model", model, c, n)
		rest = transcript.Counts{
			Input: max(0, rest.Input-c.Input), CacheRead: max(0, rest.CacheRead-c.CacheRead), CacheWrite5m: max(0, rest.CacheWrite5m-c.CacheWrite5m),
			Output: max(0, rest.Output-c.Output), Reasoning: max(0, rest.Reasoning-c.Reasoning),
		}
		calls = max(0, calls-n)
	}
	switch {
	case len(named) == 0:
		add("top", "", rest, calls)
	case rest != transcript.Counts{}:
		add("rest", "", rest, calls).incomplete = true
	}
	return rows
}

func grokCounts(e *entry, v any) (transcript.Counts, int64) {
	return transcript.Counts{
		Input: e.count(v, "inputTokens"), Output: e.count(v, "outputTokens"), CacheRead: e.count(v, "cachedReadTokens"),
		CacheWrite5m: e.count(v, "cacheCreationTokens"), Reasoning: e.count(v, "reasoningTokens"),
	}, e.count(v, "modelCalls")
}

func oracleKimi(docs []document) (j judgement) {
	type row struct{ session, id, ts, counts string }
	var rows []row
	for _, e := range entries(docs, &j) {
		message := get(e.value, "message")
		if text(message, "type") == "SubagentEvent" && isObject(get(message, "payload", "event")) {
			message = get(message, "payload", "event")
		}
		usage := get(message, "payload", "token_usage")
		if text(message, "type") != "StatusUpdate" || !isObject(usage) {
			continue
		}
		c := transcript.Counts{
			Input: e.count(usage, "input_other"), Output: e.count(usage, "output"),
			CacheRead: e.count(usage, "input_cache_read"), CacheWrite5m: e.count(usage, "input_cache_creation"),
		}
		j.bad += *e.bad
		r := row{kimiSession(e.doc.path), text(message, "payload", "message_id"), kimiTime(get(e.value, "timestamp")), fmt.Sprint(c)}
		known := c.Total() == 0
		for _, o := range rows {
			if o.id == r.id && o.counts == r.counts {
				same := o.session == r.session && (r.id != "" || o.ts == r.ts)
				known = known || same || o.ts == r.ts && r.ts != ""
			}
		}
		rows = append(rows, r)
		if !known {
			j.events = append(j.events, e.event("kimi", r.session, r.ts, "", c))
		}
	}
	return j
}

func kimiSession(path string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 4; i >= 0; i-- {
		if parts[i] == "sessions" {
			return parts[i+2]
		}
	}
	return folder(path)
}

// kimiTime writes seconds with a fraction as a time, to the nanosecond.
func kimiTime(v any) string {
	number, _ := v.(json.Number)
	whole, fraction, _ := strings.Cut(string(number), ".")
	if strings.ContainsAny(string(number), "eE-") || len(number) > 40 || len(whole) > 10 || whole == "" {
		return ""
	}
	nanos := int64(0)
	for i := range 9 {
		digit := int64(0)
		if i < len(fraction) {
			digit = int64(fraction[i] - '0')
		}
		nanos = nanos*10 + digit
	}
	seconds := int64(0)
	for _, d := range whole {
		seconds = seconds*10 + int64(d-'0')
	}
	if seconds == 0 && strings.Trim(fraction, "0") == "" || seconds > 9_223_372_035 {
		return ""
	}
	return time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds)*time.Second + time.Duration(nanos)).Format(time.RFC3339Nano)
}

func oracleKimiCode(docs []document) (j judgement) {
	seen := map[string]bool{}
	for _, e := range entries(docs, &j) {
		usage := get(e.value, "usage")
		if scope := text(e.value, "usageScope"); text(e.value, "type") != "usage.record" || !isObject(usage) || scope != "" && scope != "turn" {
			continue
		}
		c := transcript.Counts{
			Input: e.count(usage, "inputOther"), Output: e.count(usage, "output"),
			CacheRead: e.count(usage, "inputCacheRead"), CacheWrite5m: e.count(usage, "inputCacheCreation"),
		}
		j.bad += *e.bad
		session, model, agent := "", text(e.value, "model"), text(e.value, "agentId")
		for part := range strings.SplitSeq(e.doc.path, "/") {
			if id, ok := strings.CutPrefix(part, "session_"); ok && session == "" {
				session = id
			}
		}
		ms, dated := when(get(e.value, "time"), 1)
		key := fmt.Sprintf("%q %q %v", agent, model, c)
		ts := ""
		if dated {
			ts = zulu(ms)
			key += ts
		} else {
			key += fmt.Sprint(" at ", e.file, " ", e.number)
		}
		if !seen[key] && c.Total() > 0 {
			j.events = append(j.events, e.event("kimi", session, ts, model, c))
		}
		seen[key] = true
	}
	return j
}

func oracleGemini(docs []document) (j judgement) {
	messages := map[string]*transcript.Event{}
	var order []*transcript.Event
	for i := range docs {
		session := ""
		type row struct {
			*entry
			value any
		}
		var rows []row
		keep := func(e *entry, v any) {
			if text(v, "type") == "gemini" && (isObject(get(v, "tokens")) || text(v, "id") != "") {
				rows = append(rows, row{e, v})
			}
		}
		for _, e := range geminiEntries(docs, i, &j) {
			for _, list := range lists(e.value) {
				for _, v := range list {
					in := *e
					if o, ok := v.(objectValue); ok && in.line == 0 { // a document: where it stands
						body := bytes.TrimPrefix([]byte(docs[i].text), []byte("\ufeff"))
						body = bytes.TrimLeft(body, " \t\r\n")
						skipped := strings.Count(docs[i].text, "\n") - bytes.Count(body, []byte("\n"))
						in.line = 1 + skipped + bytes.Count(body[:o.at], []byte("\n"))
					}
					keep(&in, v)
				}
			}
			own := *e
			own.line = cmp.Or(own.line, 1)
			keep(&own, e.value)
			session = first(session, text(e.value, "sessionId"))
		}
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(docs[i].path), ".json"), ".jsonl")
		session = first(session, name)
		for n, r := range rows {
			key := fmt.Sprintf("%q %q", session, text(r.value, "id"))
			if text(r.value, "id") == "" {
				key = fmt.Sprint("row ", i, " ", n)
			}
			m := messages[key]
			if m == nil {
				e := r.event("gemini", session, text(r.value, "timestamp"), "", transcript.Counts{})
				m = &e
				messages[key] = m
				order = append(order, m)
			}
			m.Model = first(text(r.value, "model"), m.Model)
			if tokens := get(r.value, "tokens"); isObject(tokens) {
				in, cached, thoughts := r.count(tokens, "input"), r.count(tokens, "cached"), r.count(tokens, "thoughts")
				cached = min(cached, in)
				m.Counts = transcript.Counts{
					Input: min(in-cached+r.count(tokens, "tool"), 1<<53), CacheRead: cached,
					Output: min(r.count(tokens, "output")+thoughts, 1<<53), Reasoning: thoughts,
				}
				j.bad += *r.bad
				*r.bad = 0
			}
		}
	}
	for _, m := range order {
		if m.Total() > 0 {
			j.events = append(j.events, *m)
		}
	}
	return j
}

// lists are the lists of messages in a row, in the order of its keys.
func lists(v any) (out [][]any) {
	o, _ := v.(objectValue)
	direct, _ := get(v, "messages").([]any)
	set, _ := get(v, "$set", "messages").([]any)
	for _, m := range o.members {
		if m.key == "messages" {
			out, direct = append(out, direct), nil
		}
		if m.key == "$set" {
			out, set = append(out, set), nil
		}
	}
	return out
}

// geminiEntries takes a file for one document if it is an object with a list
// of messages, else for lines. The line of a document is left at 0.
func geminiEntries(docs []document, i int, j *judgement) (own []*entry) {
	body := bytes.TrimPrefix([]byte(docs[i].text), []byte("\ufeff"))
	if v, end, ok := parse(body); ok && len(bytes.Trim(body[end:], " \t\r\n")) == 0 {
		_, direct := get(v, "messages").([]any)
		_, set := get(v, "$set", "messages").([]any)
		if direct || set {
			return []*entry{{file: i, doc: &docs[i], value: v, bad: new(int64)}}
		}
	}
	one := judgement{}
	for _, e := range entries(docs[i:i+1], &one) {
		e.file, e.doc = i, &docs[i]
		own = append(own, e)
	}
	j.unread += one.unread
	return own
}
