package dirfd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes a directory with one name of every kind and a long one, and enough
// of them that a small buffer is filled several times.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%0255d", 1)), nil, 0o600))
	must(t, os.Symlink("file", filepath.Join(dir, "link")))
	must(t, os.Symlink("folder", filepath.Join(dir, "link to folder")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for i := range 50 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), nil, 0o600))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAListingHoldsWhatTheStandardLibraryLists(t *testing.T) {
	dir := tree(t)
	list, err := os.ReadDir(dir)
	must(t, err)
	want := map[string]Kind{}
	for _, e := range list {
		want[e.Name()] = kindOf(e.Type())
	}
	d, err := Open(dir)
	must(t, err)
	got := map[string]Kind{}
	// 512 bytes hold one or two names at a time.
	must(t, d.List(make([]byte, 512), func(e Entry) {
		kind := e.Kind
		if kind == Unknown { // as a file system may leave it
			kind = want[string(e.Name)]
		}
		got[string(e.Name)] = kind
	}))
	must(t, d.Close())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALookTellsWhatTheStandardLibraryTells(t *testing.T) {
	dir := tree(t)
	d, err := Open(dir)
	must(t, err)
	defer d.Close()
	for _, name := range []string{"file", "folder", "link", "link to folder", "pipe", "."} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		got, err := d.Look(name)
		must(t, err)
		if want := Of(info); got != want || got.Inode == 0 || got.Ctime == 0 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	own, err := d.Stat()
	must(t, err)
	if dot, err := d.Look("."); err != nil || own != dot {
		t.Errorf("the directory itself: %+v, by its name %+v, %v", own, dot, err)
	}
	for _, name := range []string{"dangling", "missing"} {
		if _, err := d.Look(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyADirectoryIsOpened(t *testing.T) {
	dir := tree(t)
	for name, want := range map[string]error{
		"folder": nil, "link to folder": nil, "file": syscall.ENOTDIR, "link": syscall.ENOTDIR, "pipe": syscall.ENOTDIR, "missing": fs.ErrNotExist, "dangling": fs.ErrNotExist,
	} {
		d, err := Open(filepath.Join(dir, name))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if err == nil {
			must(t, d.Close())
		}
	}
}

// A name is looked up in the directory that was opened, wherever that is by then.
func TestADirectoryThatWasMovedIsStillTheOneThatWasOpened(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("by path on this system")
	}
	dir := tree(t)
	d, err := Open(filepath.Join(dir, "folder"))
	must(t, err)
	defer d.Close()
	must(t, os.WriteFile(filepath.Join(dir, "folder", "own"), nil, 0o600))
	must(t, os.Rename(filepath.Join(dir, "folder"), filepath.Join(dir, "moved")))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	if _, err := d.Look("own"); err != nil {
		t.Error(err)
	}
}
