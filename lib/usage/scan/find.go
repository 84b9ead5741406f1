package scan

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"okstra/lib/dirfd"
	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
)

// found is a transcript file before it is read.
type found struct {
	reader        *transcript.Reader
	path          string
	size          int64
	mtime, ctime  int64 // nanoseconds since 1970
	device, inode uint64
	shard         string // the cache file that knows it
}

// finder collects files. A file that is reached twice, through a link or two
// names of one home, is found once.
type finder struct {
	seen  map[[2]uint64]bool
	files []found
	warn  func(error)
	root  transcript.Root // that is being searched; none for paths the caller named

	lookers []looker
}

// inHome finds the transcripts of the readers under a home. Roots that do not
// exist are no fault: most machines have one or two of the CLIs.
func (fi *finder) inHome(readers []*transcript.Reader, home transcript.Home) {
	for _, reader := range readers {
		for _, root := range reader.Roots(home) {
			fi.root = root
			fi.dir(root.Dir, func(path string) *transcript.Reader {
				if root.Match(path) {
					return reader
				}
				return nil
			}, true)
		}
	}
}

// inPaths finds the transcripts among the paths given, folders at any depth. A
// path that is missing or no transcript is an error: the caller named it.
func (fi *finder) inPaths(readers []*transcript.Reader, paths []string) error {
	var faults []error
	detect := func(path string) *transcript.Reader {
		r := all.Detect(path, head(path))
		if r != nil && sameProvider(readers) && !slices.Contains(readers, r) {
			return readers[0] // named by the caller, who knows better than the file's name
		}
		if r == nil || !slices.Contains(readers, r) {
			return nil
		}
		return r
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			faults = append(faults, unwrapPath(path, err))
		case info.IsDir():
			fi.dir(path, detect, false)
		default:
			reader := detect(path)
			if reader == nil && sameProvider(readers) {
				reader = readers[0]
			}
			if reader == nil {
				faults = append(faults, &fs.PathError{Op: "read", Path: path, Err: errors.New("is no transcript of a known provider")})
				continue
			}
			fi.file(path, dirfd.Of(info), reader)
		}
	}
	return errors.Join(faults...)
}

func sameProvider(readers []*transcript.Reader) bool {
	return !slices.ContainsFunc(readers, func(r *transcript.Reader) bool { return r.Provider != readers[0].Provider })
}

func unwrapPath(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &fs.PathError{Op: "read", Path: path, Err: err}
}

// head is what a reader is recognised by.
func head(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, _ := f.Read(buf)
	return buf[:n]
}

func (fi *finder) file(path string, stat dirfd.Stat, reader *transcript.Reader) {
	if stat.Kind != dirfd.File || !fi.first(stat) {
		return
	}
	fi.files = append(fi.files, found{
		reader: reader, path: path, size: stat.Size, mtime: stat.Mtime, ctime: stat.Ctime, device: stat.Device, inode: stat.Inode,
		shard: shardOf(reader.Provider, fi.root, path),
	})
}

// first reports whether a file or folder was not met before.
func (fi *finder) first(stat dirfd.Stat) bool {
	if stat.Inode == 0 {
		return true // no system tells that this is another name of it
	}
	if fi.seen == nil {
		fi.seen = make(map[[2]uint64]bool)
	}
	key := [2]uint64{stat.Device, stat.Inode}
	if fi.seen[key] {
		return false
	}
	fi.seen[key] = true
	return true
}

// choose drops the poorer copies of files that a provider moves or somebody
// compresses: plain wins over compressed, the root named first over the later ones. Then it
// sorts by path.
func choose(files []found) []found {
	best := make(map[string]int)
	drop := make(map[int]bool)
	for i, f := range files {
		key := strings.TrimSuffix(f.path, ".zst")
		if f.reader.SameFile != nil {
			key = f.reader.Provider + "\x00" + f.reader.SameFile(f.path)
		}
		j, ok := best[key]
		switch {
		case !ok:
			best[key] = i
		case compressed(files[j].path) && !compressed(f.path):
			best[key] = i
			drop[j] = true
		default:
			drop[i] = true
		}
	}
	kept := files[:0:0]
	for i, f := range files {
		if !drop[i] {
			kept = append(kept, f)
		}
	}
	slices.SortFunc(kept, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return kept
}

func compressed(path string) bool { return strings.HasSuffix(path, ".zst") }
