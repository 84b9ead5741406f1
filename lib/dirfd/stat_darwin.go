package dirfd

import (
	"io/fs"
	"syscall"
)

func (s *Stat) identify(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Device, s.Inode, s.Ctime = uint64(st.Dev), st.Ino, st.Ctimespec.Nano()
	}
}
