package scan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/dirfd"
	"okstra/lib/transcript"
)

// walked is what the finder finds below a folder, in its order.
func walked(t fataler, dir string) []found {
	fi := &finder{warn: func(err error) { t.Fatalf("%v", err) }}
	fi.dir(dir, func(path string) *transcript.Reader {
		if strings.HasSuffix(path, ".jsonl") {
			return &transcript.Reader{Provider: "claude"}
		}
		return nil
	}, false)
	return fi.files
}

// plainly is what filepath.WalkDir finds below a folder: the names of each
// transcript. It walks on behind links, never twice into one folder.
func plainly(t fataler, dir string) map[dirfd.Stat][]string {
	names, seen := map[dirfd.Stat][]string{}, map[dirfd.Stat]bool{}
	var walk func(dir string)
	walk = func(dir string) {
		must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			must(t, err)
			info, err := os.Stat(path)
			if err != nil {
				return nil // a dangling link
			}
			stat := dirfd.Of(info)
			switch {
			case info.IsDir() && !e.IsDir():
				if !seen[stat] {
					walk(path + string(os.PathSeparator)) // WalkDir follows a link that it begins with
				}
			case info.IsDir() && seen[stat]:
				return fs.SkipDir
			case info.IsDir():
				seen[stat] = true
			case info.Mode().IsRegular() && strings.HasSuffix(path, ".jsonl"):
				names[stat] = append(names[stat], path)
			}
			return nil
		}))
	}
	walk(dir)
	return names
}

// plant makes a random tree, with links of both kinds, loops among them.
func plant(t *rapid.T, dir string) {
	folders, files := []string{dir}, []string{}
	in := func() string { return rapid.SampledFrom(folders).Draw(t, "folder") }
	for i := range rapid.IntRange(0, 60).Draw(t, "names") {
		name := filepath.Join(in(), fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "name"), "-", i))
		switch rapid.SampledFrom([]string{"folder", "folder", "folder", "file", "file", "other", "link", "loop", "hard link", "dangling"}).Draw(t, "kind") {
		case "folder":
			must(t, os.Mkdir(name, 0o700))
			folders = append(folders, name)
		case "file":
			must(t, os.WriteFile(name+".jsonl", []byte(name), 0o600))
			files = append(files, name+".jsonl")
		case "other":
			must(t, os.WriteFile(name+".txt", nil, 0o600))
		case "loop":
			must(t, os.Symlink(in(), name+".jsonl"))
		case "dangling":
			must(t, os.Symlink("nowhere", name+".jsonl"))
		case "link", "hard link":
			if len(files) > 0 {
				link := rapid.SampledFrom([]func(string, string) error{os.Symlink, os.Link}).Draw(t, "link")
				must(t, link(rapid.SampledFrom(files).Draw(t, "file"), name+".jsonl"))
			}
		}
	}
}

// The walk by levels finds each transcript once that a plain walk finds, by one
// of its names and with what a plain look at it tells, and always in one order.
func TestTheWalkFindsWhatAPlainWalkFinds(t *testing.T) {
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(base, fmt.Sprint(runs))
		must(t, os.Mkdir(dir, 0o700))
		defer os.RemoveAll(dir)
		plant(t, dir)
		want, got := plainly(t, dir), walked(t, dir)
		if len(got) != len(want) {
			t.Fatalf("%d files, want %d: %v", len(got), len(want), want)
		}
		var paths []string
		for _, f := range got {
			paths = append(paths, f.path)
			info, err := os.Stat(f.path)
			must(t, err)
			stat := dirfd.Of(info)
			if want[stat] == nil {
				t.Fatalf("%s: found twice, or by no other walk", f.path)
			}
			delete(want, stat)
			if f.size != stat.Size || f.mtime != stat.Mtime || f.ctime != stat.Ctime || f.inode != stat.Inode || f.device != stat.Device {
				t.Fatalf("%s: %+v, want %+v", f.path, f, stat)
			}
		}
		var again []string
		for _, f := range walked(t, dir) {
			again = append(again, f.path)
		}
		if diff := cmp.Diff(paths, again); diff != "" {
			t.Fatalf("another walk, another order:\n%s", diff)
		}
	})
}

// Of several names of a file the one nearest to the root counts, then the first.
func TestTheNameNearestToTheRootIsTheFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 * few { // enough that a level is read on all cores
		must(t, os.MkdirAll(filepath.Join(dir, fmt.Sprintf("f%02d", i), "below"), 0o700))
	}
	own := filepath.Join(dir, "f00", "below", "a.jsonl")
	must(t, os.WriteFile(own, nil, 0o600))
	must(t, os.Link(own, filepath.Join(dir, "f09", "b.jsonl")))
	must(t, os.Link(own, filepath.Join(dir, "f07", "z.jsonl")))
	if got := walked(t, dir); len(got) != 1 || got[0].path != filepath.Join(dir, "f07", "z.jsonl") {
		t.Errorf("found %+v", got)
	}
}

func TestAFolderThatCannotBeReadIsToldOnce(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, tt := range []struct {
		name, path string
		mayMiss    bool
		want       int
	}{
		{"missing, and it may be", filepath.Join(dir, "x"), true, 0},
		{"below a file, and it may be", filepath.Join(dir, "file", "x"), true, 0},
		{"missing", filepath.Join(dir, "x"), false, 1},
		{"a file", filepath.Join(dir, "file"), true, 0},
		{"a name too long to be one", filepath.Join(dir, strings.Repeat("x", 300)), true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			warnings := 0
			fi := &finder{warn: func(error) { warnings++ }}
			fi.dir(tt.path, func(string) *transcript.Reader { return nil }, tt.mayMiss)
			if warnings != tt.want || len(fi.files) > 0 {
				t.Errorf("%d warnings, %d files", warnings, len(fi.files))
			}
		})
	}
}
