package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"okstra/lib/transcript"
)

// folder is one to look into.
type folder struct {
	path    string
	mayMiss bool
	info    fs.FileInfo
	fault   error // the folder is not there or not to be seen
	cut     error // why not all of its entries were read
	entries []entry
}

// entry is what a folder holds that may matter.
type entry struct {
	path   string
	folder bool // known to be one without a look at it
	info   fs.FileInfo
	fault  error
	reader *transcript.Reader
}

// dir collects the transcripts in a folder and below. The folders of one depth are
// read at once, for most of the time the kernel looks names up; what they hold is
// then taken in their order, so that which name of a file is met first never
// depends on timing.
func (fi *finder) dir(dir string, reader func(string) *transcript.Reader, mayMiss bool) {
	level := []folder{{path: dir, mayMiss: mayMiss}}
	for len(level) > 0 {
		atOnce(len(level), func(i int) { level[i].look(reader) })
		var below []folder
		for i := range level {
			below = fi.take(&level[i], below)
		}
		level = below
	}
}

// look reads a folder and looks at those of its entries that may matter.
func (d *folder) look(reader func(string) *transcript.Reader) {
	if d.info, d.fault = os.Stat(d.path); d.fault != nil || !d.info.IsDir() {
		return
	}
	var list []fs.DirEntry
	list, d.cut = os.ReadDir(d.path)
	d.entries = make([]entry, 0, len(list))
	prefix := filepath.Join(d.path, "x")
	prefix = prefix[:len(prefix)-1]
	for _, e := range list {
		one := entry{path: prefix + e.Name(), folder: e.IsDir()}
		if !one.folder {
			link := e.Type()&fs.ModeSymlink != 0
			if !link && !e.Type().IsRegular() {
				continue
			}
			if one.reader = reader(one.path); one.reader == nil && !link {
				continue
			}
			one.info, one.fault = os.Stat(one.path)
		}
		d.entries = append(d.entries, one)
	}
}

// take keeps the transcripts of a folder that was looked into, and adds the folders
// in it to those below.
func (fi *finder) take(d *folder, below []folder) []folder {
	if d.fault != nil {
		if !d.mayMiss || !errors.Is(d.fault, fs.ErrNotExist) && !errors.Is(d.fault, syscall.ENOTDIR) {
			fi.warn(d.fault)
		}
		return below
	}
	if !d.info.IsDir() || !fi.first(d.info) {
		return below
	}
	if d.cut != nil {
		fi.warn(d.cut)
	}
	for i := range d.entries {
		e := &d.entries[i]
		switch {
		case e.fault != nil:
			if !errors.Is(e.fault, fs.ErrNotExist) { // gone since, or a dangling link
				fi.warn(e.fault)
			}
		case e.folder || e.info.IsDir():
			below = append(below, folder{path: e.path, mayMiss: true})
		case e.reader != nil:
			fi.file(e.path, e.info, e.reader)
		}
	}
	return below
}
