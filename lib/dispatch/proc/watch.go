package proc

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FileWatcher sees progress in the growth of files: Paths are the outputs and
// count as output bytes; Trees are folders in which a program keeps its
// session, where a file newer than Since is a sign of life. Other programs may
// write there too, so a tree proves less than output does.
type FileWatcher struct {
	Paths []string
	Trees []string
	Since time.Time
	Now   func() time.Time // to see how long a look takes

	bytes    int64
	newest   time.Time
	size     int64 // of all files in the trees
	alive    bool
	nextWalk time.Time
}

// Walking a large tree costs more than it tells: it is looked at only while
// there is no output, at most every walkPause, and never for more than a
// fiftieth of the time.
const walkPause = 2 * time.Second

// Look compares the files with what they were at the last look.
func (w *FileWatcher) Look(now time.Time) Sight {
	var bytes int64
	for i, path := range w.Paths {
		if i > 0 && path == w.Paths[0] {
			continue
		}
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	progress := bytes > w.bytes
	w.bytes = bytes
	if !progress {
		progress = w.grown(now)
	}
	w.alive = w.alive || progress
	return Sight{Alive: w.alive, Progress: progress, Bytes: bytes}
}

// grown tells whether a file in the trees is newer than any seen before, or
// grew: where the clock was set back, what is new looks old.
func (w *FileWatcher) grown(now time.Time) bool {
	if len(w.Trees) == 0 || now.Before(w.nextWalk) {
		return false
	}
	begin := w.Now()
	newest, size := newestIn(w.Trees)
	first, before := w.nextWalk.IsZero(), w.size
	w.size = size
	w.nextWalk = now.Add(max(walkPause, 50*w.Now().Sub(begin)))
	if newest.After(w.newest) && newest.After(w.Since) {
		w.newest = newest
		return true
	}
	return !first && size > before
}

// newestIn is the time of the newest file in the trees, and the size of all. A tree that vanishes
// or cannot be read is as good as empty: it can show no progress.
func newestIn(trees []string) (newest time.Time, size int64) {
	for _, tree := range trees {
		_ = filepath.WalkDir(tree, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			info, err := entry.Info()
			if err != nil {
				return nil
			}
			size += info.Size()
			if info.ModTime().After(newest) {
				newest = info.ModTime()
			}
			return nil
		})
	}
	return newest, size
}
