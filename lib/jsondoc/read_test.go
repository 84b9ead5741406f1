package jsondoc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"
)

func TestReadFileTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	if err := os.WriteFile(good, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link, dangling, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "fifo")
	for _, err := range []error{os.Symlink(good, link), os.Symlink(filepath.Join(dir, "none"), dangling), syscall.Mkfifo(fifo, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if doc, err := ReadFile(good); err != nil || doc.Name != good || string(doc.Raw) != `{"a":1}` {
		t.Errorf("ReadFile = %+v, %v", doc, err)
	}
	for _, tt := range []struct {
		path string
		is   error
		want string
	}{
		{link, ErrNotRegular, link + ": symbolic link, not a regular file"},
		{dangling, ErrNotRegular, dangling + ": symbolic link, not a regular file"},
		{fifo, ErrNotRegular, fifo + ": not a regular file"},
		{dir, ErrNotRegular, dir + ": not a regular file"},
		{filepath.Join(dir, "none"), fs.ErrNotExist, filepath.Join(dir, "none") + ": no such file or directory"},
	} {
		_, err := ReadFile(tt.path)
		if !errors.Is(err, tt.is) || text(err) != tt.want {
			t.Errorf("ReadFile(%q) = %v, want %s", tt.path, err, tt.want)
		}
		if read, ok := errors.AsType[*ReadError](err); !ok || read.ExitStatus() != 2 {
			t.Errorf("ReadFile(%q) = %T, want a *ReadError of status 2", tt.path, err)
		}
	}
}

func TestReadTellsTheReadersErrorApart(t *testing.T) {
	_, err := Read(io.MultiReader(iotest.ErrReader(io.ErrClosedPipe)), "-")
	if !errors.Is(err, io.ErrClosedPipe) || text(err) != "-: io: read/write on closed pipe" {
		t.Errorf("Read = %v", err)
	}
}

func TestReadStopsAtTheLimit(t *testing.T) {
	endless := &spaces{}
	_, err := Read(endless, "-")
	if want := "-:1:1: not JSON: more than 67108864 bytes"; text(err) != want {
		t.Errorf("Read of an endless stream = %v, want %s", err, want)
	}
	if endless.n > MaxSize+1<<20 {
		t.Errorf("Read took %d bytes, want it to stop behind %d", endless.n, MaxSize)
	}
}

// spaces is a reader without an end.
type spaces struct{ n int }

func (s *spaces) Read(p []byte) (int, error) {
	n := copy(p, blanks)
	s.n += n
	return n, nil
}

var blanks = bytes.Repeat([]byte{' '}, 1<<20)
