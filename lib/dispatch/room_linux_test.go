package dispatch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"okstra/lib/clitest"
)

func fillDisk(t *testing.T, dir string) (full *os.File) {
	t.Helper()
	full, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { full.Close() })
	for err == nil {
		_, err = full.Write(make([]byte, 4096))
	}
	return full
}

func TestRoomIsGivenBackForRecordsOnly(t *testing.T) {
	dir := clitest.SmallDisk(t, 512<<10)
	r := &room{dir: dir, size: 128 << 10}
	defer r.release()
	if err := r.hold(); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("the room has a name: %v", names)
	}
	fillDisk(t, dir)
	path := filepath.Join(dir, "record.json")
	if err := os.WriteFile(path, []byte("{}\n"), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("somebody else's write gives %v, want ENOSPC", err)
	}
	if err := r.record(func() error { return os.WriteFile(path, []byte("{}\n"), 0o644) }); err != nil {
		t.Errorf("a record: %v", err)
	}
	if want := int64(128<<10 - roomStep); r.held != want {
		t.Errorf("%d bytes are held after one record, want %d", r.held, want)
	}
	fillDisk(t, dir)
	if err := r.hold(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("hold on a full disk = %v, want ENOSPC", err)
	}
	if err := r.record(func() error { return os.WriteFile(path, make([]byte, 512<<10), 0o644) }); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a record larger than the room = %v, want ENOSPC", err)
	}
	if r.record(func() error { return os.ErrPermission }) != os.ErrPermission {
		t.Error("another fault is not given back as it is")
	}
}

// A batch that was accepted in part would be taken for one of fewer jobs, and
// what ends a torn line must not leave another.
func TestJournalOnAFullDiskKeepsWholeLinesOnly(t *testing.T) {
	dir := clitest.SmallDisk(t, 64<<10)
	path := filepath.Join(dir, "journal.jsonl")
	a, b := []byte(jobLine(t, "a")), []byte(jobLine(t, "b"))
	torn := append(bytes.Clone(a), b[:len(b)/2]...)
	for _, tt := range []struct {
		name   string
		before []byte
		add    [][]byte
	}{
		{"nothing before", nil, [][]byte{a, bytes.Repeat(b, 40)}},
		{"lines before", a, [][]byte{b, bytes.Repeat(b, 40)}},
		{"a torn line", torn, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ballast := filepath.Join(dir, "ballast")
			if err := os.WriteFile(path, tt.before, 0o644); err != nil {
				t.Fatal(err)
			}
			fillDisk(t, dir)
			if len(tt.add) > 0 {
				if err := os.Truncate(ballast, 32<<10); err != nil {
					t.Fatal(err)
				}
			}
			mark := bytes.Repeat(append(bytes.Clone(a), '\n'), 8)
			journal, err := openJournal(path, mark)
			if err == nil {
				err = journal.add(tt.add...)
				journal.close()
			}
			if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), path) != 1 {
				t.Errorf("error %v, want one ENOSPC that names the file once", err)
			}
			if got, _ := os.ReadFile(path); !bytes.Equal(got, tt.before) {
				t.Errorf("%d bytes are left, want the %d that were there", len(got), len(tt.before))
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Rows that found no room, or a busy lock, are written by a later flush.
func TestLedgerKeepsRowsThatCouldNotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "team-state.json")
	l := openLedger(path, func(error) {})
	status := "completed"
	l.note(rosterChange{WorkerID: "w", Status: &status})
	if err := l.flush(); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("flush without a team state: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"kind":"okstra-team-state","workers":[{"workerId":"w"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !bytes.Contains(text, []byte(`"completed"`)) {
		t.Errorf("the row is lost: %s", text)
	}
}
