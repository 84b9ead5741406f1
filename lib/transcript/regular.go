package transcript

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// ReadRegular reads a file whole, if it is a regular one, under whatever name: a
// pipe in the place of one would keep a scan waiting, and a device may never end.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ErrNotRegular says that a file is a pipe, a socket or a device.
var ErrNotRegular = errors.New("is no regular file")

// OpenRegular opens a regular file and refuses every other one, without waiting.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Sized is a reader that can say how many bytes are left, as far as is known.
type Sized interface{ Rest() int64 }

// ReadAll reads to the end, into room of the right size where the reader knows it.
func ReadAll(r io.Reader) ([]byte, error) {
	file, ok := r.(Sized)
	if !ok {
		return io.ReadAll(r)
	}
	text := make([]byte, 0, file.Rest()+1)
	for {
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return text, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}
