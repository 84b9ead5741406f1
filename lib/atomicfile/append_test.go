package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	rows := func(texts ...string) (rows [][]byte) {
		for _, text := range texts {
			rows = append(rows, []byte(text))
		}
		return rows
	}
	for _, tt := range []struct {
		name, before string
		rows         [][]byte
		want         string
		torn         int
	}{
		{"new file", "", rows(`{"a":1}`), "{\"a\":1}\n", 0},
		{"newline not doubled", "x\n", rows("a\n", "b"), "x\na\nb\n", 0},
		{"torn row is told, ended and kept", "x\n{\"cut\":", rows("a"), "x\n{\"cut\":\na\n", 2},
		{"torn only row", "t", rows("a"), "t\na\n", 1},
		{"no rows, no write", "torn", nil, "torn", 0},
		{"file of one newline", "\n", rows("a"), "\na\n", 0},
	} {
		path := filepath.Join(t.TempDir(), "rows")
		if tt.before != "" {
			put(t, path, tt.before)
		}
		torn, err := Append(t.Context(), path, tt.rows...)
		if err != nil || torn != tt.torn {
			t.Errorf("%s: torn line %d, %v; want line %d", tt.name, torn, err, tt.torn)
			continue
		}
		if got := content(t, path); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAppendRefusesWhatIsNoRow(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "rows"), "x\n")
	for _, bad := range []string{"", "\n", "a\nb", "a\n\n"} {
		_, err := Append(t.Context(), path, []byte("good"), []byte(bad))
		if !errors.Is(err, ErrRow) || !strings.Contains(err.Error(), "row 2 of 2") {
			t.Errorf("Append of %q = %v, want ErrRow naming row 2 of 2", bad, err)
		}
	}
	if got := content(t, path); got != "x\n" {
		t.Errorf("a refused Append left %q", got)
	}
}

func TestAppendKeepsTheFilesMode(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "rows"), "x\n")
	if _, err := Append(t.Context(), path, []byte("y")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v %v, want 0600 as before", info.Mode(), err)
	}
}

func BenchmarkAppend(b *testing.B) {
	path := filepath.Join(b.TempDir(), "rows")
	row := []byte(`{"runId":"shop:pay:checkout-timeouts:error-analysis:002","at":"2026-09-08T19:40:04Z","kind":"progress"}`)
	for b.Loop() {
		if _, err := Append(b.Context(), path, row); err != nil {
			b.Fatal(err)
		}
	}
}
