package stream

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxLine bounds the memory that one line may take. A longer line is counted
// as bad and skipped; it cannot be an event that ends a run.
const maxLine = 16 << 20

// Reader takes the bytes of a stream as they come, in pieces of any size, and
// keeps the summary and the readable log up to date. It never fails: a line
// that cannot be read is counted.
type Reader struct {
	rules   Rules
	log     io.Writer
	summary Summary
	line    []byte
	skip    bool // the rest of an overlong line
	running running
	object  object // the event that is read
	last    string // what it said, if it said anything
	out     []byte // that as a line of the log
}

// NewReader gives a reader that writes readable lines to log.
func NewReader(rules Rules, log io.Writer) *Reader {
	return &Reader{rules: rules, log: log}
}

// Summary is what was read so far, a last line without its end included when
// Close was called.
func (r *Reader) Summary() Summary {
	if r.last != "" {
		r.summary.Last, r.last = cut(firstLine(r.last)), ""
	}
	return r.summary
}

// Write takes the next bytes. Its error is always nil: the log is written by
// the reader, and a full disk must not end the reading.
func (r *Reader) Write(p []byte) (int, error) {
	if !r.rules.Has() {
		r.text(p)
		return len(p), nil
	}
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			r.keep(rest)
			break
		}
		if len(r.line) == 0 && !r.skip {
			r.one(rest[:end]) // a whole line needs no copy
		} else {
			r.keep(rest[:end])
			r.flush()
		}
		rest = rest[end+1:]
	}
	return len(p), nil
}

// Close reads a last line that has no newline.
func (r *Reader) Close() {
	if len(r.line) > 0 || r.skip {
		r.flush()
	}
}

func (r *Reader) keep(p []byte) {
	if r.skip || len(r.line)+len(p) > maxLine {
		r.skip, r.line = true, nil
		return
	}
	if need := len(r.line) + len(p); need > cap(r.line) {
		// Twice as much each time, but never more than a line may have.
		r.line = append(make([]byte, 0, min(max(need, 2*cap(r.line)), maxLine)), r.line...)
	}
	r.line = append(r.line, p...)
}

func (r *Reader) flush() {
	if r.skip {
		r.summary.BadLines++
	} else {
		r.one(r.line)
	}
	r.skip, r.line = false, r.line[:0]
	if cap(r.line) > 1<<20 {
		r.line = nil
	}
}

// text passes plain output on to the log, terminal escapes removed.
func (r *Reader) text(p []byte) {
	if text := strings.TrimSpace(lastLine(p)); text != "" {
		r.summary.Last = cut(text)
	}
	writeText(r.log, p)
}

// one reads a line. Records that were spliced into one another are told apart
// where that is possible: reading goes on at the next `{"` that starts the
// line or follows a `}`.
func (r *Reader) one(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if line[0] == '{' && valid(line) {
		r.event(line)
		return
	}
	r.summary.BadLines++
	read, seen := false, 0
	for at := nextRecord(line, 0); at >= 0 && seen <= mostSought*len(line); {
		n, looked := objectLength(line[at:])
		seen += looked
		if n > 0 && valid(line[at:at+n]) {
			r.event(line[at : at+n])
			read, at = true, nextRecord(line, at+n)
			continue
		}
		at = nextRecord(line, at+1)
	}
	if !read {
		writeText(r.log, []byte(shorten(string(line[:min(len(line), longest+1)]), len(line))+"\n"))
	}
}

// mostSought bounds the search for records in a line that is none: so many
// times its length, whatever stands in it.
const mostSought = 4

// Lines up to shallow bytes cannot be nested so deep that checking them takes
// much of a stack; longer ones may be nested to mostNested, or a worker could
// end us with a line of brackets.
const (
	shallow    = 64 << 10
	mostNested = 10_000
)

// valid tells whether p is one JSON value, not nested absurdly.
func valid(p []byte) bool {
	return (len(p) <= shallow || nesting(p) <= mostNested) && gjson.ValidBytes(p)
}

// nesting is how deep p is nested, if it is JSON.
func nesting(p []byte) (deepest int) {
	depth := 0
	for _, c := range brackets(p) {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		default:
			depth--
		}
	}
	return deepest
}

// brackets are the braces and square brackets of p that stand in no text, each
// with its place.
func brackets(p []byte) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		inText := false
		for i := 0; i < len(p); i++ {
			switch c := p[i]; {
			case inText && c == '\\':
				i++
			case c == '"':
				inText = !inText
			case inText:
			case c == '{' || c == '}' || c == '[' || c == ']':
				if !yield(i, c) {
					return
				}
			}
		}
	}
}

// nextRecord finds the next place from which a record may start.
func nextRecord(line []byte, from int) int {
	for from < len(line) {
		i := bytes.Index(line[from:], []byte(`{"`))
		if i < 0 {
			return -1
		}
		if i += from; i == 0 || line[i-1] == '}' {
			return i
		}
		from = i + 1
	}
	return -1
}

// objectLength is the length of the JSON object at the start of p, judged by
// its braces alone, or 0 when it does not end. It also tells how many bytes it
// looked at.
func objectLength(p []byte) (length, looked int) {
	depth := 0
	for i, c := range brackets(p) {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1, i + 1
			}
		}
	}
	return 0, len(p)
}

func lastLine(p []byte) string {
	p = bytes.TrimRight(p, "\r\n")
	return string(p[bytes.LastIndexByte(p, '\n')+1:])
}

// cut keeps a text short enough for a progress line.
func cut(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
