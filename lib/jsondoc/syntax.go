package jsondoc

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError is a text that is not JSON as docs/strict-reading.md defines
// it. Line and Col count from 1, Col in code points; Pointer is the value
// that was being read, "" for the document itself.
type SyntaxError struct {
	Name      string
	Line, Col int
	Pointer   string
	Msg       string
}

// Error gives "name:line:col: not JSON: msg", and the pointer where there is one.
func (e *SyntaxError) Error() string {
	where := ""
	if e.Pointer != "" {
		where = " (at " + shorten(e.Pointer, 120) + ")"
	}
	return fmt.Sprintf("%s:%d:%d: not JSON: %s%s", e.Name, e.Line, e.Col, e.Msg, where)
}

// statusBadInput is the exit status of the programs for bad input.
const statusBadInput = 2

// ExitStatus says that such a text is the caller's mistake.
func (e *SyntaxError) ExitStatus() int { return statusBadInput }

// manner is what differs between a document and a line of a stream.
type manner struct{ end, whole string }

var (
	wholeDocument = manner{end: "unexpected end of input", whole: "document"}
	oneLine       = manner{end: "unexpected end of line", whole: "line"}
)

// check applies every rule of strict reading to raw. The first fault in the
// text is the one that is told, whichever rule it breaks.
func check(raw []byte, m manner) *SyntaxError {
	if len(raw) > MaxSize {
		return &SyntaxError{Line: 1, Col: 1, Msg: fmt.Sprintf("more than %d bytes", MaxSize)}
	}
	if msg := byteOrderMark(raw); msg != "" {
		return &SyntaxError{Line: 1, Col: 1, Msg: msg}
	}
	if len(bytes.Trim(raw, " \t\r\n")) == 0 {
		return &SyntaxError{Line: 1, Col: 1, Msg: "empty " + m.whole + " (expected one JSON value)"}
	}
	fault, offset, pointer := grammarFault(raw, m)
	if deep := tooDeep(raw); deep >= 0 && (fault == "" || deep < offset) {
		fault, offset = fmt.Sprintf("nested deeper than %d levels", MaxDepth), deep
		pointer = pointerBefore(raw, deep)
	}
	if fault == "" {
		return nil
	}
	line, col := lineCol(raw, offset)
	return &SyntaxError{Line: line, Col: col, Pointer: pointer, Msg: fault}
}

// byteOrderMark tells an encoding mark apart from mere rubbish, because the
// cure is to save the file in another way.
func byteOrderMark(raw []byte) string {
	for _, mark := range []struct{ bytes, name string }{
		{"\xef\xbb\xbf", "UTF-8 byte order mark"},
		{"\xfe\xff", "UTF-16 byte order mark"},
		{"\xff\xfe", "UTF-16 byte order mark"},
	} {
		if bytes.HasPrefix(raw, []byte(mark.bytes)) {
			return mark.name + " (expected UTF-8 without one)"
		}
	}
	return ""
}

// grammarFault reads raw as exactly one value. An empty fault means it is one.
func grammarFault(raw []byte, m manner) (fault string, offset int, pointer string) {
	// The same decoder, but from the library's pool: for rows of a stream to
	// make a new one costs twenty times what reading does. It tells no reason.
	if jsontext.Value(raw).IsValid() {
		return "", 0, ""
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if err := dec.SkipValue(); err != nil {
		return describe(raw, err, m)
	}
	rest := bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		return "more data after the value (expected end of " + m.whole + ")", len(raw) - len(rest), ""
	}
	return "", 0, ""
}

// tooDeep gives the offset of the bracket that opens level MaxDepth+1, or -1.
// It only has to be right on text up to the first fault of the grammar.
func tooDeep(raw []byte) int {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			if depth++; depth > MaxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		}
	}
	return -1
}

// pointerBefore gives the pointer of the innermost value open at offset.
func pointerBefore(raw []byte, offset int) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw[:offset]), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return string(dec.StackPointer())
		}
	}
}

// lineCol turns a byte offset into line and column. The column counts code
// points; a byte that is no UTF-8 counts as one.
func lineCol(raw []byte, offset int) (line, col int) {
	offset = min(offset, len(raw))
	line = bytes.Count(raw[:offset], []byte{'\n'}) + 1
	start := bytes.LastIndexByte(raw[:offset], '\n') + 1
	return line, utf8.RuneCount(raw[start:offset]) + 1
}

// shorten cuts a long text in its middle, where a pointer says least.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := s[:limit/2], s[len(s)-limit/2:]
	return strings.ToValidUTF8(head, "") + "…" + strings.ToValidUTF8(tail, "")
}
