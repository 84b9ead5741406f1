package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Trees of forms that make tools look elsewhere: what a worker does in them is
// found all the same, and nothing that it did not do.
func TestMutationsInTreesOfOddForms(t *testing.T) {
	later := time.Now().Add(48 * time.Hour)
	for _, tt := range []struct {
		name    string
		prepare func(w *world)
		mutate  func(w *world)
		want    []string
	}{
		{"an edit in a submodule", submodule, func(w *world) { w.write("sub/src/a.go", "package x\n") }, []string{"sub/src/a.go tree modified unplanned"}},
		{"a commit in a submodule", submodule, func(w *world) {
			w.write("sub/src/a.go", "package x\n")
			w.gitIn(w.abs("sub"), "commit", "-qam", "two")
		}, []string{"sub/src/a.go tree modified unplanned", ".git/modules/sub/logs/HEAD git-info modified unplanned"}},
		{"a hook in a submodule's repository", submodule, func(w *world) { w.write(".git/modules/sub/hooks/pre-commit", "#!/bin/sh\n") }, []string{".git/modules/sub/hooks/pre-commit git-hook created unplanned"}},
		{"a submodule that points elsewhere", submodule, func(w *world) { w.write("sub/.git", "gitdir: ../../elsewhere\n") }, []string{"sub/.git tree modified unplanned"}},
		{"a commit in a repository inside", nested, func(w *world) {
			w.write("in/src/a.go", "package x\n")
			w.gitIn(w.abs("in"), "commit", "-qam", "two")
		}, []string{"in/src/a.go tree modified unplanned", "in/.git/logs/HEAD tree modified unplanned"}},
		{"a hook in a repository inside", nested, func(w *world) { w.write("in/.git/hooks/pre-commit", "#!/bin/sh\n") }, []string{"in/.git/hooks/pre-commit tree created unplanned"}},
		{"a file outside of a sparse checkout", sparse, func(w *world) { w.write("src/a.go", "package x\n") }, []string{"src tree created unplanned", "src/a.go tree created unplanned"}},
		{"a sparse checkout made whole", sparse, func(w *world) { w.git("sparse-checkout", "disable") }, []string{"src/a.go tree created unplanned", "src/a.go git-index metadata unplanned"}},
		{"an edit in a sparse index", func(w *world) { w.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs") }, func(w *world) { w.write("top", "1") }, []string{"top tree created unplanned"}},
		{"a pointer of large file storage", func(w *world) {
			w.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
			w.write("a.bin", pointer("1"))
			w.git("add", ".")
			w.git("commit", "-qm", "lfs")
		}, func(w *world) { w.write("a.bin", pointer("2")) }, []string{"a.bin tree modified unplanned"}},
		{"a name in other letters", nil, func(w *world) { w.must(os.Rename(w.abs("src/a.go"), w.abs("src/A.go"))) }, []string{"src/a.go tree deleted unplanned", "src/A.go tree created unplanned"}},
		{"a folder in other letters, case ignored", func(w *world) { w.git("config", "core.ignorecase", "true") }, func(w *world) { w.must(os.Rename(w.abs("src"), w.abs("Src"))) }, []string{"src tree deleted unplanned", "Src/a.go tree created unplanned"}},
		{"two files that change places", nil, func(w *world) { swap(w, "src/a.go", "src/b.go") }, []string{"src/a.go tree modified unplanned", "src/b.go tree modified unplanned"}},
		{"a file and a folder that change places", func(w *world) { w.write("x/in", "1") }, func(w *world) { swap(w, "src/a.go", "x") }, []string{"src/a.go tree type unplanned", "x tree type unplanned", "x/in tree deleted unplanned"}},
		{"a folder and a link that change places", func(w *world) {
			w.write("x/in", "1")
			w.must(os.Symlink("x", w.abs("y")))
		}, func(w *world) { swap(w, "x", "y") }, []string{"x tree type unplanned", "y tree type unplanned", "x/in tree deleted unplanned", "y/in tree created unplanned"}},
		{"an edit of a file of the future", func(w *world) { w.must(os.Chtimes(w.abs("src/a.go"), later, later)) }, func(w *world) {
			sameSizeSameTime(w, "src/a.go", "package x\n")
		}, []string{"src/a.go tree modified unplanned"}},
		{"times from before there was time", nil, func(w *world) { w.must(os.Chtimes(w.abs("src/a.go"), time.Unix(-5, 0), time.Unix(-5, 0))) }, []string{"src/a.go tree metadata unplanned"}},
		{"a replaced folder of the same content", nil, func(w *world) {
			w.must(os.CopyFS(w.abs("copy"), os.DirFS(w.abs("src"))))
			w.must(os.RemoveAll(w.abs("src")))
			w.must(os.Rename(w.abs("copy"), w.abs("src")))
		}, []string{"src tree modified unplanned"}},
		{"the repository moved away, a link in its place", nil, func(w *world) {
			w.must(os.Rename(w.abs(".git"), filepath.Join(w.top, "moved")))
			w.must(os.Symlink(filepath.Join(w.top, "moved"), w.abs(".git")))
		}, []string{".git git-info type unplanned", ".git/config git-config deleted unplanned", ".git/index git-index deleted unplanned"}},
		{"the repository moved away, a file that names it in its place", nil, func(w *world) {
			w.must(os.Rename(w.abs(".git"), filepath.Join(w.top, "moved")))
			w.write(".git", "gitdir: "+filepath.Join(w.top, "moved")+"\n")
		}, []string{".git git-info type unplanned", ".git/config git-config deleted unplanned"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			first, again := w.take(w.scope()), w.take(w.scope())
			if list, _ := Differences(first, again); len(list) > 0 {
				t.Errorf("differences of an unchanged tree: %+v", list)
			}
			found := w.around(w.scope(), func() { tt.mutate(w) })
			seen := map[string]bool{}
			for _, c := range found.Changes {
				if c.Surface == "" || seen[c.Path+c.Surface] && c.Surface == SurfaceTree {
					t.Errorf("row %+v names no surface, or stands there twice", c)
				}
				seen[c.Path+c.Surface] = true
			}
			var got []string
			for _, c := range found.Violations {
				got = append(got, strings.Join([]string{c.Path, c.Surface, c.Change, c.Class}, " "))
			}
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("no row %q among\n%s", want, strings.Join(got, "\n"))
				}
			}
		})
	}
}

