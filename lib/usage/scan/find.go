package scan

import (
	"cmp"
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
	seen  identities
	files []found
	warn  func(error)
	root  transcript.Root // that is being searched; none for paths the caller named

	lookers []looker
	shards  map[[2]string]string // the names of cache files, by provider and group
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
		case !info.Mode().IsRegular():
			faults = append(faults, &fs.PathError{Op: "read", Path: path, Err: transcript.ErrNotRegular})
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
	if info, err := os.Stat(path); err != nil || info.Size() == 0 { // some of /proc keep a reader waiting and have no size
		return nil
	}
	f, err := transcript.OpenRegular(path)
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
	fi.files = append(transcript.More(fi.files), found{
		reader: reader, path: path, size: stat.Size, mtime: stat.Mtime, ctime: stat.Ctime, device: stat.Device, inode: stat.Inode,
		shard: fi.shardOf(reader.Provider, path),
	})
}

// first reports whether a file or folder was not met before.
func (fi *finder) first(stat dirfd.Stat) bool {
	if stat.Inode == 0 {
		return true // the system does not tell that this is another name of it
	}
	return fi.seen.add(identity{stat.Device, stat.Inode})
}

// choose drops the poorer copies of files that a provider moves or somebody
// compresses: plain wins over compressed, the root named first over the later ones. Then it
// sorts by path.
func choose(files []found) []found {
	packed := slices.ContainsFunc(files, func(f found) bool { return compressed(f.path) })
	best, drop := make(map[string]int), make([]bool, len(files))
	for i := range files {
		f := &files[i]
		key := strings.TrimSuffix(f.path, ".zst")
		switch {
		case f.reader.SameFile != nil:
			key = f.reader.Provider + "\x00" + f.reader.SameFile(f.path)
		case !packed:
			continue // no other file is of that name
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
	type place struct {
		path string
		at   int
	}
	order := transcript.Room[place](len(files))
	for i := range files {
		if !drop[i] {
			order = append(order, place{files[i].path, i})
		}
	}
	slices.SortFunc(order, func(a, b place) int { return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.at, b.at)) })
	order = slices.CompactFunc(order, func(a, b place) bool { return a.path == b.path })
	kept := transcript.Room[found](len(order))
	for _, p := range order {
		kept = append(kept, files[p.at])
	}
	return kept
}

func compressed(path string) bool { return strings.HasSuffix(path, ".zst") }
