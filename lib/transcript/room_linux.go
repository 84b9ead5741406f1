package transcript

import (
	"syscall"
	"unsafe"
)

// wantLargePages asks for large pages under a piece of the heap, its neighbours up
// to the ends of those pages included. It is advice: what the kernel cannot do, it
// leaves.
func wantLargePages(at unsafe.Pointer, size int) {
	from := uintptr(at) &^ (largePage - 1)
	to := (uintptr(at) + uintptr(size) + largePage - 1) &^ (largePage - 1)
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
