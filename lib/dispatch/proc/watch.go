package proc

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FileWatcher sees progress in the growth of files: Paths are the outputs and
// count as output bytes; Trees are folders in which a program keeps its
// session, where any new or newer file is a sign of life.
type FileWatcher struct {
	Paths []string
	Trees []string

	bytes  int64
	newest time.Time
	looked bool
}

// Look compares the files with what they were at the last look. The state of
// the trees at the first look is no sign of life: it was there before.
func (w *FileWatcher) Look(time.Time) Sight {
	var bytes int64
	for i, path := range w.Paths {
		if i > 0 && path == w.Paths[0] {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	newest := newestIn(w.Trees)
	grown := w.looked && newest.After(w.newest)
	progress := bytes > w.bytes || grown
	w.bytes, w.newest, w.looked = bytes, newest, true
	return Sight{Alive: bytes > 0 || grown, Progress: progress, Bytes: bytes}
}

// newestIn is the time of the newest file in the trees. A tree that vanishes
// or cannot be read is as good as empty: it can show no progress.
func newestIn(trees []string) time.Time {
	var newest time.Time
	for _, tree := range trees {
		_ = filepath.WalkDir(tree, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := entry.Info(); err == nil && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
			return nil
		})
	}
	return newest
}
