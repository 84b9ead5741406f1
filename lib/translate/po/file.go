package po

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// File is a PO file without its obsolete entries.
type File struct {
	Comments []string // of the header, without "# "
	Header   []Field
	Entries  []Entry
}

// Field is a line of the header.
type Field struct{ Name, Value string }

// Entry is one message.
type Entry struct {
	Comments   []string // "# ", the translator's
	Extracted  []string // "#. "
	References []string // "#: "
	Flags      []string // "#, "
	Previous   *Text    // "#| ", what the message was before
	Text
	Str  string
	Line int // of its first keyword; not written
}

// Text is what identifies a message.
type Text struct {
	Context *string
	ID      string
}

// Get is the value of a header field, "" when it is not there. Names compare
// without case.
func (f File) Get(name string) string {
	for _, field := range f.Header {
		if strings.EqualFold(field.Name, name) {
			return field.Value
		}
	}
	return ""
}

// Fuzzy says whether the entry is marked as not yet reviewed.
func (e Entry) Fuzzy() bool { return slices.Contains(e.Flags, "fuzzy") }

// Format writes the file. Every string stands as it is; one with newlines
// inside gets a line for each of its own.
func (f File) Format() []byte {
	var out bytes.Buffer
	for _, c := range f.Comments {
		comment(&out, "#", c)
	}
	out.WriteString("msgid \"\"\nmsgstr \"\"\n")
	for _, field := range f.Header {
		fmt.Fprintf(&out, "\"%s: %s\\n\"\n", escape(field.Name), escape(field.Value))
	}
	for _, e := range f.Entries {
		out.WriteByte('\n')
		e.format(&out)
	}
	return out.Bytes()
}

func (e Entry) format(out *bytes.Buffer) {
	for _, c := range e.Comments {
		comment(out, "#", c)
	}
	for _, c := range e.Extracted {
		comment(out, "#.", c)
	}
	for _, c := range e.References {
		comment(out, "#:", c)
	}
	if len(e.Flags) > 0 {
		comment(out, "#,", strings.Join(e.Flags, ", "))
	}
	if e.Previous != nil {
		if e.Previous.Context != nil {
			message(out, "#| ", "msgctxt", *e.Previous.Context)
		}
		message(out, "#| ", "msgid", e.Previous.ID)
	}
	if e.Context != nil {
		message(out, "", "msgctxt", *e.Context)
	}
	message(out, "", "msgid", e.ID)
	message(out, "", "msgstr", e.Str)
}

// comment writes a comment, line by line.
func comment(out *bytes.Buffer, mark, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(mark)
		if line != "" {
			out.WriteString(" " + line)
		}
		out.WriteByte('\n')
	}
}

func message(out *bytes.Buffer, prefix, keyword, s string) {
	out.WriteString(prefix + keyword + " ")
	if i := strings.IndexByte(s, '\n'); i < 0 || i == len(s)-1 {
		out.WriteString("\"" + escape(s) + "\"\n")
		return
	}
	out.WriteString("\"\"\n")
	for line := range strings.SplitAfterSeq(s, "\n") {
		if line != "" {
			out.WriteString(prefix + "\"" + escape(line) + "\"\n")
		}
	}
}

// named are the control characters that have an escape of their own.
var named = map[byte]byte{'\n': 'n', '\t': 't', '\r': 'r', '\a': 'a', '\b': 'b', '\f': 'f', '\v': 'v', '"': '"', '\\': '\\'}

// escape writes a string for between quotes. Other control characters become
// three octal digits, so that a digit behind them stays one.
func escape(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch letter, ok := named[c]; {
		case ok:
			b.WriteByte('\\')
			b.WriteByte(letter)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
