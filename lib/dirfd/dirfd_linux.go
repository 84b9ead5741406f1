package dirfd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dir is an open directory.
type Dir struct {
	fd   int
	path string
}

// Open opens a directory, or one that a link leads to. It is an error when the
// path leads to anything else.
func Open(path string) (Dir, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(unix.AT_FDCWD, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return Dir{fd, path}, nil
}

// Close gives the descriptor back.
func (d Dir) Close() error { return unix.Close(d.fd) }

// Stat looks at the directory itself.
func (d Dir) Stat() (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return Stat{}, &fs.PathError{Op: "stat", Path: d.path, Err: err}
	}
	return statOf(&st), nil
}

// Look looks at a name in the directory, following links.
func (d Dir) Look(name string) (Stat, error) {
	var st unix.Stat_t
	_, err := again(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &st, 0) })
	if err != nil {
		return Stat{}, &fs.PathError{Op: "stat", Path: d.path + "/" + name, Err: err}
	}
	return statOf(&st), nil
}

// List calls each for every name in the directory, in no order. The buffer holds
// what the kernel tells at a time.
func (d Dir) List(buffer []byte, each func(Entry)) error {
	if err := List(d.fd, buffer, each); err != nil {
		return &fs.PathError{Op: "readdirent", Path: d.path, Err: err}
	}
	return nil
}

// again repeats a call that a signal has interrupted, as happens on file systems
// that are not the kernel's own.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func statOf(st *unix.Stat_t) Stat {
	s := Stat{Device: st.Dev, Inode: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Kind = File
	case unix.S_IFDIR:
		s.Kind = Folder
	case unix.S_IFLNK:
		s.Kind = Link
	default:
		s.Kind = Other
	}
	return s
}

func (s *Stat) identify(info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Device, s.Inode, s.Ctime = st.Dev, st.Ino, st.Ctim.Nano()
	}
}

// Layout of a struct linux_dirent64: inode, offset, record length, type, name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// List is Dir.List for a descriptor that the caller has opened; its errors name no
// file.
func List(fd int, buffer []byte, each func(Entry)) error {
	for {
		n, err := again(func() (int, error) { return unix.Getdents(fd, buffer) })
		if err != nil || n <= 0 {
			return err
		}
		for rest := buffer[:n]; len(rest) > 0; {
			if len(rest) < direntName {
				return fmt.Errorf("directory entry of %d bytes", len(rest))
			}
			length := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if length < direntName || length > len(rest) {
				return fmt.Errorf("directory entry of length %d", length)
			}
			name := rest[direntName:length]
			if i := bytes.IndexByte(name, 0); i >= 0 {
				name = name[:i]
			}
			if string(name) != "." && string(name) != ".." {
				each(Entry{name, kindOfType(rest[direntType])})
			}
			rest = rest[length:]
		}
	}
}

func kindOfType(typ byte) Kind {
	switch typ {
	case unix.DT_UNKNOWN:
		return Unknown
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return Folder
	case unix.DT_LNK:
		return Link
	}
	return Other
}
