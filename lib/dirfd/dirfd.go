// Package dirfd reads a directory by its descriptor: a name in it is looked up
// from there, so the kernel walks no path twice, and nobody can put another
// directory in the place of the one that was opened.
//
// Where a system has no such calls, the same questions are asked by path.
package dirfd

import "io/fs"

// Kind is what a name stands for, as far as it is known.
type Kind uint8

// Kinds. A listing may leave one open, as some file systems do.
const (
	Unknown Kind = iota
	File
	Folder
	Link
	Other // a device, pipe or socket
)

// Stat tells files apart and when one last changed.
type Stat struct {
	Kind          Kind
	Device, Inode uint64 // 0 where the system does not tell
	Size          int64
	Mtime, Ctime  int64 // nanoseconds since 1970; unlike Mtime, Ctime cannot be set back
}

// Entry is one name of a directory. Name is valid until the next one is read.
type Entry struct {
	Name []byte
	Kind Kind
}

// Of is what the standard library has found out about a file.
func Of(info fs.FileInfo) Stat {
	s := Stat{Kind: kindOf(info.Mode()), Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	s.identify(info)
	return s
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return File
	case mode.IsDir():
		return Folder
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
