package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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

// errFormat is an index that only git itself can read.
var errFormat = errors.New("an index of a form that is left to git")

// Index reads the index of a working tree without touching it. A tree whose
// index does not exist yet has no entries. The file is read directly where its
// form allows it, because git would look at every file of the tree; a split or
// sparse index is left to git, and its entries have no stat data.
func (r Repo) Index(ctx context.Context, gitDir string) ([]IndexEntry, error) {
	raw, err := readIndex(gitDir + "/index")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		var entries []IndexEntry
		if entries, err = parseIndex(raw); err == nil {
			return entries, nil
		}
	}
	if !errors.Is(err, errFormat) {
		return nil, fmt.Errorf("%s/index: %w", gitDir, err)
	}
	return r.listIndex(ctx)
}

// readIndex reads the file of the index. A pipe that somebody put in its place
// is not waited for.
func readIndex(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, err
	}
	raw := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = raw.ReadFrom(file)
	return raw.Bytes(), err
}

// listIndex asks git for the entries.
func (r Repo) listIndex(ctx context.Context) ([]IndexEntry, error) {
	out, err := r.Ask(ctx, "ls-files", "-s", "-v", "-z")
	if err != nil {
		return nil, err
	}
	var entries []IndexEntry
	for _, line := range fields(out) {
		// "H 100644 <id> 0\tname"
		info, name, ok := strings.Cut(line, "\t")
		parts := strings.Fields(info)
		if !ok || len(parts) != 4 || len(parts[0]) != 1 {
			return nil, fmt.Errorf("git ls-files answered %q", line)
		}
		mode, err := strconv.ParseUint(parts[1], 8, 32)
		if err != nil {
			return nil, err
		}
		tag := parts[0][0]
		e := IndexEntry{Path: name, Mode: uint32(mode), ID: parts[2], Stage: int(parts[3][0] - '0')}
		e.AssumeUnchanged = tag >= 'a' && tag <= 'z'
		e.SkipWorktree = tag == 'S' || tag == 's'
		entries = append(entries, e)
	}
	return entries, nil
}

// parseIndex reads the versions 2 to 4 of the format that gitformat-index(5)
// describes: a header, sorted entries, extensions, and a hash over all of it.
func parseIndex(raw []byte) ([]IndexEntry, error) {
	if len(raw) < 12+sha1.Size || string(raw[:4]) != "DIRC" {
		return nil, errors.New("no index of git")
	}
	version, count := binary.BigEndian.Uint32(raw[4:]), binary.BigEndian.Uint32(raw[8:])
	if version < 2 || version > 4 {
		return nil, errFormat
	}
	for _, idLen := range []int{sha1.Size, sha256.Size} {
		entries, err := parseEntries(raw, version, count, idLen)
		if err == nil || errors.Is(err, errFormat) {
			return entries, err
		}
	}
	return nil, errors.New("the index is damaged")
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

func parseEntries(raw []byte, version, count uint32, idLen int) ([]IndexEntry, error) {
	p := indexParser{raw: raw, at: 12, end: len(raw) - idLen, idLen: idLen, version: version}
	if int(count) > len(raw)/(62+1) {
		return nil, errors.New("more entries than the file can hold")
	}
	entries := make([]IndexEntry, 0, count)
	for range count {
		e, err := p.entry()
		if err != nil {
			return nil, err
		}
		if e.Mode == modeDirectory {
			return nil, errFormat
		}
		entries = append(entries, e)
	}
	return entries, p.extensions()
}

type indexParser struct {
	raw     []byte
	at, end int
	idLen   int
	version uint32
	last    string // the path before, which version 4 shares a beginning with
}

var errShort = errors.New("the index ends in the middle")

func (p *indexParser) entry() (IndexEntry, error) {
	start := p.at
	if p.end-p.at < 40+p.idLen+2 {
		return IndexEntry{}, errShort
	}
	b := p.raw[p.at:]
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	e := IndexEntry{
		CtimeSec: word(0), CtimeNano: word(1), MtimeSec: word(2), MtimeNano: word(3), Ino: word(5),
		Mode: word(6), UID: word(7), GID: word(8), Size: word(9), ID: hex.EncodeToString(b[40 : 40+p.idLen]),
	}
	p.at += 40 + p.idLen
	flags := binary.BigEndian.Uint16(p.raw[p.at:])
	p.at += 2
	e.AssumeUnchanged = flags&flagAssumeValid != 0
	e.Stage = int(flags&flagStage) >> 12
	if flags&flagExtended != 0 {
		if p.version < 3 || p.end-p.at < 2 {
			return IndexEntry{}, errShort
		}
		e.SkipWorktree = binary.BigEndian.Uint16(p.raw[p.at:])&flagSkipWorktree != 0
		p.at += 2
	}
	var err error
	if e.Path, err = p.path(start); err != nil {
		return IndexEntry{}, err
	}
	p.last = e.Path
	return e, nil
}

// path reads a path that ends in NUL. Up to version 3 the entry is filled with
// NULs to a multiple of 8 bytes; version 4 begins with the number of bytes to
// take off the path before.
func (p *indexParser) path(start int) (string, error) {
	shared := ""
	if p.version == 4 {
		drop, err := p.offset()
		if err != nil || drop > len(p.last) {
			return "", errShort
		}
		shared = p.last[:len(p.last)-drop]
	}
	n := bytes.IndexByte(p.raw[p.at:p.end], 0)
	if n < 0 {
		return "", errShort
	}
	name := shared + string(p.raw[p.at:p.at+n])
	p.at += n + 1
	if p.version < 4 {
		p.at = start + (p.at-start+7)/8*8
	}
	switch {
	case p.at > p.end:
		return "", errShort
	case name == "": // an entry that replaces one of the other part of a split index
		return "", errFormat
	}
	return name, nil
}

// offset reads the variable width number of version 4.
func (p *indexParser) offset() (int, error) {
	value := 0
	for i := 0; ; i++ {
		if p.at >= p.end || i > 4 {
			return 0, errShort
		}
		c := p.raw[p.at]
		p.at++
		value |= int(c & 0x7f)
		if c&0x80 == 0 {
			return value, nil
		}
		value = (value + 1) << 7
	}
}

// extensions walks over what follows the entries. A split index has its other
// part in another file, a sparse one has folders among its entries.
func (p *indexParser) extensions() error {
	for p.end-p.at >= 8 {
		name, size := string(p.raw[p.at:p.at+4]), int(binary.BigEndian.Uint32(p.raw[p.at+4:]))
		if name == "link" || name == "sdir" {
			return errFormat
		}
		if p.at += 8 + size; p.at > p.end {
			return errShort
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
