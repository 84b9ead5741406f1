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

	"golang.org/x/sync/errgroup"

	"okstra/lib/transcript"
)

// pieceSize is about how much of a large file one worker reads at a time; a file
// of up to twice that is read in one piece.
const pieceSize = 16 << 20

// piece is a part of a file that begins and ends between two lines.
type piece struct {
	file     int   // index in the list
	from, to int64 // math.MaxInt64: to the end of the file, wherever it is by then
	got      *transcript.File
	fault    error
}

// read runs pass 1 over all files, on as many cores as there are: the largest
// files first, so that no core is left with one at the end, and those in pieces.
func (o Options) read(ctx context.Context, list []found) ([]*transcript.File, []error, error) {
	pieces := cut(list)
	var total int64
	for _, f := range list {
		total += f.size
	}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), len(pieces)) {
		group.Go(func() error {
			scratch := new(transcript.Scratch)
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(pieces) {
					return nil
				}
				p := &pieces[n]
				p.got, p.fault = list[p.file].scan(p, scratch)
				if o.Progress != nil {
					o.Progress(total, min(p.to, list[p.file].size)-p.from)
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	files, faults := make([]*transcript.File, len(list)), make([]error, len(list))
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[n].file == pieces[0].file {
			n++
		}
		i := pieces[0].file
		files[i], faults[i] = list[i].join(pieces[:n])
		pieces = pieces[n:]
	}
	return files, faults, nil
}

// cut lists the pieces of all files in the order in which they are read. The
// pieces of a file follow each other.
func cut(list []found) []piece {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].size, list[a].size) })
	pieces := make([]piece, 0, len(list))
	for _, i := range order {
		pieces = append(pieces, list[i].cut(i)...)
	}
	return pieces
}

// cut cuts a large file of lines at line ends. Whatever cannot be cut, or not be
// opened, is one piece.
func (f found) cut(index int) []piece {
	whole := piece{file: index, to: math.MaxInt64}
	if f.size <= 2*pieceSize || f.reader.Whole || compressed(f.path) {
		return []piece{whole}
	}
	file, err := os.Open(f.path)
	if err != nil {
		return []piece{whole}
	}
	defer file.Close()
	var pieces []piece
	for {
		at, ok := lineStart(file, whole.from+pieceSize)
		if !ok || f.size-at < pieceSize {
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

// scan reads one piece. Its rows count lines from the piece's start.
func (f found) scan(p *piece, scratch *transcript.Scratch) (*transcript.File, error) {
	in, err := open(f.path)
	if err != nil {
		return nil, err
	}
	file := &transcript.File{Provider: f.reader.Provider, Path: f.path, End: transcript.Position{Offset: p.from}}
	file.Rows = scratch.Rows[:0]
	var text io.Reader = in
	if at, ok := in.(io.ReaderAt); ok && (p.from > 0 || p.to < math.MaxInt64) {
		text = io.NewSectionReader(at, p.from, p.to-p.from)
	}
	fault := errors.Join(f.reader.Scan(text, file, scratch), in.Close())
	scratch.Rows, file.Rows = file.Rows, slices.Clone(file.Rows)
	if f.reader.Beside != nil && p.from == 0 {
		f.reader.Beside(file)
	}
	return file, fault
}

// join puts the pieces of a file together.
func (f found) join(pieces []piece) (*transcript.File, error) {
	if len(pieces) == 1 {
		return pieces[0].got, pieces[0].fault
	}
	var file *transcript.File
	var faults []error
	rows := 0
	for _, p := range pieces {
		if p.got != nil {
			rows += len(p.got.Rows)
		}
	}
	for _, p := range pieces {
		faults = append(faults, p.fault)
		switch {
		case p.got == nil:
		case file == nil:
			file = p.got
			file.Rows = append(make([]transcript.Row, 0, rows), file.Rows...)
		default:
			extend(file, p.got)
		}
	}
	if file != nil && f.reader.Describe != nil {
		f.reader.Describe(file)
	}
	return file, errors.Join(faults...)
}

// extend appends the rows and sums of a file's next piece.
func extend(file, next *transcript.File) {
	base := file.End.Line
	for i := range next.Rows {
		next.Rows[i].Line += base
	}
	file.Rows = append(file.Rows, next.Rows...)
	file.Session, file.Agent, file.Team = cmp.Or(file.Session, next.Session), cmp.Or(file.Agent, next.Agent), cmp.Or(file.Team, next.Team)
	file.CWD, file.Parent = cmp.Or(file.CWD, next.CWD), cmp.Or(file.Parent, next.Parent)
	file.Bytes += next.Bytes
	file.Skipped += next.Skipped
	file.BadNumbers += next.BadNumbers
	file.End = transcript.Position{Line: base + next.End.Line, Offset: next.End.Offset}
	file.Tail = next.Tail
	next.Rows = nil
}
