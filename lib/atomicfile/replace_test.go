package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWriteSetsExactlyTheMode(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "f")
	for _, perm := range []fs.FileMode{0o644, 0o600, 0o755, 0o666} {
		if err := Write(path, []byte("x"), perm); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != perm {
			t.Errorf("mode is %v %v, want %v whatever it was before and whatever the umask", info.Mode(), err, perm)
		}
	}
}

// A link is refused whether it leads somewhere or nowhere, and nothing is
// touched at its end.
func TestSymlinkTargetIsRefused(t *testing.T) {
	dir := t.TempDir()
	target := put(t, filepath.Join(dir, "target"), "mine")
	for _, link := range []struct{ name, to string }{{"live", target}, {"dangling", filepath.Join(dir, "none")}, {"loop", filepath.Join(dir, "loop")}} {
		path := filepath.Join(dir, link.name)
		if err := os.Symlink(link.to, path); err != nil {
			t.Fatal(err)
		}
		_, createErr := Create(path, 0o600)
		_, appendErr := Append(t.Context(), path, []byte("x"))
		for op, err := range map[string]error{
			"Write":  Write(path, []byte("x"), 0o600),
			"Create": createErr,
			"Append": appendErr,
			"Update": Update(t.Context(), path, 0o600, func([]byte) ([]byte, error) { return []byte("x"), nil }),
		} {
			if !errors.Is(err, ErrSymlink) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s on a %s link = %v, want ErrSymlink with the path", op, link.name, err)
			}
		}
		if to, err := os.Readlink(path); to != link.to || err != nil {
			t.Errorf("%s link leads to %q %v now", link.name, to, err)
		}
	}
	if got := content(t, target); got != "mine" {
		t.Errorf("the link's target holds %q now", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dangling link's target was created (%v)", err)
	}
}

func TestSymlinkInPlaceOfTheLockIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), path+lockSuffix); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(t.Context(), path, 0); !errors.Is(err, ErrSymlink) {
		t.Errorf("Lock = %v, want ErrSymlink", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock was created at the end of the link (%v)", err)
	}
}

func TestDirectoriesAndPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, sub} {
		if err := Write(path, []byte("x"), 0o600); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Write(%s) = %v, want ErrNotRegular", path, err)
		}
		if _, err := Append(t.Context(), path, []byte("x")); err == nil {
			t.Errorf("Append(%s) succeeded", path)
		}
	}
	if err := Write(filepath.Join(dir, "no", "such"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Write below a missing directory = %v, want fs.ErrNotExist", err)
	}
}

func TestNothingShowsBeforeTheCommit(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "f"), "old")
	p, err := Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := p.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, path); got != "old" {
		t.Errorf("before the commit the file holds %.20q", got)
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); len(got) != 3<<16 {
		t.Errorf("after the commit the file has %d bytes, want %d", len(got), 3<<16)
	}
	p.Abort()
	if err := p.Commit(); err == nil {
		t.Error("second Commit succeeded")
	}
	if _, err := p.Write([]byte("x")); err == nil {
		t.Error("Write after Commit succeeded")
	}
	if got := content(t, path); len(got) != 3<<16 {
		t.Error("Abort after Commit undid it")
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	p, err := Create(filepath.Join(dir, "f"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	p.Abort()
	p.Abort()
	if names := namesIn(t, dir); len(names) != 0 {
		t.Errorf("after Abort the directory holds %q", names)
	}
	if err := p.Commit(); err == nil {
		t.Error("Commit after Abort succeeded")
	}
}

func TestCommitAllRenamesNothingUnlessAllAreReady(t *testing.T) {
	dir := t.TempDir()
	first, second := put(t, filepath.Join(dir, "a"), "old a"), put(t, filepath.Join(dir, "b"), "old b")
	create := func(path, text string) *Pending {
		p, err := Create(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return p
	}

	a, b := create(first, "new a"), create(second, "new b")
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(first, second); err != nil {
		t.Fatal(err)
	}
	if err := CommitAll(a, b); !errors.Is(err, ErrSymlink) {
		t.Errorf("CommitAll with a link that appeared = %v, want ErrSymlink", err)
	}
	if got := content(t, first); got != "old a" {
		t.Errorf("the first file holds %q although the second was refused", got)
	}
	if names := namesIn(t, dir); len(names) != 2 {
		t.Errorf("a failed CommitAll left %q", names)
	}

	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	if err := CommitAll(create(first, "new a"), create(second, "new b")); err != nil {
		t.Fatal(err)
	}
	if content(t, first) != "new a" || content(t, second) != "new b" {
		t.Error("CommitAll did not put both in place")
	}
	if err := CommitAll(); err != nil {
		t.Errorf("CommitAll of nothing = %v", err)
	}
}

// Only what is certainly abandoned is swept: old, not held by a process, and
// named by us.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.json")
	live, err := Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Abort()
	liveName := temporaries(t, path)[0]
	for _, name := range []string{
		".f.json1234567890123456789", // abandoned
		".f.json12345",               // too short to be ours
		".f.json123456789012345678x", // not only digits
		".f.json.swp", "f.json1234567890123456789", ".g.json1234567890123456789",
	} {
		put(t, filepath.Join(dir, name), "x")
	}
	young := put(t, filepath.Join(dir, ".f.json9999999999999999999"), "x")
	old := time.Now().Add(-2 * staleAge)
	for _, name := range namesIn(t, dir) {
		if name == filepath.Base(young) {
			continue
		}
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{".f.json.swp", ".f.json12345", ".f.json123456789012345678x", ".f.json9999999999999999999", ".g.json1234567890123456789", "f.json", "f.json1234567890123456789", liveName}
	got := namesIn(t, dir)
	for _, name := range want {
		if !strings.Contains(strings.Join(got, "\n")+"\n", name+"\n") {
			t.Errorf("%s is gone", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the directory holds %q, want %q", got, want)
	}
	if err := live.Commit(); err != nil {
		t.Errorf("the living writer cannot commit any more: %v", err)
	}
}
