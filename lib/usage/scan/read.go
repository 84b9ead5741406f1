package scan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"okstra/lib/transcript"
)

// pieceSize is about how much of a large file one worker reads at a time; a file
// of up to twice that is read in one piece.
const pieceSize = 16 << 20

// little is how many bytes, in few files, are read before another thread has started;
// nobody can want to interrupt that.
const little = 256 << 10

// piece is a part of a file that begins and ends between two lines.
type piece struct {
	file     int   // index in the list
	from, to int64 // math.MaxInt64: to the end of the file, wherever it is by then
	known    *memo // what the cache says about the file, which is then one piece
	got      *transcript.File
	fresh    *memo // what the cache is to say
	fault    error
}

// read runs pass 1 over all files, on as many cores as there are: the largest
// files first, so that no core is left with one at the end, and those in pieces.
//
// fresh is what the cache is to say about each file from now on.
func (o Options) read(ctx context.Context, list []found, known *cache) (files []*transcript.File, faults []error, fresh []*memo, err error) {
	pieces := o.cut(list, known)
	var total int64
	for _, f := range list {
		total += f.size
	}
	var next atomic.Int64
	work := func(ctx context.Context) error {
		scratch := new(transcript.Scratch)
		for n := int(next.Add(1)) - 1; n < len(pieces); n = int(next.Add(1)) - 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := &pieces[n]
			list[p.file].scan(p, scratch)
			if known != nil && p.whole() {
				p.remember(list[p.file], o.Now)
			}
			if o.Progress != nil {
				o.Progress(total, min(p.to, list[p.file].size)-p.from)
			}
		}
		return nil
	}
	if len(pieces) < few && total < little {
		err = work(context.WithoutCancel(ctx))
	} else {
		group, ctx := errgroup.WithContext(ctx)
		for range min(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), len(pieces)) {
			group.Go(func() error { return work(ctx) })
		}
		err = group.Wait()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	files, faults, fresh = make([]*transcript.File, len(list)), make([]error, len(list)), make([]*memo, len(list))
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].file == pieces[0].file {
			n++
		}
		i := pieces[0].file
		files[i], faults[i] = list[i].join(pieces[:n])
		if known != nil && n > 1 {
			pieces[0].got, pieces[0].fault = files[i], faults[i]
			pieces[0].remember(list[i], o.Now)
		}
		fresh[i] = pieces[0].fresh
		pieces = pieces[n:]
	}
	return files, faults, fresh, nil
}

// cut lists the pieces of all files in the order in which they are read: what the
// cache knows comes last, for little is to be done about it. The pieces of a file
// follow each other.
func (o Options) cut(list []found, known *cache) []piece {
	memoOf := func(i int) *memo {
		if known == nil {
			return nil
		}
		return known.known[i]
	}
	asCached := func(i int) bool { m := memoOf(i); return m != nil && m.unchanged(&list[i]) }
	var order []int
	for i := range list {
		if !asCached(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].size, list[a].size) })
	pieces := transcript.Room[piece](len(list))
	for _, i := range order {
		if m := memoOf(i); m != nil {
			pieces = append(pieces, piece{file: i, to: math.MaxInt64, known: m})
			continue
		}
		pieces = append(pieces, list[i].cut(i, cmp.Or(o.piece, pieceSize))...)
	}
	for i := range list {
		if asCached(i) {
			pieces = append(pieces, piece{file: i, to: math.MaxInt64, known: memoOf(i)})
		}
	}
	return pieces
}

// cut cuts a large file of lines at line ends. Whatever cannot be cut, or not be
// opened, is one piece.
func (f found) cut(index int, size int64) []piece {
	whole := piece{file: index, to: math.MaxInt64}
	if f.size <= 2*size || f.reader.Whole || compressed(f.path) {
		return []piece{whole}
	}
	file, err := os.Open(f.path)
	if err != nil {
		return []piece{whole}
	}
	defer file.Close()
	var pieces []piece
	for {
		at, ok := lineStart(file, whole.from+size)
		if !ok || f.size-at < size {
			return append(pieces, whole)
		}
		last := whole
		last.to = at
		pieces = append(pieces, last)
		whole.from = at
	}
}

// lineStart is where the first line begins at or after an offset; not ok when
// none does.
func lineStart(file io.ReaderAt, at int64) (int64, bool) {
	buf := make([]byte, 64<<10)
	for at--; ; {
		n, err := file.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, true
		}
		if err != nil {
			return 0, false
		}
		at += int64(n)
	}
}

