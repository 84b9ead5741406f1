package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is a path that names something other than a regular file: a
// symbolic link, a directory, a device.
var ErrNotRegular = errors.New("not a regular file")

// ReadError is an input that could not be read at all: missing, forbidden,
// not a regular file, or failing half-way.
type ReadError struct {
	Name string
	Err  error
}

// Error gives "name: cause" without the system call's name.
func (e *ReadError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap gives the cause, for errors.Is with fs.ErrNotExist or ErrNotRegular.
func (e *ReadError) Unwrap() error { return e.Err }

// ExitStatus says that an unreadable input is the caller's mistake.
func (e *ReadError) ExitStatus() int { return statusBadInput }

// readError drops the operation and the path that the os package puts in front.
func readError(name string, err error) *ReadError {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &ReadError{Name: name, Err: err}
}

// Read reads r to its end and parses it. It stops reading just behind
// MaxSize. An error of r itself is a *ReadError, not a *SyntaxError.
func Read(r io.Reader, name string) (Doc, error) {
	var buf bytes.Buffer
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		// Growing in steps would cost a large file more than reading it.
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			buf.Grow(int(min(info.Size(), MaxSize)) + bytes.MinRead)
		}
	}
	if _, err := buf.ReadFrom(io.LimitReader(r, MaxSize+1)); err != nil {
		return Doc{}, readError(name, err)
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

// Open opens the regular file at path for reading; the error is a *ReadError.
// A symbolic link in the last component is refused with ErrNotRegular, so that
// a file put into a run folder cannot lead a reader out of it; so are pipes
// and devices, which could keep a reader waiting.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, readError(path, fmt.Errorf("symbolic link, %w", ErrNotRegular))
	}
	if err != nil {
		return nil, readError(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, readError(path, err)
	}
	return f, nil
}
