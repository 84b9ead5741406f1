//go:build unix

package audit

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNoFollow opens a file itself, not what a link points at, and does not
// wait for the other end of a pipe.
const openNoFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

func isLinkError(err error) bool {
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENXIO)
}

// isStill tells whether an open file is as a row describes it.
func isStill(f *os.File, row *Row) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && uint64(stat.Ino) == row.Ino && info.Size() == row.Size &&
		info.ModTime().UnixNano() == row.Mtime && changeTime(stat) == row.Ctime
}
