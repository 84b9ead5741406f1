package stream

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"okstra/lib/run"
)

// names are what an event is called in rules: its kind, and that with what it
// says more closely.
type names struct {
	list [3]string
	n    int
}

func (n *names) add(name string) { n.list[n.n], n.n = name, n.n+1 }

func (n *names) in(list []string) bool {
	for _, name := range n.list[:n.n] {
		if slices.Contains(list, name) {
			return true
		}
	}
	return false
}

// event takes one valid JSON object.
func (r *Reader) event(raw []byte) {
	event := &r.object
	event.read(raw)
	r.take(event)
}

func (r *Reader) take(event *object) {
	kind := event.at(r.rules.TypePointer).Str // of a text; anything else names no event
	var called names
	called.add(kind)
	for _, key := range [...]string{"subtype", "type"} {
		if sub := event.get(key); sub.Type == gjson.String && sub.Str != kind {
			called.add(kind + "/" + sub.Str)
		}
	}
	r.summary.Events++
	r.session(event, &called)
	r.running.add(event)
	again := called.in(r.rules.Retry)
	switch {
	case again:
		r.summary.Retries++
		r.summary.InARow++
		r.failure(event)
	case called.in(r.rules.Good):
		r.terminal(event, kind, !saysError(event))
	case called.in(r.rules.Bad):
		r.terminal(event, kind, false)
	case called.in(r.rules.Harmless):
		// No failure, whatever it looks like.
	case kind == "error":
		r.failure(event)
	}
	if !again {
		r.summary.InARow = 0
	}
	r.usage(event)
	if text := readable(event, kind); text != "" {
		r.last = text
		r.out = append(append(r.out[:0], text...), '\n')
		writeText(r.log, r.out)
	}
}

func (r *Reader) session(event *object, called *names) {
	if r.rules.SessionEvent != "" && called.in([]string{r.rules.SessionEvent}) {
		if id := event.at(r.rules.SessionPointer); id.Type == gjson.String && id.Str != "" {
			r.summary.SessionID = id.Str
		}
	}
	if r.summary.Cwd == "" {
		if cwd := event.get("cwd"); cwd.Type == gjson.String {
			r.summary.Cwd = cwd.Str
		}
	}
}

// terminal records an event that ends the run. A later one replaces it: a CLI
// that goes on after an end has not ended.
func (r *Reader) terminal(event *object, kind string, good bool) {
	r.summary.Terminal, r.summary.Good = kind, good
	if denials := event.at(r.rules.DenialsPointer); denials.IsArray() {
		r.summary.Denials = len(denials.Array())
	} else if denials.Type == gjson.Number {
		r.summary.Denials = int(max(0, min(denials.Int(), math.MaxInt32)))
	}
	stop := event.get("stopReason").String()
	r.summary.Cancelled = stop == "cancelled" || stop == "canceled"
	if !good {
		r.failure(event)
	}
}

// saysError tells whether an event that ends a run well by its name says
// itself that it did not: claude's result has is_error beside a subtype
// "success", gemini's a status.
//
// A field of another type than it should have says nothing that can be relied
// on, so it is no good end either.
func saysError(event *object) bool {
	if failed := event.get("is_error"); failed.Exists() && failed.Type != gjson.False {
		return true
	}
	status, subtype := event.get("status"), event.get("subtype")
	return !isTextOrNull(status) || !isTextOrNull(subtype) || status.Str == "error" || strings.HasPrefix(subtype.Str, "error")
}

// isTextOrNull tells whether a field is a text, or not there.
func isTextOrNull(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Null }

// failure keeps the text of an error and the HTTP status in it, if any.
func (r *Reader) failure(event *object) {
	for _, path := range []string{"error.message", "message", "error", "result"} {
		if text := event.get(path); text.Type == gjson.String && text.Str != "" {
			r.summary.Message = text.Str
			break
		}
	}
	for _, path := range []string{"api_error_status", "error_status", "error.status", "error.code", "status_code"} {
		if code := event.get(path); code.Type == gjson.Number {
			n := int(code.Int())
			r.summary.APIStatus = &n
			return
		}
	}
	if n, ok := statusIn(r.summary.Message); ok {
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
func (r *Reader) usage(event *object) {
	so, replied := r.running.total()
	if raw := event.at(r.rules.UsagePointer); raw.IsObject() {
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
