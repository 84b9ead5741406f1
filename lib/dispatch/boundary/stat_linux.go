package boundary

import (
	"io/fs"
	"syscall"
)

func ownerOf(info fs.FileInfo) [2]uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return [2]uint32{st.Uid, st.Gid}
	}
	return [2]uint32{}
}

func deviceOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Rdev)
	}
	return 0
}
