//go:build unix

package dispatch

import "golang.org/x/sys/unix"

// nearlyNothing is less than any CLI needs to write a line of its transcript.
const nearlyNothing = 128 << 10

// diskFull tells whether the file system of one of the paths has no room. A
// path that cannot be asked about is not full.
func diskFull(paths ...string) bool {
	for _, path := range paths {
		var st unix.Statfs_t
		if path == "" || unix.Statfs(path, &st) != nil {
			continue
		}
		if uint64(st.Bavail)*uint64(st.Bsize) < nearlyNothing {
			return true
		}
	}
	return false
}
