package scan

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readAtOnce reads what is in memory at an offset. It never waits.
func readAtOnce(file *os.File, buf []byte, at int64) (int, answer) {
	part := unix.Iovec{Base: &buf[0]}
	part.SetLen(len(buf))
	// The offset goes in two registers, of which a 64-bit kernel reads the first.
	n, _, fault := unix.RawSyscall6(unix.SYS_PREADV2, file.Fd(), uintptr(unsafe.Pointer(&part)), 1, uintptr(at), uintptr(at>>32), unix.RWF_NOWAIT)
	runtime.KeepAlive(file)
	switch {
	case fault == unix.EAGAIN, fault == 0 && n == 0:
		return 0, toWait
	case fault != 0:
		return 0, unable
	}
	return int(n), atHand
}
