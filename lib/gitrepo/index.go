package gitrepo

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// IndexEntry is one path of an index.
type IndexEntry struct {
	Path            string
	Mode            uint32 // as git writes it: 0100644, 0120000, 0160000 …
	ID              string // object name in hex
	Stage           int    // 0, or 1 to 3 while a merge is open
	AssumeUnchanged bool
	SkipWorktree    bool

	// What the file looked like when git last read it; zero where git has not
	// looked, or where the index was not read from its file.
	Size, Ino, UID, GID uint32
	MtimeSec, MtimeNano uint32
	CtimeSec, CtimeNano uint32
}

// RawEntry is an entry while the index is walked: its texts are those of the
// reader, and hold until the next entry.
type RawEntry struct {
	IndexEntry // without Path and ID
	Path, ID   []byte
}

// errFormat is an index that only git itself can read.
var errFormat = errors.New("an index of a form that is left to git")

// Index is WalkIndex with all entries in memory. Without an index there are
// none.
func (r Repo) Index(ctx context.Context, gitDir string) ([]IndexEntry, error) {
	var entries []IndexEntry
	err := r.WalkIndex(ctx, gitDir, func() func(*RawEntry) {
		entries = nil
		return func(raw *RawEntry) {
			e := raw.IndexEntry
			e.Path, e.ID = string(raw.Path), hex.EncodeToString(raw.ID)
			entries = append(entries, e)
		}
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// WalkIndex reads the index of a working tree without touching it and gives
// its entries in their order to what begin returns. begin is called again when
// the entries were not what they looked like and come anew; after an error what
// came is worth nothing. A tree whose index does not exist yet has no entries.
// The file is read directly where its form allows it, because git would look at
// every file of the tree; a split or sparse index is left to git, and its
// entries have no stat data.
func (r Repo) WalkIndex(ctx context.Context, gitDir string, begin func() func(*RawEntry)) error {
	file, size, err := openRegular(gitDir + "/index")
	if errors.Is(err, os.ErrNotExist) {
		begin()
		return nil
	}
	if err == nil {
		defer file.Close()
		err = parseIndex(file, size, begin)
	}
	switch {
	case errors.Is(err, errFormat):
		return r.listIndex(ctx, begin())
	case err != nil:
		return fmt.Errorf("%s/index: %w", gitDir, err)
	}
	return nil
}

// openRegular opens a file to read it. A pipe that somebody put in its place
// is not waited for.
func openRegular(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// listIndex asks git for the entries.
func (r Repo) listIndex(ctx context.Context, each func(*RawEntry)) error {
	out, err := r.Ask(ctx, "ls-files", "-s", "-v", "-z")
	if err != nil {
		return err
	}
	for _, line := range fields(out) {
		// "H 100644 <id> 0\tname"
		info, name, ok := strings.Cut(line, "\t")
		parts := strings.Fields(info)
		if !ok || len(parts) != 4 || len(parts[0]) != 1 {
			return fmt.Errorf("git ls-files answered %q", line)
		}
		mode, err := strconv.ParseUint(parts[1], 8, 32)
		if err != nil {
			return err
		}
		id, err := hex.DecodeString(parts[2])
		if err != nil {
			return err
		}
		tag := parts[0][0]
		e := RawEntry{IndexEntry: IndexEntry{Mode: uint32(mode), Stage: int(parts[3][0] - '0')}, Path: []byte(name), ID: id}
		e.AssumeUnchanged = tag >= 'a' && tag <= 'z'
		e.SkipWorktree = tag == 'S' || tag == 's'
		each(&e)
	}
	return nil
}

// window is how much of an index is in memory at a time.
const window = 64 << 10

// parseIndex reads the versions 2 to 4 of the format that gitformat-index(5)
// describes: a header, sorted entries, extensions, and a hash over all of it.
func parseIndex(file io.ReaderAt, size int64, begin func() func(*RawEntry)) error {
	var head [12]byte
	if _, err := file.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return err
	}
	if size < int64(len(head)+sha1.Size) || string(head[:4]) != "DIRC" {
		return errors.New("no index of git")
	}
	p := indexParser{version: binary.BigEndian.Uint32(head[4:])}
	count := binary.BigEndian.Uint32(head[8:])
	if p.version < 2 || p.version > 4 {
		return errFormat
	}
	if int64(count) > size/(62+1) {
		return errDamaged
	}
	for _, p.idLen = range []int{sha1.Size, sha256.Size} {
		p.at, p.end, p.e.Path = int64(len(head)), size-int64(p.idLen), nil
		p.in = bufio.NewReaderSize(io.NewSectionReader(file, p.at, size), window)
		err := p.entries(count, begin())
		if !errors.Is(err, errShort) {
			return err
		}
	}
	return errDamaged
}

// Bits of the flags of an entry.
const (
	flagAssumeValid  = 0x8000
	flagExtended     = 0x4000
	flagStage        = 0x3000
	flagNameLength   = 0x0fff
	flagSkipWorktree = 0x4000 // of the extended flags
)

// modeDirectory stands in the entry of a folder that a sparse index leaves
// unexpanded.
const modeDirectory = 0o040000

var (
	errShort   = errors.New("the index ends in the middle")
	errDamaged = errors.New("the index is damaged")
)

type indexParser struct {
	in      *bufio.Reader
	at, end int64
	idLen   int
	version uint32
	e       RawEntry // its path is the one before, which version 4 shares a beginning with
	id      [sha256.Size]byte
}

func (p *indexParser) entries(count uint32, each func(*RawEntry)) error {
	for range count {
		if err := p.entry(); err != nil {
			return err
		}
		if p.e.Mode == modeDirectory {
			return errFormat
		}
		each(&p.e)
	}
	return p.extensions()
}

// take gives the next n bytes, which hold until the next reading.
func (p *indexParser) take(n int) ([]byte, error) {
	if p.end-p.at < int64(n) {
		return nil, errShort
	}
	b, err := p.in.Peek(n)
	if err != nil {
		return nil, short(err)
	}
	p.at += int64(n)
	_, err = p.in.Discard(n)
	return b, err
}

// skip goes n bytes on.
func (p *indexParser) skip(n int64) error {
	if p.end-p.at < n {
		return errShort
	}
	p.at += n
	_, err := p.in.Discard(int(n))
	return short(err)
}

// short is a file that became shorter while it was read.
func short(err error) error {
	if err == io.EOF {
		return errShort
	}
	return err
}

func (p *indexParser) entry() error {
	start := p.at
	b, err := p.take(40 + p.idLen + 2)
	if err != nil {
		return err
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	flags := binary.BigEndian.Uint16(b[40+p.idLen:])
	p.e.ID = append(p.id[:0], b[40:40+p.idLen]...)
	p.e.IndexEntry = IndexEntry{
		CtimeSec: word(0), CtimeNano: word(1), MtimeSec: word(2), MtimeNano: word(3), Ino: word(5),
		Mode: word(6), UID: word(7), GID: word(8), Size: word(9),
		AssumeUnchanged: flags&flagAssumeValid != 0, Stage: int(flags&flagStage) >> 12,
	}
	if flags&flagExtended != 0 {
		if p.version < 3 {
			return errShort
		}
		more, err := p.take(2)
		if err != nil {
			return err
		}
		p.e.SkipWorktree = binary.BigEndian.Uint16(more)&flagSkipWorktree != 0
	}
	return p.path(start)
}

// path reads a path that ends in NUL. Up to version 3 the entry is filled with
// NULs to a multiple of 8 bytes; version 4 begins with the number of bytes to
// take off the path before.
func (p *indexParser) path(start int64) error {
	shared := 0
	if p.version == 4 {
		drop, err := p.offset()
		if err != nil || drop > len(p.e.Path) {
			return cmp.Or(err, errShort)
		}
		shared = len(p.e.Path) - drop
	}
	p.e.Path = p.e.Path[:shared]
	for ended := false; !ended; {
		part, err := p.in.ReadSlice(0)
		if err != nil && err != bufio.ErrBufferFull {
			return short(err)
		}
		p.at += int64(len(part))
		if ended = err == nil; ended {
			part = part[:len(part)-1]
		}
		p.e.Path = append(p.e.Path, part...)
	}
	fill := int64(0)
	if p.version < 4 {
		fill = (8 - (p.at-start)%8) % 8
	}
	if err := p.skip(fill); err != nil {
		return err
	}
	if len(p.e.Path) == 0 { // an entry that replaces one of the other part of a split index
		return errFormat
	}
	return nil
}

// offset reads the variable width number of version 4.
func (p *indexParser) offset() (int, error) {
	value := 0
	for i := 0; ; i++ {
		if i > 4 {
			return 0, errShort
		}
		c, err := p.take(1)
		if err != nil {
			return 0, err
		}
		value |= int(c[0] & 0x7f)
		if c[0]&0x80 == 0 {
			return value, nil
		}
		value = (value + 1) << 7
	}
}

// extensions walks over what follows the entries. A split index has its other
// part in another file, a sparse one has folders among its entries.
func (p *indexParser) extensions() error {
	for p.end-p.at >= 8 {
		head, err := p.take(8)
		if err != nil {
			return err
		}
		name, size := string(head[:4]), binary.BigEndian.Uint32(head[4:])
		if name == "link" || name == "sdir" {
			return errFormat
		}
		if err := p.skip(int64(size)); err != nil {
			return err
		}
	}
	if p.at != p.end {
		return errShort
	}
	return nil
}

// BlobHash starts the object name of a blob of the given size, for names as
// long as like. The contents are written to it, as they stand on disk: a
// repository that converts them names other bytes.
func BlobHash(size int64, like string) hash.Hash {
	h := sha1.New()
	if len(like) == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}
