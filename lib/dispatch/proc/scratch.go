package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Scratch is a folder of one process's own. The process holds a lock on it for
// as long as it lives, so that another one can tell, whatever pid namespace or
// boot it is in, that nobody uses the folder any more.
// Rule: docs/dispatch.md, "After a crash".
type Scratch struct {
	Dir  string // absolute, without links
	lock *os.File
}

// scratchPrefix begins the names of these folders, so that nothing else is ever
// taken for one.
const scratchPrefix = "okstra-run-"

// scratchTries bounds how often a new folder is lost to somebody who sweeps
// between its making and its locking.
const scratchTries = 100

// MakeScratch makes a folder below base, which is made as well.
func MakeScratch(base string) (*Scratch, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	for range scratchTries {
		dir, err := os.MkdirTemp(base, scratchPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockDir(dir)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist) {
			continue // swept in this very moment
		}
		if err == nil && !isAt(lock, dir) {
			lock.Close()
			continue
		}
		if err != nil {
			_ = os.Remove(dir)
			return nil, err
		}
		real, err := filepath.EvalSymlinks(dir)
		return &Scratch{Dir: real, lock: lock}, err
	}
	return nil, errors.New(base + ": no folder of our own stays there")
}

// lockDir opens a folder and locks it, without waiting.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// isAt tells whether an open folder still is the one at a path.
func isAt(f *os.File, path string) bool {
	mine, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// Remove removes the folder with everything in it. A nil Scratch has nothing.
func (s *Scratch) Remove() {
	if s == nil {
		return
	}
	RemoveAll(s.Dir)
	s.lock.Close()
}

// SweepScratch removes the folders below base whose processes are gone. What
// belongs to another user or is in use stays, and so does whatever else lies
// there.
func SweepScratch(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		dir := filepath.Join(base, entry.Name())
		lock, err := lockDir(dir)
		if err != nil {
			continue
		}
		if isAt(lock, dir) {
			RemoveAll(dir)
		}
		lock.Close()
	}
}

// RemoveAll removes a tree in which folders may have lost their permissions: a
// job may take them away, and the kernel does so in an overlay's work folder.
func RemoveAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
