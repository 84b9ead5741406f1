package jsonl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"okstra/lib/jsondoc"
)

// collect tells rows and errors as text, one line each.
func collect(r io.Reader) (got []string) {
	for row, err := range Rows(r, "s") {
		text := fmt.Sprintf("%d@%d %s", row.Number, row.Offset, row.Raw)
		if row.Torn {
			text += " torn"
		}
		if err != nil {
			text += " | " + err.Error()
		}
		got = append(got, text)
	}
	return got
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"blank lines only", "\n \t\n\r\n", nil},
		{"rows", "{\"a\":1}\n[2]\n", []string{`1@0 {"a":1}`, `2@8 [2]`}},
		{"blank lines count", "\n1\n\n2\n", []string{"2@1 1", "4@4 2"}},
		{"a bad line does not hide the next", "1\n{x}\n3\n", []string{"1@0 1", "2@2 {x} | s:2:2: not JSON: invalid character 'x' at start of value", "3@6 3"}},
		{"several bad lines", "x\n{} {}\n\"\xff\"\n", []string{
			"1@0 x | s:1:1: not JSON: invalid character 'x' at start of value",
			"2@2 {} {} | s:2:4: not JSON: more data after the value (expected end of line)",
			"3@8 \"\xff\" | s:3:2: not JSON: byte 0xff is not UTF-8",
		}},
		{"torn but whole", "1\n{\"a\":2}", []string{"1@0 1", `2@2 {"a":2} torn`}},
		{"torn in the middle", "1\n{\"a\":", []string{"1@0 1", `2@2 {"a": torn | s:2:6: not JSON: unexpected end of line (last line, without a newline: its writer was cut off) (at /a)`}},
		{"blank without newline", "1\n  ", []string{"1@0 1"}},
		{"CRLF", "1\r\n{\"a\":2}\r\n", []string{"1@0 1\r", "2@3 {\"a\":2}\r"}},
		{"byte order mark", "\ufeff{}\n{}\n", []string{"1@0 \ufeff{} | s:1:1: not JSON: UTF-8 byte order mark (expected UTF-8 without one)", "2@6 {}"}},
		{"NUL", "{}\n\x00\x00\n1\n", []string{"1@0 {}", "2@3 \x00\x00 | s:2:1: not JSON: NUL byte", "3@6 1"}},
		{"duplicate key", `{"a":1,"a":2}` + "\n", []string{`1@0 {"a":1,"a":2} | s:1:8: not JSON: duplicate key "a"`}},
	} {
		for _, reader := range []struct {
			name string
			wrap func(io.Reader) io.Reader
		}{
			{"whole", func(r io.Reader) io.Reader { return r }},
			{"byte by byte", iotest.OneByteReader},
			{"data with EOF", iotest.DataErrReader},
		} {
			got := collect(reader.wrap(strings.NewReader(tt.in)))
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%s, %s:\n got %q\nwant %q", tt.name, reader.name, got, tt.want)
			}
		}
	}
}

func TestLinesAreNotChecked(t *testing.T) {
	var got []string
	for row, err := range Lines(strings.NewReader("x\n\n{} {}\n\xff"), "s") {
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(row.Raw))
	}
	if want := "x|{} {}|\xff"; strings.Join(got, "|") != want {
		t.Errorf("Lines = %q, want %q", got, want)
	}
}

