// Package transcript holds what the readers of the providers' transcripts share:
// the usage event, the rows a first pass keeps of a file, and where homes are.
//
// A reader works in two passes. Pass 1 ([Reader.Scan]) keeps, per file, the few
// rows that say something about usage, unwindowed and with every repeat. Pass 2
// ([Reader.Fold]) sees the rows of all files together and decides what counts
// once. Only rows are cached, so an answer never depends on what was cached.
// Rules: docs/usage.md, "What is counted".
package transcript

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// Counts are the token counts of one model reply. The first five buckets are
// disjoint; Reasoning is a part of Output and belongs to no sum.
type Counts struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cacheRead"`
	CacheWrite5m int64 `json:"cacheWrite5m"`
	CacheWrite1h int64 `json:"cacheWrite1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

// Total is the sum of the five disjoint buckets. It stops at the largest
// int64 instead of wrapping.
func (c Counts) Total() int64 {
	return addAll(c.Input, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h, c.Output)
}

// Prompt is what the model was sent: everything but the output.
func (c Counts) Prompt() int64 {
	return addAll(c.Input, c.CacheRead, c.CacheWrite5m, c.CacheWrite1h)
}

// IsZero reports whether every count, reasoning included, is 0.
func (c Counts) IsZero() bool { return c == Counts{} }

// Add returns the bucket-wise sum, each bucket saturating.
func (c Counts) Add(d Counts) Counts {
	return Counts{
		Input:        AddSat(c.Input, d.Input),
		CacheRead:    AddSat(c.CacheRead, d.CacheRead),
		CacheWrite5m: AddSat(c.CacheWrite5m, d.CacheWrite5m),
		CacheWrite1h: AddSat(c.CacheWrite1h, d.CacheWrite1h),
		Output:       AddSat(c.Output, d.Output),
		Reasoning:    AddSat(c.Reasoning, d.Reasoning),
	}
}

// AddSat adds two non-negative numbers and stops at the largest int64: a sum
// of absurd counts must not come out negative.
func AddSat(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

func addAll(n ...int64) int64 {
	var sum int64
	for _, v := range n {
		sum = AddSat(sum, v)
	}
	return sum
}

// Source is where the row that owns an event stands.
type Source struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// Event is the usage of one model reply (of one prompt where a provider
// records no finer), counted once however often the transcripts repeat it.
type Event struct {
	Provider string `json:"provider"`
	Session  string `json:"session"`
	Agent    string `json:"agent"` // empty when not known
	CWD      string `json:"cwd"`   // empty when not known
	TS       string `json:"ts"`    // RFC 3339, with the transcript's own digits
	Model    string `json:"model"`
	Counts
	Speed       string `json:"speed,omitempty"`       // "fast" or empty
	Placeholder bool   `json:"placeholder,omitempty"` // the final usage never reached the file: a lower bound
	Calls       int64  `json:"calls,omitempty"`       // model calls folded into the event; 0 means one
	Incomplete  bool   `json:"incomplete,omitempty"`  // the provider says so itself
	Source      Source `json:"source"`

	// Kind is the kind of transcript, as blocks name it, and Assumed the model to
	// take where neither the transcript nor the dispatch names one.
	Kind    string `json:"-"`
	Assumed string `json:"-"`

	// At is TS as an instant, or NoTime. File indexes the folded files and
	// Copies lists the other files holding a copy: both serve attribution and
	// are no part of the printed event.
	At     int64 `json:"-"`
	File   int   `json:"-"`
	Copies []int `json:"-"`
}

// ModelCalls is Calls with its default.
func (e *Event) ModelCalls() int64 { return max(1, e.Calls) }

// AppendJSON appends the event as one JSON object, byte for byte what
// encoding/json makes of it without HTML escaping. It exists because a scan
// prints tens of thousands of events in the time a reflective encoder needs for
// a few thousand.
func (e *Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"provider":`...)
	b = AppendString(b, e.Provider)
	for _, f := range [...]struct{ key, text string }{
		{`,"session":`, e.Session},
		{`,"agent":`, e.Agent},
		{`,"cwd":`, e.CWD},
		{`,"ts":`, e.TS},
		{`,"model":`, e.Model},
	} {
		b = AppendString(append(b, f.key...), f.text)
	}
	for _, f := range [...]number{
		{`,"input":`, e.Input},
		{`,"cacheRead":`, e.CacheRead},
		{`,"cacheWrite5m":`, e.CacheWrite5m},
		{`,"cacheWrite1h":`, e.CacheWrite1h},
		{`,"output":`, e.Output},
		{`,"reasoning":`, e.Reasoning},
	} {
		b = strconv.AppendInt(append(b, f.key...), f.n, 10)
	}
	if e.Speed != "" {
		b = AppendString(append(b, `,"speed":`...), e.Speed)
	}
	if e.Placeholder {
		b = append(b, `,"placeholder":true`...)
	}
	if e.Calls != 0 {
		b = strconv.AppendInt(append(b, `,"calls":`...), e.Calls, 10)
	}
	if e.Incomplete {
		b = append(b, `,"incomplete":true`...)
	}
	b = AppendString(append(b, `,"source":{"path":`...), e.Source.Path)
	b = strconv.AppendInt(append(b, `,"line":`...), int64(e.Source.Line), 10)
	return append(b, "}}"...)
}

// number is a member of a JSON object.
type number struct {
	key string
	n   int64
}

// AppendString appends s as a JSON string; anything but plain ASCII text is left to
// encoding/json.
func AppendString(b []byte, s string) []byte {
	if !plain(s) {
		return append(b, quote(s)...)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// plain reports whether s is ASCII text that stands in a JSON string as it is. It
// looks at eight bytes at a time: (x-1)&^x has a high bit set just when a byte of x
// is 0, and x-0x20 in bytes below 0x80 when one is a control character.
func plain(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(w-ones*0x20)|w)&highs != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func quote(s string) []byte {
	var buf lineBuffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("transcript: a string does not encode: " + err.Error())
	}
	return buf[:len(buf)-1]
}

type lineBuffer []byte

func (b *lineBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// Note is what a scan says about itself: how much was read and what was seen
// that is no event.
type Note struct {
	Files        int   `json:"files"`
	Bytes        int64 `json:"bytes"`
	SkippedLines int64 `json:"skippedLines"` // lines of which something could not be read
	BadNumbers   int64 `json:"badNumbers"`   // counts that are no whole number from 0 to 2^53
	ContextFills int64 `json:"contextFills"` // Codex snapshots that state occupancy, not use
	Inherited    int64 `json:"inherited"`    // Codex snapshots copied from an ancestor
}

// AppendJSON appends the note as one JSON object, as AppendJSON of an event does.
func (n Note) AppendJSON(b []byte) []byte {
	for _, f := range [...]number{
		{`{"files":`, int64(n.Files)},
		{`,"bytes":`, n.Bytes},
		{`,"skippedLines":`, n.SkippedLines},
		{`,"badNumbers":`, n.BadNumbers},
		{`,"contextFills":`, n.ContextFills},
		{`,"inherited":`, n.Inherited},
	} {
		b = strconv.AppendInt(append(b, f.key...), f.n, 10)
	}
	return append(b, '}')
}

// Add returns the sum of two notes.
func (n Note) Add(m Note) Note {
	return Note{
		Files: n.Files + m.Files, Bytes: n.Bytes + m.Bytes,
		SkippedLines: n.SkippedLines + m.SkippedLines, BadNumbers: n.BadNumbers + m.BadNumbers,
		ContextFills: n.ContextFills + m.ContextFills, Inherited: n.Inherited + m.Inherited,
	}
}
