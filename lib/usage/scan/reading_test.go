package scan

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// Whether the kernel has a file in memory changes nothing about what is read of it.
func TestAPartOfAFileIsReadAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	text := make([]byte, 300_000)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	must(t, os.WriteFile(path, text, 0o600))
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(text)+10).Draw(t, "at")
		to := rapid.IntRange(at, len(text)+1000).Draw(t, "to")
		want := text[min(at, len(text)):min(to, len(text))]
		for _, slow := range []bool{false, true} {
			r := &reading{file: file, at: int64(at), to: int64(to), slow: slow}
			var got bytes.Buffer
			if _, err := io.CopyBuffer(&got, struct{ io.Reader }{r}, make([]byte, rapid.IntRange(1, 70_000).Draw(t, "buffer"))); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("slow %v: %d bytes from %d to %d, want %d", slow, got.Len(), at, to, len(want))
			}
		}
	})
	if err := iotest.TestReader(&reading{file: file, to: int64(len(text))}, text); err != nil {
		t.Error(err)
	}
}
