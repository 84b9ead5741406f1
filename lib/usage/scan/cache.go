package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/dirfd"
	"okstra/lib/transcript"
)

// The cache is a folder of JSON lines files, one for the transcripts of each
// project; a line is a document of kind okstra-usage-cache. It holds rows, as pass
// 1 keeps them, so whatever is cached, pass 2 gives what it would give without.
// Rule: docs/usage.md, "Cache".
type cache struct {
	dir    string
	shards map[string]*shard
	known  []*memo // what is known of each file, nil for nothing
}

// settled is how old a file's last change must be for its times to tell the next
// change: file systems count time in steps of some milliseconds.
const settled = 100 * time.Millisecond

const (
	headSize = 4096
	tailSize = 256
)

// shardOf names the cache file of a transcript: its provider and the folders
// below the provider's root that belong together.
func (fi *finder) shardOf(provider, path string) string {
	dir := filepath.Dir(path)
	group := filepath.Base(dir)
	if fi.root.Dir != "" {
		group = upTo(below(fi.root.Dir, dir), max(1, fi.root.Depth))
	}
	key := [2]string{provider, group}
	name, ok := fi.shards[key]
	if !ok {
		if fi.shards == nil {
			fi.shards = make(map[[2]string]string)
		}
		name = shardName(provider, strings.ReplaceAll(filepath.ToSlash(group), "/", "-"))
		fi.shards[key] = name
	}
	return name
}

// shardName is the name of the cache file for a group of transcripts.
func shardName(provider, group string) string {
	group = url.PathEscape(group)
	if len(group) > 200 {
		sum := sha256.Sum256([]byte(group))
		group = hex.EncodeToString(sum[:])
	}
	// A name of dots only must not lead elsewhere.
	return filepath.Join(provider, "_"+group+".jsonl")
}

// upTo is a path without the folders behind the first depth ones.
func upTo(path string, depth int) string {
	for i := range len(path) {
		if path[i] != os.PathSeparator {
			continue
		}
		if depth--; depth == 0 {
			return path[:i]
		}
	}
	return path
}

// below is the way from a root down to a folder, "." when it leads nowhere.
func below(root, dir string) string {
	if rel, ok := strings.CutPrefix(dir, root); ok && len(rel) > 1 && rel[0] == os.PathSeparator && filepath.Clean(root) == root {
		return rel[1:] // as nearly always
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "."
	}
	return rel
}

// shard is one file of the cache.
type shard struct {
	name  string
	memos []memo // as they were read, none when it is not there
	files []int  // those that it may know, by their places in the list
}

// openCache reads the shards that may know the files. What cannot be read is as
// good as not there.
func openCache(dir string, list []found) *cache {
	c := &cache{dir: dir, shards: make(map[string]*shard), known: make([]*memo, len(list))}
	var shards []*shard
	for i, f := range list {
		if i > 0 && f.shard == list[i-1].shard {
			continue
		}
		if c.shards[f.shard] == nil {
			c.shards[f.shard] = &shard{name: f.shard}
			shards = append(shards, c.shards[f.shard])
		}
	}
	for i := 0; i < len(list); {
		s := c.shards[list[i].shard]
		for ; i < len(list) && list[i].shard == s.name; i++ {
			s.files = append(s.files, i)
		}
	}
	stores := make([]store, workers())
	atOnce(len(shards), func(worker, i int) {
		shards[i].memos = stores[worker].read(filepath.Join(dir, shards[i].name))
		shards[i].find(list, c.known)
	})
	return c
}

// find looks up what the shard knows of its files. Both stand in the order of
// their paths; a document that somebody has put elsewhere may not be found.
func (s *shard) find(list []found, known []*memo) {
	at := 0
	for i := range s.memos {
		m := &s.memos[i]
		for at < len(s.files) && list[s.files[at]].path < m.path {
			at++
		}
		if at < len(s.files) && list[s.files[at]].path == m.path {
			known[s.files[at]] = m
			at++
		}
	}
}

// store is where one worker keeps what it reads of the cache.
type store struct {
	text  []byte // only ever appended to
	memos []memo // likewise
}

// For how much text a store makes room at a time, at least and at most.
const (
	firstText = 32 << 10
	lastText  = 4 << 20
)

// read reads one shard.
func (s *store) read(path string) []memo {
	text := s.load(path)
	n := bytes.Count(text, []byte{'\n'}) + 1
	if n > cap(s.memos)-len(s.memos) {
		s.memos = transcript.Room[memo](max(transcript.NextRoom[memo](cap(s.memos)), n))
	}
	first := len(s.memos)
	for line := range bytes.Lines(text) {
		s.memos = append(s.memos, memo{})
		if !s.memos[len(s.memos)-1].read(bytes.TrimSuffix(line, []byte{'\n'})) {
			s.memos = s.memos[:len(s.memos)-1]
		}
	}
	return s.memos[first:len(s.memos):len(s.memos)]
}

// load reads a file whole, unless it is none; a link is none.
func (s *store) load(path string) []byte {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	size := int(info.Size())
	if size > cap(s.text)-len(s.text) {
		s.text = transcript.Room[byte](max(min(transcript.NextRoom[byte](cap(s.text)), lastText), firstText, size))
	}
	first := len(s.text)
	n, err := io.ReadFull(file, s.text[first:first+size])
	if err != nil {
		return nil // it is replaced as a whole, so nobody has shortened it
	}
	s.text = s.text[:first+n]
	return s.text[first : first+n : first+n]
}

