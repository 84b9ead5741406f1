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
	"strings"
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
	shards map[string][]*memo // as they were read; nil for one that is not there
	byPath map[string]*memo
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
func shardOf(provider string, root transcript.Root, path string) string {
	dir := filepath.Dir(path)
	name := filepath.Base(dir)
	if root.Dir != "" {
		rel := below(root.Dir, dir)
		parts := strings.Split(filepath.ToSlash(rel), "/")
		name = strings.Join(parts[:min(len(parts), max(1, root.Depth))], "-")
	}
	name = url.PathEscape(name)
	if len(name) > 200 {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	// A name of dots only must not lead elsewhere.
	return filepath.Join(provider, "_"+name+".jsonl")
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

// openCache reads the shards that know the files. What cannot be read is as good
// as not there.
func openCache(dir string, list []found) *cache {
	c := &cache{dir: dir, shards: make(map[string][]*memo), byPath: make(map[string]*memo, len(list))}
	var names []string
	for _, f := range list {
		if _, named := c.shards[f.shard]; !named {
			c.shards[f.shard] = nil
			names = append(names, f.shard)
		}
	}
	shards := make([][]*memo, len(names))
	atOnce(len(names), func(_, i int) { shards[i] = readShard(filepath.Join(dir, names[i])) })
	for i, name := range names {
		for _, m := range shards[i] {
			if c.byPath[m.path] == nil {
				c.shards[name], c.byPath[m.path] = append(c.shards[name], m), m
			}
		}
	}
	return c
}

func readShard(path string) []*memo {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var memos []*memo
	for line := range bytes.Lines(text) {
		if m, ok := readMemo(bytes.TrimSuffix(line, []byte("\n"))); ok {
			memos = append(memos, m)
		}
	}
	return memos
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
	case m.size == f.size && m.mtime == f.mtime && m.ctime == f.ctime:
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

// save writes the shards that have something new. Documents of files that the
// scan did not look for stay as long as their files do.
func (c *cache) save(list []found, fresh []*memo) error {
	changed := make(map[string]bool)
	latest := make(map[string]*memo, len(list))
	for i, f := range list {
		latest[f.path] = fresh[i]
		if old := c.byPath[f.path]; fresh[i] != old {
			changed[f.shard] = true
		}
	}
	var faults []error
	for shard := range changed {
		faults = append(faults, c.write(shard, list, latest))
	}
	return errors.Join(faults...)
}

func (c *cache) write(shard string, list []found, latest map[string]*memo) error {
	var text bytes.Buffer
	add := func(m *memo) {
		if m != nil {
			text.Write(m.raw)
			text.WriteByte('\n')
		}
	}
	for _, m := range c.shards[shard] {
		if _, looked := latest[m.path]; looked {
			continue
		}
		if _, err := os.Lstat(m.path); err == nil {
			add(m)
		}
	}
	for _, f := range list {
		if f.shard == shard {
			add(latest[f.path])
		}
	}
	path := filepath.Join(c.dir, shard)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, text.Bytes(), 0o600)
}
