package audit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"okstra/lib/digest"
	"okstra/lib/dirfd"
)

// scanner reads directories by descriptor: a name is looked up in the
// directory that was opened, never along a path that somebody may exchange
// meanwhile, and the kernel walks no path twice.
type scanner struct {
	ctx     context.Context
	idle    chan func()
	pending sync.WaitGroup
	count   atomic.Int64
	buffers sync.Pool
}

const openFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

// start reads the tree at root, which must be a directory.
func (s *scanner) start(root string) (*directory, Row, error) {
	s.buffers.New = func() any { b := make([]byte, 64<<10); return &b }
	fd, err := openDirectory(unix.AT_FDCWD, root)
	if err != nil {
		return nil, Row{}, &fs.PathError{Op: "scan", Path: root, Err: err}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		_ = unix.Close(fd)
		return nil, Row{}, &fs.PathError{Op: "scan", Path: root, Err: err}
	}
	top, row := &directory{}, rowOf(&stat)
	row.Digest = attributes(fd)
	s.work(func() { s.read(fd, top) })
	return top, row, nil
}

func openDirectory(at int, name string) (int, error) {
	for {
		fd, err := unix.Openat(at, name, openFlags, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// read fills in what the directory holds and closes fd.
func (s *scanner) read(fd int, d *directory) {
	defer unix.Close(fd)
	buffer := s.buffers.Get().(*[]byte)
	err := dirfd.List(fd, *buffer, func(found dirfd.Entry) {
		name := string(found.Name)
		var stat unix.Stat_t
		switch err := statAt(fd, name, &stat); {
		case err == nil:
			d.entries = append(d.entries, entry{row: rowOf(&stat)})
			d.entries[len(d.entries)-1].row.Path = name
		case errors.Is(err, unix.ENOENT): // gone since it was listed
		default:
			d.entries = append(d.entries, entry{row: Row{Path: name, Type: Unknown}})
		}
	})
	s.buffers.Put(buffer)
	d.unreadable = err != nil && !errors.Is(err, unix.ENOENT) // a removed directory cannot be listed
	s.count.Add(int64(len(d.entries)))
	if s.ctx.Err() != nil {
		return
	}
	for i := range d.entries {
		e := &d.entries[i]
		switch e.row.Type {
		case Link:
			s.readLink(fd, e)
		case Dir:
			if !isObjectStore(e.row.Path, d.entries) {
				s.open(fd, e)
			}
		}
	}
}

// open descends into a subdirectory. One that is gone, or that is something
// else by now, is as good as gone; one that cannot be opened is unreadable.
func (s *scanner) open(fd int, e *entry) {
	sub, err := openDirectory(fd, e.row.Path)
	switch {
	case err == nil:
		e.row.Digest = attributes(sub)
		e.dir = &directory{}
		s.descend(func() { s.read(sub, e.dir) })
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
	default:
		e.dir = &directory{unreadable: true}
	}
}

// attributes is the digest of a directory's extended attributes, default
// access lists among them, "" where it has none. A file's need not be read: its
// change time tells, which a directory's row does not have.
func attributes(fd int) string {
	var small [256]byte
	names := small[:]
	n, err := unix.Flistxattr(fd, names)
	if errors.Is(err, unix.ERANGE) {
		names = make([]byte, 64<<10)
		n, err = unix.Flistxattr(fd, names)
	}
	if err != nil || n <= 0 {
		return ""
	}
	list := strings.Split(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00")
	slices.Sort(list)
	var text []byte
	value := make([]byte, 64<<10)
	for _, name := range list {
		n, err := unix.Fgetxattr(fd, name, value)
		if err != nil {
			n = 0 // ours to name, not to read
		}
		text = append(append(text, name...), 0)
		text = binary.NativeEndian.AppendUint32(text, uint32(n))
		text = append(text, value[:n]...)
	}
	return digest.Bytes(text)
}

func (s *scanner) readLink(fd int, e *entry) {
	var buffer [unix.PathMax]byte
	n, err := unix.Readlinkat(fd, e.row.Path, buffer[:])
	if err != nil {
		e.row.Digest = ""
		return
	}
	e.row.Digest = string(buffer[:n])
}

func statAt(fd int, name string, stat *unix.Stat_t) error {
	for {
		err := unix.Fstatat(fd, name, stat, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func rowOf(stat *unix.Stat_t) Row {
	r := Row{Mode: uint32(stat.Mode) & 0o7777, UID: stat.Uid, GID: stat.Gid, Ino: stat.Ino}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		r.Type = File
	case unix.S_IFDIR:
		r.Type = Dir
		return r
	case unix.S_IFLNK:
		r.Type = Link
	case unix.S_IFIFO:
		r.Type = Fifo
	case unix.S_IFSOCK:
		r.Type = Socket
	case unix.S_IFCHR:
		r.Type = Char
		r.Digest = fmt.Sprintf("%d:%d", unix.Major(uint64(stat.Rdev)), unix.Minor(uint64(stat.Rdev)))
	case unix.S_IFBLK:
		r.Type = Block
		r.Digest = fmt.Sprintf("%d:%d", unix.Major(uint64(stat.Rdev)), unix.Minor(uint64(stat.Rdev)))
	default:
		r.Type = Unknown
	}
	r.Size, r.Mtime, r.Ctime = stat.Size, unix.TimespecToNsec(stat.Mtim), unix.TimespecToNsec(stat.Ctim)
	return r
}
