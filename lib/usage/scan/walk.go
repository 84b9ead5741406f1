package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"okstra/lib/dirfd"
	"okstra/lib/transcript"
)

// folder is one to look into.
type folder struct {
	path    string
	prefix  string // of the paths of what is in it
	mayMiss bool
	stat    dirfd.Stat
	fault   error // the folder is not there or not to be seen
	cut     error // why not all of its entries were read
	entries []entry
}

// entry is what a folder holds that may matter.
type entry struct {
	prefix string // the path as that of a folder
	folder bool   // known to be one without a look at it
	stat   dirfd.Stat
	fault  error
	reader *transcript.Reader
}

func (e *entry) path() string { return e.prefix[:len(e.prefix)-1] }

// looker is what one worker reuses from folder to folder.
type looker struct {
	buffer  []byte // what the kernel lists
	path    []byte
	texts   transcript.Texts
	entries []entry // of the folders of one depth
}

// listSize is how much of a folder is listed at a time.
const listSize = 32 << 10

// dir collects the transcripts in a folder and below. The folders of one depth are
// read at once, for most of the time the kernel looks names up; what they hold is
// then taken in their order, so that which name of a file is met first never
// depends on timing.
func (fi *finder) dir(dir string, reader func(string) *transcript.Reader, mayMiss bool) {
	if fi.lookers == nil {
		fi.lookers = make([]looker, workers())
	}
	prefix := filepath.Join(dir, "x")
	level, below := []folder{{path: dir, prefix: prefix[:len(prefix)-1], mayMiss: mayMiss}}, []folder(nil)
	for len(level) > 0 {
		for i := range fi.lookers {
			fi.lookers[i].entries = fi.lookers[i].entries[:0]
		}
		atOnce(len(level), func(worker, i int) { level[i].look(&fi.lookers[worker], reader) })
		below = below[:0]
		for i := range level {
			below = fi.take(&level[i], below)
		}
		level, below = below, level
	}
}

// look reads a folder and looks at those of its entries that may matter.
func (d *folder) look(l *looker, reader func(string) *transcript.Reader) {
	dir, err := dirfd.Open(d.path)
	if err != nil {
		d.closed(err)
		return
	}
	defer dir.Close()
	if d.stat, d.fault = dir.Stat(); d.fault != nil {
		return
	}
	if l.buffer == nil {
		l.buffer = make([]byte, listSize)
	}
	first := len(l.entries)
	d.cut = dir.List(l.buffer, func(e dirfd.Entry) { l.add(d.prefix, e, reader) })
	d.entries = l.entries[first:len(l.entries):len(l.entries)]
	if !slices.IsSortedFunc(d.entries, byPath) {
		slices.SortFunc(d.entries, byPath)
	}
	for i := range d.entries {
		if e := &d.entries[i]; !e.folder {
			e.stat, e.fault = dir.Look(e.path()[len(d.prefix):])
		}
	}
}

func byPath(a, b entry) int { return strings.Compare(a.path(), b.path()) }

// closed notes what can be known of a folder that cannot be opened.
func (d *folder) closed(why error) {
	info, err := os.Stat(d.path)
	if err != nil {
		d.fault = err
		return
	}
	d.stat, d.cut = dirfd.Of(info), why
}

// add keeps a name that may matter.
func (l *looker) add(prefix string, e dirfd.Entry, reader func(string) *transcript.Reader) {
	if e.Kind == dirfd.Other {
		return
	}
	l.path = append(append(append(l.path[:0], prefix...), e.Name...), os.PathSeparator)
	one := entry{prefix: l.texts.Keep(l.path), folder: e.Kind == dirfd.Folder}
	if !one.folder {
		if one.reader = reader(one.path()); one.reader == nil && e.Kind == dirfd.File {
			return
		}
	}
	l.entries = append(transcript.More(l.entries), one)
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
	if d.stat.Kind != dirfd.Folder || !fi.first(d.stat) {
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
		case e.folder || e.stat.Kind == dirfd.Folder:
			below = append(transcript.More(below), folder{path: e.path(), prefix: e.prefix, mayMiss: true})
		case e.reader != nil:
			fi.file(e.path(), e.stat, e.reader)
		}
	}
	return below
}
