package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A temporary file is called ".<name><digits>" and stands beside its target.
// A writer that is killed leaves it behind; the next writer of the same target
// removes it. To tell the dead from the living each writer holds a flock on
// its temporary file, which the kernel drops with the process. Between
// creating the file and locking it lies a moment, hence the age as well.

// staleAge is how much older than a fresh temporary file one must be to be
// taken for abandoned. Both ages come from the file system, not from a clock.
const staleAge = time.Hour

// markAlive locks a new temporary file. Where the file system has no locks
// nothing is ever swept, so the error does not matter.
func markAlive(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// sweep removes abandoned temporary files of target. It is a courtesy:
// whatever cannot be looked at stays.
func sweep(target string, fresh *os.File) {
	now, err := fresh.Stat()
	if err != nil {
		return
	}
	dir := filepath.Dir(target)
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if !isTemporary(name, filepath.Base(target)) {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err == nil && info.Mode().IsRegular() && now.ModTime().Sub(info.ModTime()) > staleAge && abandoned(path) {
			_ = os.Remove(path)
		}
	}
}

// minDigits is the least number of digits by which a name is taken for ours.
// The random numbers have 19 at most and 16 or more but once in ten thousand
// times; a file of somebody else hardly looks like that.
const minDigits = 16

// isTemporary reports whether name is a temporary file of base.
func isTemporary(name, base string) bool {
	digits, ok := strings.CutPrefix(name, "."+base)
	return ok && len(digits) >= minDigits && strings.Trim(digits, "0123456789") == ""
}

// abandoned reports whether no living process holds the file at path.
func abandoned(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
