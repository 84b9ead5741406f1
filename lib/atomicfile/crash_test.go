package atomicfile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const kills = 25

func randomMoment() { time.Sleep(time.Duration(rand.IntN(12_000)) * time.Microsecond) }

// A writer that is killed at any moment leaves the old content or the new one,
// never a mixture, and never less than it had acknowledged.
func TestKilledWriterLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for range kills {
		done := killAfter(t, helper(t, "replace", path), randomMoment)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		id, ok := unseal(content)
		if !ok {
			t.Fatalf("after a kill the file is torn: %d bytes, %.80q…", len(content), content)
		}
		got, _ := strconv.Atoi(id)
		last, _ := strconv.Atoi(done[len(done)-1])
		if got != last && got != last+1 {
			t.Fatalf("content %d after %d was acknowledged", got, last)
		}
	}
	stale := temporaries(t, path)
	t.Logf("%d kills left %d temporary files", kills, len(stale))
	for _, name := range stale {
		long := time.Now().Add(-2 * staleAge)
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, dir); len(names) != 1 {
		t.Errorf("after the next write the directory holds %q, want the file alone", names)
	}
}

// A killed appender loses no row that it acknowledged and tears no row of
// another; what it tore itself stays as one line of its own.
func TestKilledAppenderLosesNoRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	var acknowledged []string
	for i := range kills {
		acknowledged = append(acknowledged, killAfter(t, helper(t, "append", path, strconv.Itoa(i)), randomMoment)...)
	}
	if _, err := Append(t.Context(), path, sealed("last", 10)); err != nil {
		t.Fatal(err)
	}
	acknowledged = append(acknowledged, "last")

	found, torn := wholeRows(t, path)
	for _, id := range acknowledged {
		if found[id] != 1 {
			t.Errorf("row %s stands %d times in the file, want once", id, found[id])
		}
	}
	if torn > kills {
		t.Errorf("%d torn rows after %d kills", torn, kills)
	}
	if extra := len(found) - len(acknowledged); extra < 0 || extra > kills {
		t.Errorf("%d rows, %d acknowledged: want at most one more for each of %d kills", len(found), len(acknowledged), kills)
	}
	t.Logf("%d rows acknowledged, %d torn", len(acknowledged), torn)
}

// wholeRows counts the whole rows of a file by id, and the torn ones.
func wholeRows(t *testing.T, path string) (found map[string]int, torn int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 0 && content[len(content)-1] != '\n' {
		t.Errorf("%s does not end in a newline", path)
	}
	found = map[string]int{}
	for line := range bytes.Lines(content) {
		if id, ok := unseal(bytes.TrimSuffix(line, []byte{'\n'})); ok {
			found[id]++
		} else {
			torn++
		}
	}
	return found, torn
}

func TestSixteenAppendersLoseAndTearNothing(t *testing.T) {
	const writers, rows = 16, 25
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	runAll(t, writers, func(i int) []string { return []string{"rows", path, strconv.Itoa(i), strconv.Itoa(rows)} })
	found, torn := wholeRows(t, path)
	if torn != 0 || len(found) != writers*rows {
		t.Errorf("%d rows and %d torn, want %d and 0", len(found), torn, writers*rows)
	}
	for id, n := range found {
		if n != 1 {
			t.Errorf("row %s stands %d times in the file, want once", id, n)
		}
	}
}

func TestSixteenUpdatersLoseNoUpdate(t *testing.T) {
	const writers, updates = 16, 10
	path := filepath.Join(t.TempDir(), "count")
	runAll(t, writers, func(int) []string { return []string{"count", path, strconv.Itoa(updates)} })
	got, err := os.ReadFile(path)
	if want := strconv.Itoa(writers * updates); string(got) != want || err != nil {
		t.Errorf("count is %s %v, want %s", got, err, want)
	}
	if left := temporaries(t, path); len(left) != 0 {
		t.Errorf("temporary files left: %q", left)
	}
}

// runAll runs n helpers at once and waits for all.
func runAll(t *testing.T, n int, args func(i int) []string) {
	t.Helper()
	wait := make([]func() error, n)
	for i := range n {
		a := args(i)
		cmd := helper(t, a[0], a[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait[i] = cmd.Wait
	}
	for i, w := range wait {
		if err := w(); err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// temporaries lists the files beside path that are recognisable as its
// temporary ones, and complains about any other file there.
func temporaries(t *testing.T, path string) (names []string) {
	t.Helper()
	base := filepath.Base(path)
	for _, name := range namesIn(t, filepath.Dir(path)) {
		switch {
		case isTemporary(name, base):
			names = append(names, name)
		case name != base && name != base+lockSuffix:
			t.Errorf("unexpected file %s", name)
		}
	}
	return names
}
