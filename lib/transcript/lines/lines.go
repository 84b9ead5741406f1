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

	cursor *rawjson.Cursor // for Values, one for all lines
}

// Walk reads r line by line from f.End on and calls use for each line that holds
// the needle (each non-blank line when it is nil) and for each that does not even
// look like one object: only those are parsed to see whether they are JSON at all,
// for parsing every line would cost twenty times the search. It advances f.End past
// the last newline and f.Bytes to what was read. What use adds to f for an
// unterminated last line is booked as f.Tail.
func Walk(r io.Reader, f *transcript.File, s *transcript.Scratch, needle *Needle, use func(Line)) error {
	if cap(s.Buffer) < blockSize {
		s.Buffer = make([]byte, blockSize)
	}
	if s.Every {
		needle = nil
	}
	w := walker{file: f, needle: needle, use: use}
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
			buf = roomier(buf, r)
			s.Buffer = buf
		}
	}
	w.last(buf[:have])
	return nil
}

// roomier gives a line that does not fit a buffer of eight times the size, but no
// more than the rest of the file can need. What a step leaves behind is little then,
// and room that nothing is read into costs nothing: a huge line is in memory once.
func roomier(buf []byte, r io.Reader) []byte {
	size := int64(len(buf)) * 8
	if file, ok := r.(transcript.Sized); ok {
		size = min(size, int64(len(buf))+max(file.Rest()+1, blockSize))
	}
	room := make([]byte, size)
	copy(room, buf)
	return room
}

type walker struct {
	file   *transcript.File
	needle *Needle
	use    func(Line)
	cursor rawjson.Cursor
}

// block hands out the lines of a block that ends in a newline. The needle is
// looked for in the whole block at once; of lines without it only the ends are
// looked at.
func (w *walker) block(block []byte) {
	if w.needle == nil || bytes.IndexByte(block, 0) >= 0 {
		w.each(block)
		return
	}
	end := &w.file.End
	hit := w.needle.Index(block)
	for start := 0; start < len(block); {
		stop := start + bytes.IndexByte(block[start:], '\n')
		if hit < stop || !whole(block[start:stop]) {
			w.line(block[start:stop])
		}
		end.Line++
		end.Offset += int64(stop + 1 - start)
		start = stop + 1
		if hit < start {
			hit = start + w.needle.Index(block[start:])
		}
	}
}

// each hands out the lines of a block one by one.
func (w *walker) each(block []byte) {
	end := &w.file.End
	for len(block) > 0 {
		n := bytes.IndexByte(block, '\n')
		w.line(block[:n])
		end.Line++
		end.Offset += int64(n + 1)
		block = block[n+1:]
	}
}

// last hands out the unterminated last line and books what it added.
func (w *walker) last(text []byte) {
	f := w.file
	rows, skipped, bad := len(f.Rows), f.Skipped, f.BadNumbers
	w.line(text)
	f.Tail = transcript.Tail{Rows: len(f.Rows) - rows, Skipped: f.Skipped - skipped, BadNumbers: f.BadNumbers - bad}
}

var bom = []byte("\ufeff")

// line hands out one line, freed of what is no part of it, if it matters.
func (w *walker) line(text []byte) {
	end := w.file.End
	if end.Offset == 0 {
		text = bytes.TrimPrefix(text, bom)
	}
	text = withoutNULs(text)
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	if len(text) == 0 || text[0] <= ' ' && len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if w.needle == nil || !whole(text) || w.needle.In(text) {
		w.use(Line{Text: text, Number: end.Line + 1, Offset: end.Offset, cursor: &w.cursor})
	}
}

// whole reports whether a line at least looks like one object.
func whole(text []byte) bool {
	n := len(text)
	return n > 1 && text[0] == '{' && text[n-1] == '}'
}

// withoutNULs drops the blocks of zeros that a crash leaves where data was
// allocated but never written.
func withoutNULs(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	return bytes.ReplaceAll(text, []byte{0}, nil)
}

// Values calls read for each JSON value of the line: one, or several spliced
// without a newline between. read must consume exactly one value. Rows and bad
// numbers that it adds to f for a value that turns out not to be JSON are taken
// back, and a line of which something cannot be read counts once in f.Skipped.
func (l Line) Values(f *transcript.File, read func(c *rawjson.Cursor)) {
	c := l.cursor
	*c = rawjson.New(l.Text)
	for {
		rows, bad := len(f.Rows), f.BadNumbers
		read(c)
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