// standing says what a document is worth for the file as it is now.
type standing int

const (
	worthless standing = iota
	current            // the file is as it was
	grown              // something was appended
)

func (m *memo) standing(f found) standing {
	switch {
	case m.reader != f.reader.Version || m.path != f.path || m.device != f.device || m.inode != f.inode || m.offset > f.size && !compressed(f.path):
		return worthless
	case m.unchanged(&f):
		return current
	case compressed(f.path) || f.reader.Whole || f.size <= m.offset || m.offset == 0:
		return worthless // the same size again is no appending, and a document is written anew
	}
	in, err := os.Open(f.path)
	if err != nil {
		return worthless
	}
	defer in.Close()
	head, tail, ok := digests(in, m.offset)
	if !ok || head != m.head || tail != m.tail {
		return worthless
	}
	return grown
}

// unchanged reports whether a file still has the size and times that it was read by.
func (m *memo) unchanged(f *found) bool {
	return m.size == f.size && m.mtime == f.mtime && m.ctime == f.ctime
}

// digests are those of the first and the last bytes before an offset.
func digests(in io.ReaderAt, offset int64) (head, tail string, ok bool) {
	sum := func(from, size int64) (string, bool) {
		buf := make([]byte, size)
		if n, err := in.ReadAt(buf, from); int64(n) < size && err != nil {
			return "", false
		}
		digest := sha256.Sum256(buf)
		return "sha256:" + hex.EncodeToString(digest[:]), true
	}
	size := min(offset, tailSize)
	head, headOK := sum(0, min(offset, headSize))
	tail, tailOK := sum(offset-size, size)
	return head, tail, headOK && tailOK
}

// document is what is to be cached of a file that was read, nil when nothing is:
// a last line that is not ended may grow, a file that changed a moment ago may
// change again unseen, and a relative path means another file elsewhere.
func (f found) document(file *transcript.File, now time.Time) *memo {
	if !filepath.IsAbs(f.path) || file.Tail.Rows > 0 || now.UnixNano()-max(f.mtime, f.ctime) < int64(settled) {
		return nil
	}
	m := &memo{
		reader: f.reader.Version, path: f.path, device: f.device, inode: f.inode, size: f.size, mtime: f.mtime, ctime: f.ctime,
		offset: file.End.Offset, lines: int64(file.End.Line), bytes: file.End.Offset,
		skipped: file.Skipped - file.Tail.Skipped, bad: file.BadNumbers - file.Tail.BadNumbers, started: file.Started,
		session: file.Session, agent: file.Agent, team: file.Team, cwd: file.CWD, parent: file.Parent,
	}
	if m.offset == 0 || m.offset > f.size && !compressed(f.path) || compressed(f.path) && file.Bytes != m.offset {
		return nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil
	}
	defer in.Close()
	upTo := m.offset
	if compressed(f.path) {
		upTo = f.size // of the bytes as they lie there; such a file is never read on
	}
	var ok bool
	m.head, m.tail, ok = digests(in, upTo)
	// Only if the file is still the one that was read do the digests tell of it.
	info, err := in.Stat()
	if !ok || err != nil || !f.unchanged(info) {
		return nil
	}
	m.raw = m.write(file.Rows)
	if m.raw == nil {
		return nil
	}
	return m
}

func (f found) unchanged(info fs.FileInfo) bool {
	now := dirfd.Of(info)
	return now.Device == f.device && now.Inode == f.inode && now.Ctime == f.ctime && now.Size == f.size && now.Mtime == f.mtime
}

// outdated names the shards that have something new to say.
func (c *cache) outdated(list []found, fresh []*memo) map[string]bool {
	changed := make(map[string]bool)
	for i, f := range list {
		if fresh[i] != c.known[i] {
			changed[f.shard] = true
		}
	}
	return changed
}

// save writes the shards that have changed. Documents of files that the scan did
// not look for stay as long as their files do.
func (c *cache) save(changed map[string]bool, list []found, fresh []*memo) error {
	var faults []error
	for name := range changed {
		faults = append(faults, c.write(c.shards[name], list, fresh))
	}
	return errors.Join(faults...)
}

func (c *cache) write(s *shard, list []found, fresh []*memo) error {
	looked := make(map[string]bool, len(s.files))
	var memos []*memo
	for _, i := range s.files {
		looked[list[i].path] = true
		if fresh[i] != nil {
			memos = append(memos, fresh[i])
		}
	}
	for i := range s.memos {
		m := &s.memos[i]
		if looked[m.path] {
			continue
		}
		if _, err := os.Lstat(m.path); err == nil {
			memos = append(memos, m)
		}
	}
	slices.SortStableFunc(memos, func(a, b *memo) int { return strings.Compare(a.path, b.path) })
	var text bytes.Buffer
	for _, m := range memos {
		text.Write(m.raw)
		text.WriteByte('\n')
	}
	path := filepath.Join(c.dir, s.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, text.Bytes(), 0o600)
}
