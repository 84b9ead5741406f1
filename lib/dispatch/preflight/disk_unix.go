//go:build unix

package preflight

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// disk asks for the room that an ordinary user has.
func disk(path string) Disk {
	d := Disk{Path: path}
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		d.Problem = err.Error()
		return d
	}
	d.FreeBytes = int64(uint64(st.Bavail) * uint64(st.Bsize))
	if d.FreeBytes < enoughRoom {
		d.Problem = fmt.Sprintf("%d MB free (a batch should find %d)", d.FreeBytes>>20, int64(enoughRoom)>>20)
	}
	return d
}
