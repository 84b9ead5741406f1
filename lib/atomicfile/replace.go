// Package atomicfile writes files that survive a crash and a second writer:
// whole replacement, appending of rows, and the lock that keeps writers
// apart. It never follows a symbolic link at the path it is given.
// Rule: docs/files.md.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// Errors about the path itself.
var (
	// ErrSymlink is a path whose last component is a symbolic link, dangling or not.
	ErrSymlink = errors.New("is a symbolic link")
	// ErrNotRegular is a path that names a directory, a device or the like.
	ErrNotRegular = errors.New("is not a regular file")
)

var errFinished = errors.New("already committed or aborted")

// Write replaces the file at path by data, or creates it, with exactly the
// mode perm. Whatever happens in between, path holds the old bytes or the new
// ones; when Write returns nil, the new ones survive a power cut.
// Rule: docs/files.md, "Replacing a file".
func Write(path string, data []byte, perm fs.FileMode) error {
	p, err := Create(path, perm)
	if err != nil {
		return err
	}
	_, _ = p.Write(data) // Commit remembers its error
	return p.Commit()
}

// WriteUnswept is Write without the look for what dead writers left beside the
// target: for programs that write thousands of files into one folder, where
// each look would read the whole of it. The next Write of the target sweeps.
func WriteUnswept(path string, data []byte, perm fs.FileMode) error {
	p, err := create(path, perm)
	if err != nil {
		return err
	}
	_, _ = p.Write(data)
	return p.Commit()
}

// Pending is a new content that waits beside its target under another name.
// It must be ended by Commit, CommitAll or Abort. It is not safe for use by
// several goroutines.
type Pending struct {
	path string
	file *renameio.PendingFile
	err  error // the first error, or errFinished
}

// Create begins a new content for path, whose directory must exist. Nothing
// shows at path before the commit.
func Create(path string, perm fs.FileMode) (*Pending, error) {
	p, err := create(path, perm)
	if err == nil {
		sweep(path, p.file.File)
	}
	return p, err
}

func create(path string, perm fs.FileMode) (*Pending, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(perm))
	if err != nil {
		return nil, at(path, err)
	}
	markAlive(file.File)
	return &Pending{path: path, file: file}, nil
}

// Path gives the path that a commit will replace.
func (p *Pending) Path() string { return p.path }

// Write appends to the new content. After an error every later call, Commit
// included, gives that error again.
func (p *Pending) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.file.Write(b)
	if err != nil {
		p.err = at(p.path, err)
	}
	return n, p.err
}

// Commit puts the content in place. After an error the target is as it was
// and the content is gone.
func (p *Pending) Commit() error { return CommitAll(p) }

// Abort drops the content. After a commit it does nothing, so that it can be
// deferred.
func (p *Pending) Abort() {
	if p.err == errFinished {
		return
	}
	_ = p.file.Cleanup() // what stays behind is swept by a later Create
	p.err = errFinished
}

// CommitAll puts several contents in place. All of them are on disk before
// the first one is renamed, so that a full disk changes none of the targets;
// only a crash or a failing rename between two renames can leave some new and
// some old, in the order given.
func CommitAll(pending ...*Pending) error {
	for _, p := range pending {
		if err := p.prepare(); err != nil {
			abortAll(pending)
			return err
		}
	}
	for _, p := range pending {
		if err := p.file.CloseAtomicallyReplace(); err != nil {
			abortAll(pending)
			return at(p.path, err)
		}
		p.err = errFinished
	}
	return syncDirs(pending)
}

// prepare brings the content to disk and looks at the target once more.
func (p *Pending) prepare() error {
	if p.err == errFinished {
		return fmt.Errorf("%s: %w", p.path, errFinished)
	}
	if p.err != nil {
		return p.err
	}
	if err := p.file.Sync(); err != nil {
		return at(p.path, err)
	}
	return replaceable(p.path)
}

func abortAll(pending []*Pending) {
	for _, p := range pending {
		p.Abort()
	}
}

func syncDirs(pending []*Pending) error {
	done := map[string]bool{}
	for _, p := range pending {
		dir := filepath.Dir(p.path)
		if done[dir] {
			continue
		}
		done[dir] = true
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes a rename or a new name in dir durable. File systems that
// cannot do it for a directory say so with EINVAL or ENOTSUP.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return at(dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return at(dir, err)
	}
	return nil
}

// replaceable refuses targets that a rename would destroy although they are
// no files of ours: a link somebody made on purpose, a device.
func replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return at(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: %w", path, ErrSymlink)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return nil
}

// at says which file an error is about: the path as the caller knows it, not
// the temporary one that the os package names.
func at(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %s: %w", path, e.Op, e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("%s: %s: %w", path, e.Op, e.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