// whole reports whether the piece is all of its file.
func (p *piece) whole() bool { return p.from == 0 && p.to == math.MaxInt64 }

// scan reads one piece, or what the cache does not know of the file. Its rows
// count lines from the piece's start.
func (f found) scan(p *piece, scratch *transcript.Scratch) {
	if f.recall(p, scratch) {
		return
	}
	in, err := open(f.path)
	if err != nil {
		p.fault = err
		return
	}
	file := p.got
	if file == nil {
		file = &transcript.File{Provider: f.reader.Provider, Path: f.path, End: transcript.Position{Offset: p.from}}
	}
	kept := file.Rows
	file.Rows = append(scratch.Begin(min(p.to, f.size)-file.End.Offset), kept...)
	var text io.Reader = in
	if plain, ok := in.(*os.File); ok {
		text = &reading{file: plain, at: file.End.Offset, to: p.to}
	}
	p.fault = errors.Join(f.reader.Scan(text, file, scratch), in.Close())
	file.Rows = scratch.End(file.Rows)
	if f.reader.Beside != nil && p.from == 0 {
		f.reader.Beside(file)
	}
	p.got = file
}

// recall takes from the cache what it knows of the piece's file, and reports
// whether that is all there is.
func (f found) recall(p *piece, scratch *transcript.Scratch) bool {
	if p.known == nil {
		return false
	}
	stands := p.known.standing(f)
	if stands == worthless {
		p.known = nil
		return false
	}
	p.got = p.known.file(f, scratch)
	if p.got == nil {
		p.known = nil
		return false
	}
	if stands == current && (p.known.offset == f.size || compressed(f.path)) {
		if f.reader.Beside != nil {
			f.reader.Beside(p.got)
		}
		return true
	}
	return false
}

// remember makes the cache's document of a file that was read without fault; the
// old one stays where nothing was read.
func (p *piece) remember(f found, now time.Time) {
	switch {
	case p.got == nil || p.fault != nil:
	case p.known != nil && p.known.unchanged(&f):
		p.fresh = p.known
	default:
		p.fresh = f.document(p.got, now)
	}
}

// join puts the pieces of a file together.
func (f found) join(pieces []piece) (*transcript.File, error) {
	if len(pieces) == 1 {
		return pieces[0].got, pieces[0].fault
	}
	var parts []*transcript.File
	var faults []error
	for _, p := range pieces {
		faults = append(faults, p.fault)
		if p.got != nil {
			parts = append(parts, p.got)
		}
	}
	if len(parts) == 0 {
		return nil, errors.Join(faults...)
	}
	file, rows := parts[0], joinRows(parts)
	for _, next := range parts[1:] {
		extend(file, next)
	}
	file.Rows = rows
	if f.reader.Describe != nil {
		f.reader.Describe(file)
	}
	return file, errors.Join(faults...)
}

// joinRows puts the rows of a file's parts behind each other, their lines counted
// from the start of the file.
func joinRows(parts []*transcript.File) []transcript.Row {
	type place struct{ row, line int }
	places := make([]place, len(parts))
	var end place
	for i, part := range parts {
		places[i] = end
		end.row, end.line = end.row+len(part.Rows), end.line+part.End.Line
	}
	rows := transcript.Room[transcript.Row](end.row)[:end.row]
	atOnce(len(parts), func(_, i int) {
		own := rows[places[i].row:][:len(parts[i].Rows)]
		copy(own, parts[i].Rows)
		for k := range own {
			own[k].Line += places[i].line
		}
		parts[i].Rows = nil
	})
	return rows
}

// extend adds the sums of a file's next piece.
func extend(file, next *transcript.File) {
	file.Session, file.Agent, file.Team = cmp.Or(file.Session, next.Session), cmp.Or(file.Agent, next.Agent), cmp.Or(file.Team, next.Team)
	file.CWD, file.Parent = cmp.Or(file.CWD, next.CWD), cmp.Or(file.Parent, next.Parent)
	file.Bytes += next.Bytes
	file.Skipped += next.Skipped
	file.BadNumbers += next.BadNumbers
	file.End = transcript.Position{Line: file.End.Line + next.End.Line, Offset: next.End.Offset}
	file.Tail = next.Tail
}
