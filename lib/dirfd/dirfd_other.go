//go:build !linux

package dirfd

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is a directory.
type Dir struct{ path string }

// Open finds a directory, or one that a link leads to. It is an error when the
// path leads to anything else.
func Open(path string) (Dir, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return Dir{path}, err
}

// Close gives back what Open took.
func (d Dir) Close() error { return nil }

// Stat looks at the directory itself.
func (d Dir) Stat() (Stat, error) { return look(d.path) }

// Look looks at a name in the directory, following links.
func (d Dir) Look(name string) (Stat, error) { return look(filepath.Join(d.path, name)) }

func look(path string) (Stat, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stat{}, err
	}
	return Of(info), nil
}

// List calls each for every name in the directory, in no order. The buffer is
// for systems that fill one.
func (d Dir) List(_ []byte, each func(Entry)) error {
	list, err := os.ReadDir(d.path)
	for _, e := range list {
		each(Entry{[]byte(e.Name()), kindOf(e.Type())})
	}
	return err
}
