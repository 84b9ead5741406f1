//go:build !linux

package audit

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

// scanner reads a tree with the means of the standard library.
type scanner struct {
	ctx     context.Context
	idle    chan func()
	pending sync.WaitGroup
	count   atomic.Int64
}

func (s *scanner) start(root string) (*directory, Row, error) {
	info, err := os.Lstat(root)
	if err != nil {
		return nil, Row{}, err
	}
	if !info.IsDir() {
		return nil, Row{}, &fs.PathError{Op: "scan", Path: root, Err: syscall.ENOTDIR}
	}
	top := &directory{}
	s.work(func() { s.read(root, top) })
	return top, rowOf(info), nil
}

func (s *scanner) read(path string, d *directory) {
	names, err := os.ReadDir(path)
	d.unreadable = err != nil && !os.IsNotExist(err)
	for _, name := range names {
		info, err := name.Info()
		switch {
		case err == nil:
			e := entry{row: rowOf(info)}
			e.row.Path = name.Name()
			if e.row.Type == Link {
				e.row.Digest, _ = os.Readlink(filepath.Join(path, name.Name()))
			}
			d.entries = append(d.entries, e)
		case os.IsNotExist(err):
		default:
			d.entries = append(d.entries, entry{row: Row{Path: name.Name(), Type: Unknown}})
		}
	}
	s.count.Add(int64(len(d.entries)))
	for i := range d.entries {
		e := &d.entries[i]
		if s.ctx.Err() == nil && e.row.Type == Dir && !isObjectStore(e.row.Path, d.entries) {
			e.dir = &directory{}
			s.descend(func() { s.read(filepath.Join(path, e.row.Path), e.dir) })
		}
	}
}

func rowOf(info fs.FileInfo) Row {
	r := Row{Type: Unknown, Mode: uint32(info.Mode().Perm())}
	for bit, octal := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if info.Mode()&bit != 0 {
			r.Mode |= octal
		}
	}
	switch kind := info.Mode().Type(); {
	case kind == 0:
		r.Type = File
	case kind == fs.ModeDir:
		r.Type = Dir
	case kind == fs.ModeSymlink:
		r.Type = Link
	case kind == fs.ModeNamedPipe:
		r.Type = Fifo
	case kind == fs.ModeSocket:
		r.Type = Socket
	case kind&fs.ModeCharDevice != 0:
		r.Type = Char
	case kind == fs.ModeDevice:
		r.Type = Block
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return r
	}
	r.UID, r.GID, r.Ino = stat.Uid, stat.Gid, uint64(stat.Ino)
	if r.Type != Dir {
		r.Size, r.Mtime, r.Ctime = info.Size(), info.ModTime().UnixNano(), changeTime(stat)
	}
	return r
}
