package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, syscall.ENOSPC
	}
	w.left -= len(p)
	return len(p), nil
}

func TestStdoutKeepsTheFirstError(t *testing.T) {
	for _, tt := range []struct {
		name  string
		left  int
		bytes int
		fails bool
	}{
		{"fits", 10, 10, false},
		{"found when flushed", 10, 11, true},
		{"found when the buffer overflows", 10, 3 * streamBuffer, true},
		{"nothing written", 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := newStdout(&brokenWriter{tt.left})
			for range tt.bytes {
				out.Write([]byte("x"))
			}
			for range 2 { // and says so again
				if err := out.Flush(); (err != nil) != tt.fails || err != nil && !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("%d bytes into %d: Flush = %v", tt.bytes, tt.left, err)
				}
			}
		})
	}
}

func TestInterruptibleReadsWhatThereIs(t *testing.T) {
	text := strings.Repeat("0123456789", 20_000)
	for name, r := range map[string]io.Reader{
		"whole":         strings.NewReader(text),
		"one byte":      iotest.OneByteReader(strings.NewReader(text)),
		"data with EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(newInterruptible(t.Context(), r))
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	broken := errors.New("cable pulled")
	got, err := io.ReadAll(newInterruptible(t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))))
	if string(got) != "half" || !errors.Is(err, broken) {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestInterruptibleGivesUpWithItsContext(t *testing.T) {
	blocked, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := newInterruptible(ctx, blocked)
	time.AfterFunc(10*time.Millisecond, cancel)
	for range 2 {
		if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("Read = %d, %v", n, err)
		}
	}
}

func BenchmarkInterruptible(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	for _, bench := range []struct {
		name string
		wrap func(io.Reader) io.Reader
	}{
		{"plain", func(r io.Reader) io.Reader { return struct{ io.Reader }{r} }},
		{"interruptible", func(r io.Reader) io.Reader { return newInterruptible(b.Context(), r) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := io.Copy(struct{ io.Writer }{io.Discard}, bench.wrap(bytes.NewReader(text))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
