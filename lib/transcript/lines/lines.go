// Package lines feeds the lines of a transcript to a reader: fast over what does
// not matter, lenient with what a crash leaves behind, and with an exact account
// of what could not be read. Rules: docs/usage.md, "Reading lines".
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
)

// blockSize keeps a block in the second-level cache between reading it and
// searching it. Reading into a reused block is as fast as mapping the file,
// leaves no mapped pages in the process, and survives a file that is truncated
// under the reader.
const blockSize = 256 << 10

// Line is one non-blank line. Text has no line end and is valid until the next.
type Line struct {
	Text   []byte
	Number int // from 1
	Offset int64
}

// Walk reads r line by line from f.End on and calls use for each non-blank line.
// It advances f.End past the last newline and f.Bytes to what was read. What use
// adds to f for an unterminated last line is booked as f.Tail.
func Walk(r io.Reader, f *transcript.File, s *transcript.Scratch, use func(Line)) error {
	if cap(s.Buffer) < blockSize {
		s.Buffer = make([]byte, blockSize)
	}
	w := walker{file: f, use: use}
	buf, have := s.Buffer[:cap(s.Buffer)], 0
	for {
		n, err := r.Read(buf[have:])
		searched := have
		have += n
		f.Bytes += int64(n)
		if cut := bytes.LastIndexByte(buf[searched:have], '\n'); cut >= 0 {
			cut += searched + 1
			w.block(buf[:cut])
			have = copy(buf, buf[cut:have])
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %q: %w", f.Path, err)
		}
		if have == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
			s.Buffer = buf
		}
	}
	w.last(buf[:have])
	return nil
}

type walker struct {
	file *transcript.File
	use  func(Line)
}

// block hands out the lines of a block that ends in a newline.
func (w *walker) block(block []byte) {
	end := &w.file.End
	nuls := bytes.IndexByte(block, 0) >= 0
	for len(block) > 0 {
		n := bytes.IndexByte(block, '\n')
		w.line(block[:n], nuls)
		end.Line++
		end.Offset += int64(n + 1)
		block = block[n+1:]
	}
}

// last hands out the unterminated last line and books what it added.
func (w *walker) last(text []byte) {
	f := w.file
	rows, skipped, bad := len(f.Rows), f.Skipped, f.BadNumbers
	w.line(text, true)
	f.Tail = transcript.Tail{Rows: len(f.Rows) - rows, Skipped: f.Skipped - skipped, BadNumbers: f.BadNumbers - bad}
}

var bom = []byte("\ufeff")

func (w *walker) line(text []byte, nuls bool) {
	end := w.file.End
	if end.Offset == 0 {
		text = bytes.TrimPrefix(text, bom)
	}
	if nuls {
		text = withoutNULs(text)
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	if len(text) == 0 || text[0] <= ' ' && len(bytes.TrimSpace(text)) == 0 {
		return
	}
	w.use(Line{Text: text, Number: end.Line + 1, Offset: end.Offset})
}

// withoutNULs drops the blocks of zeros that a crash leaves where data was
// allocated but never written.
func withoutNULs(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{0}, nil)
}

// Whole reports whether the line at least looks like one object. Only a line
// that does not, and one that holds what a reader searches for, is parsed to see
// whether it is JSON at all: parsing every line would cost twenty times the
// search.
func (l Line) Whole() bool {
	n := len(l.Text)
	return l.Text[0] == '{' && l.Text[n-1] == '}'
}

// Values calls read for each JSON value of the line: one, or several spliced
// without a newline between. read must consume exactly one value. Rows and bad
// numbers that it adds to f for a value that turns out not to be JSON are taken
// back, and a line of which something cannot be read counts once in f.Skipped.
func (l Line) Values(f *transcript.File, read func(c *rawjson.Cursor)) {
	c := rawjson.New(l.Text)
	for {
		rows, bad := len(f.Rows), f.BadNumbers
		read(&c)
		if c.Bad() {
			f.Rows, f.BadNumbers = f.Rows[:rows], bad
			f.Skipped++
			return
		}
		if c.AtEnd() {
			return
		}
	}
}
