package scan

import "syscall"

// changeTime is when a file or what is known about it last changed: unlike the
// time of modification it cannot be set back.
func changeTime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
