package dispatch

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when the kernel last saw a file change, which no program can
// set; the modification time where the file system does not tell.
func changeTime(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(0, stat.Ctimespec.Nano())
	}
	return info.ModTime()
}
