//go:build !linux

package audit

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// scanner reads a tree with the means of the standard library.
type scanner struct {
	ctx     context.Context
	idle    chan func()
	pending sync.WaitGroup
	count   atomic.Int64 // of rows
	text    atomic.Int64 // bytes of all paths, at least
	stores  []string     // not to descend into
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
	s.work(func() { s.read(root, top, 0) })
	return top, rowOf(info), nil
}

// read fills in what the directory holds. depth is the length of its path below
// the root with a slash behind it.
func (s *scanner) read(path string, d *directory, depth int) {
	names, err := os.ReadDir(path) // sorted
	d.unreadable = err != nil && !os.IsNotExist(err)
	for _, name := range names {
		info, err := name.Info()
		row := Row{Type: Unknown}
		switch {
		case err == nil:
			row = rowOf(info)
		case os.IsNotExist(err):
			continue
		}
		row.Path = name.Name()
		if row.Type == Link {
			row.Digest, _ = os.Readlink(filepath.Join(path, row.Path))
		}
		d.rows = append(d.rows, row)
		s.text.Add(int64(depth + len(row.Path)))
	}
	s.count.Add(int64(len(d.rows)))
	for i := range d.rows {
		name := d.rows[i].Path
		if s.ctx.Err() == nil && d.rows[i].Type == Dir && !slices.Contains(s.stores, filepath.Join(path, name)) {
			below := &directory{}
			d.subs = append(d.subs, sub{i, below})
			s.descend(func() { s.read(filepath.Join(path, name), below, depth+len(name)+1) })
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
