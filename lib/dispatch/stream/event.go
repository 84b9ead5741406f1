package stream

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"okstra/lib/run"
)

// at is the value at a JSON pointer; the zero value when there is none. Keys
// are looked up one by one, so a name with a dot in it is just a name.
func at(event gjson.Result, pointer string) gjson.Result {
	if pointer == "" {
		return gjson.Result{}
	}
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		event = event.Get(gjson.Escape(key))
		if !event.Exists() {
			return gjson.Result{}
		}
	}
	return event
}

// event takes one valid JSON object.
func (r *Reader) event(raw []byte) {
	event := gjson.ParseBytes(raw)
	kind := at(event, r.rules.TypePointer).String()
	names := []string{kind}
	for _, key := range []string{"subtype", "type"} {
		if sub := event.Get(key); sub.Type == gjson.String && sub.Str != kind {
			names = append(names, kind+"/"+sub.Str)
		}
	}
	is := func(list []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
	}
	r.summary.Events++
	r.session(event, names)
	r.running.add(event)
	switch {
	case is(r.rules.Retry):
		r.summary.Retries++
		r.summary.InARow++
		r.failure(event)
	case is(r.rules.Good):
		r.terminal(event, kind, !saysError(event))
	case is(r.rules.Bad):
		r.terminal(event, kind, false)
	case is(r.rules.Harmless):
		// No failure, whatever it looks like.
	case kind == "error":
		r.failure(event)
	}
	if !is(r.rules.Retry) {
		r.summary.InARow = 0
	}
	r.usage(event)
	if text := readable(event, kind); text != "" {
		r.summary.Last = cut(firstLine(text))
		writeText(r.log, []byte(text+"\n"))
	}
}

func (r *Reader) session(event gjson.Result, names []string) {
	if r.rules.SessionEvent != "" && slices.Contains(names, r.rules.SessionEvent) {
		if id := at(event, r.rules.SessionPointer); id.Type == gjson.String && id.Str != "" {
			r.summary.SessionID = id.Str
		}
	}
	if r.summary.Cwd == "" {
		if cwd := event.Get("cwd"); cwd.Type == gjson.String {
			r.summary.Cwd = cwd.Str
		}
	}
}

// terminal records an event that ends the run. A later one replaces it: a CLI
// that goes on after an end has not ended.
func (r *Reader) terminal(event gjson.Result, kind string, good bool) {
	r.summary.Terminal, r.summary.Good = kind, good
	if denials := at(event, r.rules.DenialsPointer); denials.IsArray() {
		r.summary.Denials = len(denials.Array())
	} else if denials.Type == gjson.Number {
		r.summary.Denials = int(denials.Int())
	}
	stop := event.Get("stopReason").String()
	r.summary.Cancelled = stop == "cancelled" || stop == "canceled"
	if !good {
		r.failure(event)
	}
}

// saysError tells whether an event that ends a run well by its name says
// itself that it did not: claude's result has is_error beside a subtype
// "success", gemini's a status.
func saysError(event gjson.Result) bool {
	if event.Get("is_error").Type == gjson.True {
		return true
	}
	return event.Get("status").Str == "error" || strings.HasPrefix(event.Get("subtype").Str, "error")
}

// failure keeps the text of an error and the HTTP status in it, if any.
func (r *Reader) failure(event gjson.Result) {
	for _, path := range []string{"error.message", "message", "error", "result"} {
		if text := event.Get(path); text.Type == gjson.String && text.Str != "" {
			r.summary.Message = text.Str
			break
		}
	}
	for _, path := range []string{"api_error_status", "error_status", "error.status", "error.code", "status_code"} {
		if code := event.Get(path); code.Type == gjson.Number {
			n := int(code.Int())
			r.summary.APIStatus = &n
			return
		}
	}
	if n, ok := statusIn(r.summary.Message); ok && event.Exists() {
		r.summary.APIStatus = &n
	}
}

// statusIn finds an HTTP error status in a message such as "unexpected status
// 429 Too Many Requests" or "HTTP 503". A bare number is none.
func statusIn(text string) (int, bool) {
	lower := strings.ToLower(text)
	for _, word := range []string{"status", "http", "api error", "error code"} {
		for from := 0; ; {
			i := strings.Index(lower[from:], word)
			if i < 0 {
				break
			}
			from += i + len(word)
			rest := strings.TrimLeft(lower[from:], " :=code\"")
			if len(rest) >= 3 && (rest[0] == '4' || rest[0] == '5') && digits(rest[:3]) && (len(rest) == 3 || !digits(rest[3:4])) {
				return int(rest[0]-'0')*100 + int(rest[1]-'0')*10 + int(rest[2]-'0'), true
			}
		}
	}
	return 0, false
}

func digits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// usage takes the usage object of the event that reports it; until one does,
// what the single replies say stands. It also stands against a total of
// nothing, which Claude Code prints when it had to ask without a stream.
func (r *Reader) usage(event gjson.Result) {
	so, replied := r.running.total()
	if raw := at(event, r.rules.UsagePointer); raw.IsObject() {
		if counts, ok := Counts(raw); ok && (counts != run.Usage{} || !replied || so == run.Usage{}) {
			r.summary.Usage = &counts
			r.summary.RawUsage = json.RawMessage(bytes.Clone([]byte(raw.Raw)))
			r.running.final = true
			return
		}
	}
	if replied {
		r.summary.Usage = &so
	}
}
