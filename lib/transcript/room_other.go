//go:build !linux

package transcript

import "unsafe"

func wantLargePages(unsafe.Pointer, int) {}