// A line has no limit but MaxLine, and one beyond it is skipped to its end.
func TestLongLines(t *testing.T) {
	long := `"` + strings.Repeat("x", MaxLine-2) + `"`
	in := io.MultiReader(strings.NewReader("1\n"+long+"\n2\n"+long), strings.NewReader("y\n3\n"+long+"zz"))
	var got []string
	for row, err := range Rows(in, "s") {
		text := fmt.Sprintf("%d:%d", row.Number, len(row.Raw))
		if row.Torn {
			text += " torn"
		}
		if err != nil {
			text += " " + err.Error()
		}
		got = append(got, text)
	}
	want := []string{
		"1:1", fmt.Sprintf("2:%d", MaxLine), "3:1", "4:0 s:4:1: not JSON: line of 16777217 bytes (expected at most 16777216)", "5:1",
		"6:0 torn s:6:1: not JSON: line of 16777218 bytes (expected at most 16777216)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestEndlessLineCostsBoundedMemory(t *testing.T) {
	const length = 20 * MaxLine
	in := io.MultiReader(io.LimitReader(endless{}, length), strings.NewReader("\n1\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for row, err := range Lines(in, "s") {
		n++
		if (err != nil) != (row.Number == 1) {
			t.Errorf("line %d: %v", row.Number, err)
		}
	}
	runtime.ReadMemStats(&after)
	if n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	// Growing a slice to MaxLine costs a few times MaxLine; the line is 20 times as long.
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 10*MaxLine {
		t.Errorf("reading a line of %d bytes allocated %d bytes, want at most %d", length, spent, 10*MaxLine)
	}
}

// endless is a reader without a newline and without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReadErrorEndsTheIteration(t *testing.T) {
	in := io.MultiReader(strings.NewReader("1\n{\"a\""), iotest.ErrReader(io.ErrClosedPipe), strings.NewReader("\n2\n"))
	var errs []error
	n := 0
	for _, err := range Rows(in, "s") {
		n++
		if err != nil {
			errs = append(errs, err)
		}
	}
	if n != 2 || len(errs) != 1 || !errors.Is(errs[0], io.ErrClosedPipe) || errs[0].Error() != "s:2: io: read/write on closed pipe" {
		t.Errorf("%d rows, errors %v, want 2 and the reader's error with the line", n, errs)
	}
	if _, syntax := errors.AsType[*jsondoc.SyntaxError](errs[0]); syntax {
		t.Error("the reader's error is a *SyntaxError")
	}
}

func TestStopping(t *testing.T) {
	for row := range Rows(strings.NewReader("1\n2\n"), "s") {
		if row.Number != 1 {
			t.Fatal("iteration went on after break")
		}
		break
	}
}

func TestRowsBelongToTheReceiver(t *testing.T) {
	var rows []Row
	for row, err := range Rows(strings.NewReader("[1]\n[2]\n[3]\n"), "s") {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		if want := fmt.Sprintf("[%d]", i+1); string(row.Raw) != want {
			t.Errorf("row %d is %s after the iteration, want %s", i+1, row.Raw, want)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte("1\nx\n2\ny\n{\"torn\":3}"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, bad, err := ReadFile(path)
	if err != nil || len(rows) != 3 || len(bad) != 2 || !rows[2].Torn {
		t.Errorf("ReadFile = %v, %v, %v, want 3 rows, the last torn, and 2 errors", rows, bad, err)
	}
	if want := path + ":4:1: not JSON: invalid character 'y' at start of value"; len(bad) == 2 && bad[1].Error() != want {
		t.Errorf("second error is %v, want %s", bad[1], want)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFile(link); !errors.Is(err, jsondoc.ErrNotRegular) {
		t.Errorf("ReadFile of a link = %v, want ErrNotRegular", err)
	}
	if _, _, err := ReadFile(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ReadFile of nothing = %v, want os.ErrNotExist", err)
	}
}

// FuzzRows: the rows are the lines of the stream that are not blank, in order,
// with their numbers and offsets, and each is accepted exactly if the document
// reader accepts it.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{"", "1\n2", "{\"a\":1}\n\n x\n", "\r\n\r\n", "\ufeff1\n", "[\n]\n", "\x00\n", "{\"a\":1,\"a\":1}\n\"\\ud800\"\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		type line struct {
			number, offset int
			raw            string
			torn           bool
		}
		var want []line
		offset := 0
		for i, text := range strings.SplitAfter(string(in), "\n") {
			raw, whole := strings.CutSuffix(text, "\n")
			if strings.Trim(raw, " \t\r") != "" {
				want = append(want, line{i + 1, offset, raw, !whole})
			}
			offset += len(text)
		}
		n := 0
		for row, err := range Rows(strings.NewReader(string(in)), "s") {
			if n == len(want) {
				t.Fatalf("%q: more rows than lines", in)
			}
			if got := (line{row.Number, int(row.Offset), string(row.Raw), row.Torn}); got != want[n] {
				t.Fatalf("%q: row %+v, want %+v", in, got, want[n])
			}
			if _, docErr := jsondoc.Parse("s", row.Raw); (docErr == nil) != (err == nil) {
				t.Fatalf("%q: row says %v, document says %v", row.Raw, err, docErr)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%q: %d rows, want %d", in, n, len(want))
		}
	})
}
