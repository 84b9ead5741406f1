//go:build !linux

package dispatch

import "os"

// allocate makes a file hold size bytes of its disk.
func allocate(file *os.File, size int64) error { return fill(file, size) }
