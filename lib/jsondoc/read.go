package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular is a path that names something other than a regular file: a
// symbolic link, a directory, a device.
var ErrNotRegular = errors.New("not a regular file")

// Read reads r to its end and parses it. It stops reading just behind
// MaxSize. An error of r itself is returned wrapped, not as a *SyntaxError.
func Read(r io.Reader, name string) (Doc, error) {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(io.LimitReader(r, MaxSize+1)); err != nil {
		return Doc{}, fmt.Errorf("%s: %w", name, err)
	}
	return Parse(name, buf.Bytes())
}

// ReadFile reads the document in the regular file at path; its name becomes
// path. Rule: docs/strict-reading.md, "Files".
func ReadFile(path string) (Doc, error) {
	f, err := Open(path)
	if err != nil {
		return Doc{}, err
	}
	defer f.Close()
	return Read(f, path)
}

// Open opens the regular file at path for reading. A symbolic link in the
// last component is refused with ErrNotRegular, so that a file put into a run
// folder cannot lead a reader out of it; so are pipes and devices, which could
// keep a reader waiting.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: %w (symbolic link)", path, ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
