package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

const streamBuffer = 64 << 10

// stdout is standard output behind one buffer. The first failed write is kept:
// a full disk shows only when the buffer is flushed, and a body may have
// ignored an error before that.
type stdout struct {
	buf   *bufio.Writer
	wrote bool
	err   error
}

func newStdout(w io.Writer) *stdout {
	if w == nil {
		w = io.Discard
	}
	return &stdout{buf: bufio.NewWriterSize(w, streamBuffer)}
}

func (s *stdout) Write(p []byte) (int, error) {
	s.wrote = s.wrote || len(p) > 0
	n, err := s.buf.Write(p)
	return n, s.note(err)
}

// Flush passes everything on and reports the first error of any write.
func (s *stdout) Flush() error { return s.note(s.buf.Flush()) }

func (s *stdout) note(err error) error {
	if err == nil {
		return s.err
	}
	if s.err == nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		s.err = fmt.Errorf("write standard output: %w", err)
	}
	return s.err
}

// interruptible is a reader that gives up when its context is cancelled, even
// while the read underneath is blocked on a pipe or a terminal. That read is
// left behind; a process that is about to end does not need it.
type interruptible struct {
	ctx     context.Context
	r       io.Reader
	buf     []byte
	rest    []byte
	err     error
	pending bool
	results chan readResult
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	return &interruptible{ctx: ctx, r: r, results: make(chan readResult, 1)}
}

func (s *interruptible) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.rest) == 0 && s.err == nil {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	if n == 0 {
		return 0, s.err
	}
	return n, nil
}

// fill waits for the next piece of input or the end of the context.
func (s *interruptible) fill() error {
	if s.buf == nil {
		s.buf = make([]byte, streamBuffer)
	}
	if !s.pending {
		s.pending = true
		go func() {
			n, err := s.r.Read(s.buf)
			s.results <- readResult{n, err}
		}()
	}
	select {
	case <-s.ctx.Done():
		return s.ctx.Err()
	case got := <-s.results:
		s.pending = false
		s.rest, s.err = s.buf[:got.n], got.err
		return nil
	}
}
