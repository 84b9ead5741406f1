// Package jsonl is a stream of JSON lines, each with its number. A bad line
// never hides the ones behind it, and a line of any length costs bounded
// memory. Rule: docs/strict-reading.md, "JSON lines".
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"okstra/lib/jsondoc"
)

// MaxLine is the most bytes one line may have, its newline not counted. A
// longer line is skipped with an error.
const MaxLine = 16 << 20

// Row is one line that is not blank. Number counts all lines from 1, blank
// ones too; Offset is where the line begins in the stream. Raw is the line
// without its newline, nil for a line that was too long; it belongs to the
// receiver. Torn tells that the stream ended before a newline came: the
// writer was cut off, or is still writing.
type Row struct {
	Number int
	Offset int64
	Raw    []byte
	Torn   bool
}

// Rows gives every line of r that is not blank, strictly checked. A line that
// is no JSON comes with its error, a *jsondoc.SyntaxError with the number of
// the line, and the iteration goes on. An error of r itself is the last thing
// that comes; it is wrapped and no *jsondoc.SyntaxError.
func Rows(r io.Reader, name string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range Lines(r, name) {
			if err == nil {
				err = checkRow(name, row)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func checkRow(name string, row Row) error {
	err := jsondoc.CheckLine(name, row.Number, row.Raw)
	if syntax, ok := errors.AsType[*jsondoc.SyntaxError](err); ok && row.Torn {
		syntax.Msg += " (last line, without a newline: its writer was cut off)"
	}
	return err
}

// Lines gives the lines of r like Rows, but does not look into them: for
// readers that are lenient by their own rules. Only a line that is too long
// and an error of r come with an error.
func Lines(r io.Reader, name string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		s := splitter{r: bufio.NewReaderSize(r, 64<<10), name: name}
		for {
			row, err := s.next()
			if err == io.EOF || !yield(row, err) || s.failed {
				return
			}
		}
	}
}

// splitter cuts a stream into lines without holding more than one of them.
type splitter struct {
	r      *bufio.Reader
	name   string
	number int
	offset int64
	failed bool
}

// next gives the next line that is not blank, io.EOF behind the last.
func (s *splitter) next() (Row, error) {
	for {
		row, length, err := s.line()
		switch {
		case err != nil && err != io.EOF:
			s.failed = true
			return row, fmt.Errorf("%s:%d: %w", s.name, row.Number, err)
		case length > MaxLine:
			return row, &jsondoc.SyntaxError{
				Name: s.name, Line: row.Number, Col: 1,
				Msg: fmt.Sprintf("line of %d bytes (expected at most %d)", length, MaxLine),
			}
		case !blank(row.Raw):
			return row, nil
		case err == io.EOF:
			return Row{}, io.EOF
		}
	}
}

// line reads up to the next newline or the end. Bytes beyond MaxLine are
// counted and dropped; then Raw is nil. The error is io.EOF when the stream
// ended here, with or without bytes in front of the end.
func (s *splitter) line() (row Row, length int64, err error) {
	s.number++
	row = Row{Number: s.number, Offset: s.offset}
	for {
		chunk, readErr := s.r.ReadSlice('\n')
		s.offset += int64(len(chunk))
		text := bytes.TrimSuffix(chunk, []byte{'\n'})
		length += int64(len(text))
		if length <= MaxLine {
			row.Raw = append(row.Raw, text...)
		} else {
			row.Raw = nil
		}
		if readErr == bufio.ErrBufferFull {
			continue
		}
		row.Torn = readErr != nil && length > 0
		return row, length, readErr
	}
}

func blank(line []byte) bool {
	return len(bytes.Trim(line, " \t\r")) == 0
}

// ReadFile reads all rows of the regular file at path. The second result are
// the errors of single lines; the rows they belong to are not in the first.
// The third is an error of the file itself.
func ReadFile(path string) ([]Row, []error, error) {
	f, err := jsondoc.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var rows []Row
	var bad []error
	for row, err := range Rows(f, path) {
		switch _, syntax := errors.AsType[*jsondoc.SyntaxError](err); {
		case err == nil:
			rows = append(rows, row)
		case syntax:
			bad = append(bad, err)
		default:
			return rows, bad, err
		}
	}
	return rows, bad, nil
}
