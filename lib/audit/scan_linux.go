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
	count   atomic.Int64 // of rows
	text    atomic.Int64 // bytes of all paths, at least
	desks   sync.Pool
	stores  []string // not to descend into
	skipped []fileID // the same, as the file system knows them
}

// fileID is a file as the file system knows it, by whatever name.
type fileID struct{ dev, ino uint64 }

func idOf(stat *unix.Stat_t) fileID { return fileID{uint64(stat.Dev), stat.Ino} }

// isStore tells whether a directory, which fd holds under name, is one of the
// object stores.
func (s *scanner) isStore(fd int, name string) bool {
	var stat unix.Stat_t
	return name == objectFolder && statAt(fd, name, &stat) == nil && slices.Contains(s.skipped, idOf(&stat))
}

const openFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

// start reads the tree at root, which must be a directory.
func (s *scanner) start(root string) (*directory, Row, error) {
	s.desks.New = func() any { return &desk{buffer: make([]byte, 64<<10)} }
	fd, err := openDirectory(unix.AT_FDCWD, root)
	if err != nil {
		return nil, Row{}, &fs.PathError{Op: "scan", Path: root, Err: err}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		_ = unix.Close(fd)
		return nil, Row{}, &fs.PathError{Op: "scan", Path: root, Err: err}
	}
	for _, store := range s.stores {
		var at unix.Stat_t
		if unix.Lstat(store, &at) == nil {
			s.skipped = append(s.skipped, idOf(&at))
		}
	}
	top, row := &directory{}, rowOf(&stat)
	row.Digest = attributes(fd)
	s.work(func() { s.read(fd, top, 0) })
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

// desk is what a worker needs to list a directory.
type desk struct {
	buffer []byte
	names  []byte // of one directory, one after the other
	spans  []span
}

// span is where a name stands.
type span struct{ from, to int }

// list gives the names in a directory in byte order. The names share one text.
func (w *desk) list(fd int) (text string, _ []span, _ error) {
	w.names, w.spans = w.names[:0], w.spans[:0]
	err := dirfd.List(fd, w.buffer, func(found dirfd.Entry) {
		from := len(w.names)
		w.names = append(w.names, found.Name...)
		w.spans = append(w.spans, span{from, len(w.names)})
	})
	text = string(w.names)
	slices.SortFunc(w.spans, func(a, b span) int { return strings.Compare(text[a.from:a.to], text[b.from:b.to]) })
	return text, w.spans, err
}

// read fills in what the directory holds and closes fd. depth is the length of
// its path with a slash behind it.
func (s *scanner) read(fd int, d *directory, depth int) {
	defer unix.Close(fd)
	w := s.desks.Get().(*desk)
	text, spans, err := w.list(fd)
	d.rows = make([]Row, 0, len(spans))
	for _, at := range spans {
		name := text[at.from:at.to]
		var stat unix.Stat_t
		switch err := statAt(fd, name, &stat); {
		case err == nil:
			d.rows = append(d.rows, rowOf(&stat))
			d.rows[len(d.rows)-1].Path = name
		case errors.Is(err, unix.ENOENT): // gone since it was listed
		default:
			d.rows = append(d.rows, Row{Path: name, Type: Unknown})
		}
	}
	s.desks.Put(w)
	d.unreadable = err != nil && !errors.Is(err, unix.ENOENT) // a removed directory cannot be listed
	s.count.Add(int64(len(d.rows)))
	s.text.Add(int64(len(d.rows)*depth + len(text)))
	if s.ctx.Err() != nil {
		return
	}
	for i := range d.rows {
		switch r := &d.rows[i]; r.Type {
		case Link:
			s.readLink(fd, r)
		case Dir:
			if !s.isStore(fd, r.Path) {
				s.open(fd, d, i, depth)
			}
		}
	}
}

// open descends into a subdirectory, that of row i. One that is gone, or that
// is something else by now, is as good as gone; one that cannot be opened is
// unreadable.
func (s *scanner) open(fd int, d *directory, i, depth int) {
	r := &d.rows[i]
	fd, err := openDirectory(fd, r.Path)
	below := &directory{unreadable: err != nil}
	switch {
	case err == nil:
		r.Digest = attributes(fd)
		d.subs = append(d.subs, sub{i, below})
		s.descend(func() { s.read(fd, below, depth+len(r.Path)+1) })
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
	default:
		d.subs = append(d.subs, sub{i, below})
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

func (s *scanner) readLink(fd int, r *Row) {
	var buffer [unix.PathMax]byte
	if n, err := unix.Readlinkat(fd, r.Path, buffer[:]); err == nil {
		r.Digest = string(buffer[:n])
	}
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
