package dispatch

import (
	"slices"
	"sync"

	"okstra/lib/dispatch/proc"
)

// temps are the folders of one dispatcher in which its jobs have their
// temporary ones: one below each base.
type temps struct {
	mu    sync.Mutex
	bases map[string]*proc.Scratch
}

// below gives the dispatcher's folder below base.
func (l *temps) below(base string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.bases[base]; s != nil {
		return s.Dir, nil
	}
	s, err := proc.MakeScratch(base)
	if err != nil {
		return "", err
	}
	if l.bases == nil {
		l.bases = map[string]*proc.Scratch{}
	}
	l.bases[base] = s
	return s.Dir, nil
}

// remove removes all of them.
func (l *temps) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.bases {
		s.Remove()
	}
	l.bases = nil
}

// sweep removes the temporary folders and overlays of dispatchers that were
// killed. A job that outlived its dispatcher and its slot loses them too: what
// it did is judged by its tree, and resume ends it.
func (h Host) sweep() {
	bases := []string{scratchDir(h), h.TempDir}
	if h.Catalogue != nil {
		for _, row := range h.Catalogue.Providers() {
			bases = append(bases, row.TempDirFor(h.TempDir, h.Home))
		}
	}
	slices.Sort(bases)
	for _, base := range slices.Compact(bases) {
		proc.SweepScratch(base)
	}
}