// submodule adds a copy of the repository as a submodule.
func submodule(w *world) {
	w.git("clone", "-q", "--bare", ".", filepath.Join(w.top, "other.git"))
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", filepath.Join(w.top, "other.git"), "sub")
	w.gitIn(w.abs("sub"), "config", "user.name", "a")
	w.gitIn(w.abs("sub"), "config", "user.email", "a@example.org")
	w.git("commit", "-qm", "sub")
}

// nested puts a repository into the tree that knows nothing of the outer one.
func nested(w *world) {
	w.git("clone", "-q", ".", "in")
	w.gitIn(w.abs("in"), "config", "user.name", "a")
	w.gitIn(w.abs("in"), "config", "user.email", "a@example.org")
}

// sparse leaves src out of the checkout.
func sparse(w *world) { w.git("sparse-checkout", "set", "--no-cone", "docs") }

func pointer(last string) string {
	return "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 63) + last + "\nsize 1\n"
}

func swap(w *world, a, b string) {
	w.must(os.Rename(w.abs(a), w.abs("between")))
	w.must(os.Rename(w.abs(b), w.abs(a)))
	w.must(os.Rename(w.abs("between"), w.abs(b)))
}

// A name that is a file, a folder and a link in turn while it is looked at is
// one of them, and never leads out of the tree.
func TestAScanSurvivesNamesThatChangeTheirType(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for i := range 2 {
		churn.Go(func() {
			kinds := []func(path string) error{
				func(path string) error { return os.WriteFile(path, nil, 0o644) },
				func(path string) error { return os.Symlink(outside, path) },
				func(path string) error {
					if err := os.Mkdir(path, 0o755); err != nil {
						return err
					}
					return os.Symlink(outside, filepath.Join(path, "in"))
				},
			}
			path, made := filepath.Join(root, fmt.Sprint(i)), filepath.Join(root, fmt.Sprint("made-", i))
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_ = kinds[n%len(kinds)](made)
				_ = os.RemoveAll(path)
				_ = os.Rename(made, path)
			}
		})
	}
	for range 200 {
		scanned, err := scanRoot(t.Context(), root)
		if err != nil {
			t.Errorf("a name that changes stops the scan: %v", err)
			break
		}
		i := slices.IndexFunc(scanned.Rows, func(r Row) bool { return strings.Contains(r.Path, "secret") })
		if i >= 0 || len(scanned.Unreadable) > 0 {
			t.Errorf("rows %+v, unreadable %q", scanned.Rows, scanned.Unreadable)
			break
		}
	}
	close(stop)
	churn.Wait()
}
