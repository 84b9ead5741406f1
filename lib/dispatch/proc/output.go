package proc

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A job's output lies where other jobs may reach it. What is opened there is a
// regular file and nothing that somebody put in its place: a link would lead
// elsewhere, and a pipe would keep whoever opens it waiting for ever.
const guarded = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// OpenOutput opens an output for reading.
func OpenOutput(path string) (*os.File, error) {
	return openRegular(path, os.O_RDONLY)
}

// CreateOutput opens an empty output for writing at its end.
func CreateOutput(path string) (*os.File, error) {
	file, err := openRegular(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(0); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func openRegular(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|guarded, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("not a regular file (%s)", info.Mode().Type())}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
