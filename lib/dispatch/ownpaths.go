package dispatch

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"okstra/lib/atomicfile"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/run"
)

// ownPaths are what the dispatcher and the lead's own commands write while
// jobs run. They are no changes of a job, as long as they are what their
// writer left: a worker that nothing holds could write them as well.
// Rule: docs/audit.md, "Whose change".
type ownPaths struct {
	mu      sync.Mutex
	trees   []string               // what is audited
	folders []string               // homes and temporary folders
	shared  map[string]bool        // files that others write too
	checked map[string]func() bool // files of which the lead writes a part
	stems   map[string]bool        // shared files whose names end in a number, without it
	written map[string]*written    // files that only this dispatcher writes
}

func newOwnPaths() *ownPaths {
	return &ownPaths{shared: map[string]bool{}, checked: map[string]func() bool{}, stems: map[string]bool{}, written: map[string]*written{}}
}

// written is a file of which only we write, as we left it.
type written struct {
	mu     sync.Mutex
	last   fs.FileInfo // nil: we wrote none, or could not
	spoilt bool        // somebody else wrote it before us
}

// tree says that dir is audited: nothing that holds it is ours.
func (o *ownPaths) tree(dir string) { o.trees = append(o.trees, dir) }

// folder takes everything below dir, unless an audited tree lies in it.
func (o *ownPaths) folder(dir string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, tree := range o.trees {
		if run.Within(tree, dir) {
			return
		}
	}
	o.folders = append(o.folders, dir)
}

// share takes files that others than this dispatcher write: of them only the
// names are known. An empty name is none.
func (o *ownPaths) share(paths ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, path := range paths {
		if path != "" {
			o.shared[path] = true
		}
	}
}

// shareNumbered takes the shared files that are called stem and a number.
func (o *ownPaths) shareNumbered(stem string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stems[stem] = true
}

// write writes a file that nobody else may write, and remembers how it was
// left. Without ownPaths it only writes.
func (o *ownPaths) write(path string, write func() error) error {
	if o == nil {
		return write()
	}
	w := o.writtenAt(path, true)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spoilt = w.spoilt || w.last != nil && !w.isAsLeft(path)
	err := write()
	w.last, _ = os.Lstat(path)
	return err
}

// wrote takes a file that somebody has just written on our behalf.
func (o *ownPaths) wrote(path string) { _ = o.write(path, func() error { return nil }) }

// writeDocument is write for a sidecar.
func (o *ownPaths) writeDocument(path string, v any) error {
	return o.write(path, func() error { return writeDocument(path, v) })
}

func (o *ownPaths) writtenAt(path string, make bool) *written {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := o.written[path]
	if w == nil && make {
		w = &written{}
		o.written[path] = w
	}
	return w
}

func (w *written) isAsLeft(path string) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, w.last) && now.Mode() == w.last.Mode() && now.Size() == w.last.Size() &&
		now.ModTime().Equal(w.last.ModTime()) && changeTime(now).Equal(changeTime(w.last))
}

// has tells whether what became of path is our doing. path is clean and
// absolute.
func (o *ownPaths) has(path string) bool {
	if w := o.writtenAt(path, false); w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		return !w.spoilt && w.last != nil && w.isAsLeft(path)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if check := o.checked[path]; check != nil {
		return check()
	}
	for _, dir := range o.folders {
		if run.Within(path, dir) {
			return true
		}
	}
	switch kind, target := atomicfile.CompanionOf(path); kind {
	case atomicfile.TargetsLock:
		return (o.isNamed(target) || isLease(target)) && isPlain(path, 0)
	case atomicfile.TargetsTemporary:
		return o.isNamed(target) && (isPlain(path, -1) || !exists(path))
	default:
		return o.isShared(path) && isPlain(path, -1)
	}
}

// isNamed tells whether path is one of ours by its name.
func (o *ownPaths) isNamed(path string) bool {
	return o.written[path] != nil || o.isShared(path)
}

func (o *ownPaths) isShared(path string) bool {
	stem := strings.TrimRight(path, "0123456789")
	return o.shared[path] || stem != path && o.stems[stem]
}

// isLease tells whether path is one of the targets in a project's folder of
// locks: the planning, or a tree.
func isLease(path string) bool {
	dir, name := filepath.Split(path)
	return strings.HasSuffix(dir, "/.okstra/locks/") && (name == "plan" || strings.HasPrefix(name, "tree-") && strings.Trim(name[len("tree-"):], "0123456789abcdef") == "")
}

// isPlain tells whether path is a regular file, of so many bytes if size is
// not negative.
func isPlain(path string, size int64) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && (size < 0 || info.Size() == size)
}

// ownPathsOf lists what is written for the jobs of a batch by others than this
// dispatcher.
func ownPathsOf(tasks []*task) *ownPaths {
	o := newOwnPaths()
	for _, t := range tasks {
		o.tree(t.job.ProjectRoot)
		o.tree(workdir(t.job))
		if m := t.manifest; m != nil {
			o.run(*m)
		}
	}
	return o
}

// run takes the files of a run that the lead's own commands write.
func (o *ownPaths) run(m run.Manifest) {
	for _, path := range []string{m.EventsLogPath, m.ErrorsLogPath, m.TeamStatePath} {
		o.share(run.Abs(m.ProjectRoot, path))
	}
}

// manifest takes a run manifest, of which the lead's own commands write the
// status.
func (o *ownPaths) manifest(m run.Manifest) {
	path := run.Abs(m.ProjectRoot, m.Folder().RunManifest())
	o.share(path)
	o.checked[path] = func() bool {
		now, err := run.LoadManifest(path)
		now.Status = m.Status
		return err == nil && isPlain(path, -1) && reflect.DeepEqual(now, m)
	}
}

// attempt takes what the process of an attempt itself fills: its output.
func (o *ownPaths) attempt(p paths) { o.share(p.abs(p.Log), p.abs(p.Stdout), p.abs(p.Stderr)) }

// begun takes what a dispatcher that is gone may have begun to write for an
// attempt.
func (o *ownPaths) begun(p paths, n int) {
	o.attempt(p)
	o.share(p.abs(p.Attempt), p.abs(p.Status))
	if n > 1 {
		o.share(p.abs(p.Prompt))
	}
}

// past takes every file of an attempt of an earlier dispatcher, of which
// nobody remembers how it left them, and of an overlay what was copied out.
func (o *ownPaths) past(p *past) {
	o.begun(p.files, p.n)
	if p.sidecar == nil {
		return
	}
	if path := p.sidecar.BaselinePath; path != "" {
		o.share(p.files.abs(path))
	}
	if b := p.sidecar.Boundary; b != nil && b.Kind == boundary.Overlay {
		for _, m := range b.Mutations {
			if m.CopiedOut {
				o.share(p.files.abs(m.Path))
			}
		}
	}
}
