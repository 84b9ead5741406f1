package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folders of a run with fifteen artifacts: two analysers, a convergence without
// a round, a report. The baseline beside it only reads the files.
func BenchmarkThousandRuns(b *testing.B) {
	dir, bytes := thousand(b)
	manifests, err := Find(dir)
	if err != nil || len(manifests) != 1000 {
		b.Fatal(len(manifests), err)
	}
	b.Run("validate", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			for r := range All(b.Context(), manifests, Options{}) {
				if len(r.Findings) > 0 {
					b.Fatal(r.Findings[0])
				}
			}
		}
	})
	b.Run("read-only", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			_ = filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					_, err = os.ReadFile(name)
				}
				return err
			})
		}
	})
}

// thousand writes the runs and gives their size.
func thousand(b *testing.B) (string, int64) {
	b.Helper()
	dir, size := b.TempDir(), int64(0)
	p := benchProject(b)
	for n := range 1000 {
		for name, content := range p {
			at := filepath.Join(dir, fmt.Sprint(n), filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(at, content, 0o644); err != nil {
				b.Fatal(err)
			}
			size += int64(len(content))
		}
	}
	return dir, size
}

// benchProject is a requirements discovery with one dispatch in its ledger:
// fifteen artifacts besides the task's own documents.
func benchProject(b *testing.B) project {
	b.Helper()
	p := project{}
	for name, content := range readProject(b, okDir) {
		if strings.Contains(name, "/runs/requirements-discovery/") || !strings.Contains(name, "/runs/") {
			p[name] = content
		}
	}
	return p
}
