package audit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tree of the benchmarks: 50,000 files of 5,400 bytes in 525 directories.
const (
	benchFiles = 50_000
	benchDirs  = 525
	benchBytes = 5_400
)

func benchWorld(b *testing.B) *world {
	b.Helper()
	w := newWorld(b)
	text := make([]byte, benchBytes)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	for i := range benchFiles {
		dir := filepath.Join(w.root, fmt.Sprintf("d%02d", i%benchDirs/21), fmt.Sprintf("e%02d", i%benchDirs%21))
		if i < benchDirs {
			w.must(os.MkdirAll(dir, 0o755))
		}
		copy(text, fmt.Sprintf("%08d", i))
		w.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%05d.txt", i)), text, 0o644))
	}
	w.git("add", ".")
	w.git("commit", "-qm", "many")
	w.git("status")
	return w
}

// The ratio that counts: a complete stat snapshot beside git status, which
// sees less.
func BenchmarkSnapshot50k(b *testing.B) {
	w := benchWorld(b)
	b.Run("git-status", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all")
			cmd.Dir, cmd.Env = w.root, w.env
			w.must(cmd.Run())
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			_, err := scanRoot(b.Context(), w.root)
			w.must(err)
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			w.take(w.scope())
		}
	})
	before := w.take(w.scope())
	for i := range 51 {
		w.write(fmt.Sprintf("d00/e00/file-%05d.txt", i*benchDirs), "changed")
	}
	b.Run("after", func(b *testing.B) {
		for b.Loop() {
			after := w.take(w.scope())
			w.must(Prove(b.Context(), before, after, w.env))
			_, err := Judge(b.Context(), before, after, Rules{Environ: w.env})
			w.must(err)
		}
	})
	text := before.Encode()
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			before.Encode()
		}
	})
}
