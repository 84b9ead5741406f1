package audit

import (
	"context"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"okstra/lib/digest"
	"okstra/lib/gitrepo"
)

// Prove looks at the content of the files that may have changed from before to
// after, and fills in the digests of both where they can be known. What before
// held is known when the index remembers the very file of before, with its
// name of the content; nothing else is proof. It reads only what changed.
//
// A file that is not as after describes it any more is left unproved: then its
// content is that of a later time.
// Rule: docs/audit.md, "Content".
func Prove(ctx context.Context, before, after *Snapshot, environ []string) error {
	var blobs map[string]gitrepo.IndexEntry // of the tree at Root, by path
	return pairs(before, after, func(root string, b, a *Row) error {
		if b == nil || a == nil || b.Type != File || a.Type != File || same(b, a) || b.Size != a.Size || a.Digest != "" {
			return ctx.Err()
		}
		if blobs == nil {
			blobs = rememberedFiles(ctx, before, environ)
		}
		path := filepath.Join(root, a.Path)
		var entry gitrepo.IndexEntry
		if relative, err := filepath.Rel(before.Root, path); err == nil {
			entry = blobs[relative]
		}
		if !remembers(entry, b) {
			entry = gitrepo.IndexEntry{}
		}
		sum, blob, ok := hashFile(path, a, entry.ID)
		if !ok {
			return ctx.Err()
		}
		a.Digest = sum
		if entry.ID != "" && blob == entry.ID {
			b.Digest = sum
		}
		return ctx.Err()
	})
}

// rememberedFiles gives the index of the tree by path. Without an index there
// is no proof, so a fault is none of ours.
func rememberedFiles(ctx context.Context, s *Snapshot, environ []string) map[string]gitrepo.IndexEntry {
	files := make(map[string]gitrepo.IndexEntry)
	if s.Git == nil {
		return files
	}
	entries, err := gitrepo.Open(s.Root, environ).Index(ctx, s.Git.GitDir)
	if err != nil {
		return files
	}
	written := indexTime(s)
	for _, e := range entries {
		// An entry as young as the index itself proves nothing: the file may
		// have been written again within the same tick of the clock.
		if e.Stage == 0 && int64(e.MtimeSec)*1e9+int64(e.MtimeNano) < written {
			files[e.Path] = e
		}
	}
	return files
}

// indexTime is when the index of a snapshot was written, 0 when that is not
// known.
func indexTime(s *Snapshot) int64 {
	index := filepath.Join(s.Git.GitDir, "index")
	for _, root := range s.Roots {
		if relative, err := filepath.Rel(root.Root, index); err == nil {
			if row := root.find(relative); row != nil {
				return row.Mtime
			}
		}
	}
	return 0
}

// remembers tells whether an index entry was made of the file as the row has
// it. The index keeps 32 bits of each number.
func remembers(e gitrepo.IndexEntry, r *Row) bool {
	return e.ID != "" && e.Size == uint32(r.Size) && e.Ino == uint32(r.Ino) && e.MtimeSec == uint32(r.Mtime/1e9) && e.MtimeNano == uint32(r.Mtime%1e9) &&
		e.CtimeSec == uint32(r.Ctime/1e9) && e.CtimeNano == uint32(r.Ctime%1e9)
}

// hashFile gives the digest of a file's content, and its name as a blob of git
// when like is one. ok is false when the file is not, or no longer after
// reading, as the row describes it.
func hashFile(path string, row *Row, like string) (sum, blob string, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return "", "", false
	}
	defer f.Close()
	if !isStill(f, row) {
		return "", "", false
	}
	var reader io.Reader = f
	var h hash.Hash
	if like != "" {
		h = gitrepo.BlobHash(row.Size, like)
		reader = io.TeeReader(f, h)
	}
	if sum, err = digest.Reader(reader); err != nil || !isStill(f, row) {
		return "", "", false
	}
	if h != nil {
		blob = hex.EncodeToString(h.Sum(nil))
	}
	return sum, blob, true
}
