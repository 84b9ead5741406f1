package dispatch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes a file hold size bytes of its disk. A file system that cannot
// promise any has them written.
func allocate(file *os.File, size int64) error {
	err := unix.Fallocate(int(file.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return fill(file, size)
	}
	return err
}
