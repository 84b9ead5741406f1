//go:build unix

package facts

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// The list of tasks costs some ten files for each of thousands of tasks, and
// most of what os does for a file is more than they need. These two do the
// least that is safe: no link is followed in the last place, and nothing waits
// for a pipe.

const quickFlags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// quickRead reads a file of at most limit bytes into buf, which it may grow.
func quickRead(path string, buf []byte, limit int) ([]byte, error) {
	fd, err := quickOpen(path, quickFlags)
	if err != nil {
		return buf[:0], err
	}
	defer syscall.Close(fd)
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := ignoringEINTR(func() (int, error) { return syscall.Read(fd, buf[len(buf):cap(buf)]) })
		switch {
		case err != nil:
			return buf[:0], &fs.PathError{Op: "read", Path: path, Err: err}
		case n <= 0:
			return buf, nil
		}
		if buf = buf[:len(buf)+n]; len(buf) > limit {
			return buf[:0], &fs.PathError{Op: "read", Path: path, Err: errors.New("file is too large")}
		}
	}
}

// quickNames lists a folder, in no order.
func quickNames(path string, buf []byte) ([]string, error) {
	fd, err := quickOpen(path, quickFlags|syscall.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var names []string
	for {
		n, err := ignoringEINTR(func() (int, error) { return syscall.ReadDirent(fd, buf[:cap(buf)]) })
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, &fs.PathError{Op: "list", Path: path, Err: err}
		}
		if n <= 0 {
			return names, nil
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

func quickOpen(path string, flags int) (int, error) {
	fd, err := ignoringEINTR(func() (int, error) { return syscall.Open(path, flags, 0) })
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
