package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"okstra/lib/clitest"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
	"okstra/lib/writepolicy"
)

func TestW13AnUnchangedTreeHasEqualSnapshots(t *testing.T) {
	w := newWorld(t)
	w.write("new\nname \xff", "x")
	w.must(os.Symlink("\xfe", w.abs("link")))
	w.must(syscall.Mkfifo(w.abs("pipe"), 0o600))
	w.write("src/a.go", "package a\n") // git would like to refresh its index
	w.write(".git/index.lock", "")     // of somebody else
	index, err := os.ReadFile(w.abs(".git/index"))
	w.must(err)
	stat, err := os.Stat(w.abs(".git/index"))
	w.must(err)

	f := w.around(w.scope(), func() {})
	if len(f.Changes) != 0 || len(f.Unobserved) != 0 {
		t.Errorf("changes %q, unobserved %q", lines(f.Changes), f.Unobserved)
	}
	if a, b := w.take(w.scope()).Encode(), w.take(w.scope()).Encode(); !bytes.Equal(a, b) {
		t.Errorf("two snapshots differ:\n%s", cmp.Diff(string(a), string(b)))
	}
	again, err := os.ReadFile(w.abs(".git/index"))
	w.must(err)
	now, err := os.Stat(w.abs(".git/index"))
	w.must(err)
	if !bytes.Equal(index, again) || !os.SameFile(stat, now) || !now.ModTime().Equal(stat.ModTime()) {
		t.Error(".git/index was written")
	}
	if _, err := os.Stat(w.abs(".git/index.lock")); err != nil {
		t.Error("somebody else's index.lock is gone")
	}
}

func TestASnapshotSurvivesItsDocument(t *testing.T) {
	w := newWorld(t)
	w.write("new\nname \xff", "x")
	w.must(os.Symlink("\xfe", w.abs("link")))
	w.write("b64:odd", "x")
	w.git("update-index", "--assume-unchanged", "src/a.go")
	w.write("src/b.go", "stashed")
	w.git("stash", "-q")
	w.git("worktree", "add", "-q", "-b", "side", "../side")
	w.write(".git/hooks/pre-commit", "#!/bin/sh\n")
	w.write(".git/index.lock", "")
	w.write(".git/refs/heads/b64:"+"x", "") // an odd ref that git ignores
	scope := w.scope()
	scope.Policies = []writepolicy.Policy{w.readonly(w.root)}
	s := w.take(scope)
	text := s.Encode()
	doc, err := jsondoc.Parse("snapshot.json", text)
	w.must(err)
	for _, f := range schema.Validate(doc, Kind) {
		t.Errorf("schema: %s: %s (found %s, expected %s)", f.Pointer, f.Message, f.Found, f.Expected)
	}
	back, err := Load(doc)
	w.must(err)
	if diff := cmp.Diff(s, back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-taken +loaded):\n%s", diff)
	}
	if !bytes.Equal(back.Encode(), text) {
		t.Error("the document changes on its way")
	}
}

func TestDocumentsThatAreNoSnapshot(t *testing.T) {
	w := newWorld(t)
	good := string(w.take(w.scope()).Encode())
	for _, tt := range []struct{ name, old, new, want string }{
		{"kind", "okstra-mutation-snapshot", "okstra-job", `/kind: "okstra-job"`},
		{"newer version", `"schemaVersion": "1.0"`, `"schemaVersion": "2.0"`, "/schemaVersion"},
		{"columns", `"mtimeNs", "ctimeNs"`, `"ctimeNs", "mtimeNs"`, "/columns"},
		{"row too short", `,null]`, `]`, "/roots/0/rows/"},
		{"row out of order", `"src/a.go"`, `"a"`, "does not come after"},
		{"mode", `"0644"`, `"rw-r"`, "mode"},
		{"size is a text", `["src/a.go","file","0644",0,0,10`, `["src/a.go","file","0644",0,0,"x"`, "size"},
		{"roots are a text", `"roots": [`, `"roots": ["x",`, "/roots"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if text == good {
			continue // the machine's own ids differ
		}
		doc, err := jsondoc.Parse("s.json", []byte(text))
		w.must(err)
		if _, err := Load(doc); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

// A snapshot that lacks a key would be compared with nothing, and nothing
// differs: it is refused, by either reader.
func TestASnapshotHasAllItsKeys(t *testing.T) {
	w := newWorld(t)
	good, err := jsondoc.Parse("s.json", w.take(w.scope()).Encode())
	w.must(err)
	pointers := []string{"/root", "/artifactRoot", "/policyDigests", "/columns", "/roots", "/git", "/roots/0/root", "/roots/0/rows", "/roots/0/unreadable"}
	for _, key := range gitKeys {
		pointers = append(pointers, "/git/"+key)
	}
	refused := func(what, pointer string, text []byte) {
		for name, small := range map[string]int{"whole": len(text), "row by row": 0} {
			s, err := read(bytes.NewReader(text), "s.json", small)
			if fault := (*FormatError)(nil); s != nil || !errors.As(err, &fault) || !strings.HasPrefix(fault.Pointer, pointer) {
				t.Errorf("%s %s, read %s: %v, want a fault there", pointer, what, name, err)
			}
		}
	}
	for _, pointer := range pointers {
		without, err := good.Delete(pointer)
		w.must(err)
		refused("missing", pointer, without.Raw)
		if pointer == "/roots" || pointer == "/git" || strings.HasPrefix(pointer, "/git/") {
			continue
		}
		null, err := good.Set(pointer, nil)
		w.must(err)
		if pointer != "/roots/0/rows" { // which the reader of rows calls by its place
			refused("null", pointer, null.Raw)
		}
	}
	none, err := good.Set("/roots", []any{})
	w.must(err)
	refused("empty", "/roots", none.Raw)
}

// slowScan walks a tree with the standard library.
func slowScan(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		size := info.Size()
		if d.IsDir() {
			size = 0
		}
		paths = append(paths, fmt.Sprintf("%s %v %d", name, info.Mode().Perm(), size))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(paths, func(a, b string) int {
		x, _, _ := strings.Cut(a, " ")
		y, _, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	return paths
}

func TestTheScanFindsWhatAWalkFindsInByteOrder(t *testing.T) {
	root := t.TempDir()
	// Names around the slash decide the order: "-" and "." come before it.
	for _, name := range []string{"a/x", "a-b", "a.b/y", "a/-", "a0", "!first", "-dash/z", "deep/er/and/deeper/f", "empty/", "z/a/b/c", "z/a.c", "z/a-", "Ä/ö"} {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		if err := os.MkdirAll(filepath.Join(root, "many", fmt.Sprint(i%17), fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	scanned, err := scanRoot(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range scanned.Rows {
		got = append(got, fmt.Sprintf("%s %v %d", r.Path, fs.FileMode(r.Mode), r.Size))
	}
	if diff := cmp.Diff(slowScan(t, root), got); diff != "" {
		t.Errorf("(-walk +scan):\n%s", diff)
	}
	if !slices.IsSortedFunc(scanned.Rows, comparePaths) {
		t.Error("rows are not in order")
	}
}

func TestAScanNeverLeavesThroughALink(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	scanned, err := scanRoot(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(scanned.Rows); n != 3 || scanned.Rows[2].Digest != outside {
		t.Errorf("rows %+v, want the root and two links", scanned.Rows)
	}
}

func TestAScanSurvivesFilesThatVanish(t *testing.T) {
	root := t.TempDir()
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for i := range 2 {
		churn.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				dir := filepath.Join(root, fmt.Sprint(i, "-", n%7))
				_ = os.MkdirAll(filepath.Join(dir, "sub"), 0o755)
				_ = os.WriteFile(filepath.Join(dir, "sub", "f"), nil, 0o644)
				_ = os.RemoveAll(dir)
				_ = os.Symlink("nowhere", dir)
				_ = os.Remove(dir)
			}
		})
	}
	for range 200 {
		scanned, err := scanRoot(t.Context(), root)
		if err != nil {
			t.Errorf("a vanishing file stops the scan: %v", err)
			break
		}
		if len(scanned.Unreadable) != 0 {
			t.Errorf("vanished entries are called unreadable: %q", scanned.Unreadable)
			break
		}
	}
	close(stop)
	churn.Wait()
}

func TestAnUnreadableEntryIsUnobservedNotDeleted(t *testing.T) {
	clitest.AsNobody(t)
	w := newWorld(t)
	w.write("dir/inside", "1")
	w.write("noexec/inside", "1")
	before := w.take(w.scope())
	w.must(os.Chmod(w.abs("dir"), 0o300))    // no listing
	w.must(os.Chmod(w.abs("noexec"), 0o600)) // a listing, and nothing behind it
	defer func() {
		_ = os.Chmod(w.abs("dir"), 0o755)
		_ = os.Chmod(w.abs("noexec"), 0o755)
	}()
	after := w.take(w.scope())
	f, err := Judge(t.Context(), before, after, Rules{Environ: w.env})
	w.must(err)
	if diff := cmp.Diff([]string{"dir", "noexec/inside"}, f.Unobserved); diff != "" {
		t.Errorf("unobserved (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"dir tree mode unplanned", "noexec tree mode unplanned"}, lines(f.Changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestAMissingRootIsAnError(t *testing.T) {
	w := newWorld(t)
	for _, scope := range []Scope{
		{Root: filepath.Join(w.top, "nowhere"), Environ: w.env},
		{Root: w.abs("src/a.go"), Environ: w.env},
		{Root: w.root, ArtifactRoot: filepath.Join(w.top, "nowhere"), Environ: w.env},
		{Root: w.root, ScratchRoots: []string{filepath.Join(w.top, "nowhere")}, Environ: w.env},
	} {
		if _, err := Take(t.Context(), scope); err == nil {
			t.Errorf("a snapshot of %+v", scope)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Take(cancelled, w.scope()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestATreeWithoutGit(t *testing.T) {
	w := newWorld(t)
	plain := filepath.Join(w.top, "plain")
	w.write(plain+"/f", "1")
	scope := Scope{Root: plain, Environ: w.env}
	if s := w.take(scope); s.Git != nil {
		t.Errorf("git state %+v of a plain folder", s.Git)
	}
	f := w.around(scope, func() { w.write(plain+"/f", "22") })
	if diff := cmp.Diff([]string{"f tree modified unplanned"}, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A folder inside a repository is no work tree of its own.
	if s := w.take(Scope{Root: w.abs("src"), Environ: w.env}); s.Git != nil {
		t.Errorf("git state %+v of a folder inside a repository", s.Git)
	}
}

func TestOneEntryStandsInOnePlace(t *testing.T) {
	w := newWorld(t)
	w.mkdir("scratch", "../far")
	scope := w.scope()
	scope.ScratchRoots = []string{w.abs("scratch"), filepath.Join(w.top, "far"), filepath.Join(w.top, "far")}
	s := w.take(scope)
	var roots []string
	for _, r := range s.Roots {
		roots = append(roots, r.Root)
	}
	if diff := cmp.Diff([]string{w.root, filepath.Join(w.top, "far")}, roots); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestObjectsAreLeftOut(t *testing.T) {
	w := newWorld(t)
	w.mkdir("objects") // an ordinary folder of that name
	for _, r := range w.take(w.scope()).Roots[0].Rows {
		if strings.HasPrefix(r.Path, ".git/objects/") {
			t.Errorf("row %s", r.Path)
		}
	}
	f := w.around(w.scope(), func() {
		w.write("objects/x", "1")
		w.write(".git/refs/heads/objects/y", w.git("rev-parse", "HEAD")+"\n")
	})
	if diff := cmp.Diff([]string{"objects/x tree created unplanned", "refs/heads/objects/y git-ref created unplanned"}, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What only looks like a repository is files: a fixture of one, tracked or not,
// cannot hide anything in its objects.
func TestFixturesOfRepositoriesAreFiles(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"td/b.git", ".git/modules/lib/x", ".git/modules/lib/x/modules/deep"} {
		w.mkdir(dir+"/refs", dir+"/objects")
		w.write(dir+"/HEAD", "ref: refs/heads/main\n")
		w.write(dir+"/objects/payload", "1")
	}
	f := w.around(w.scope(), func() {
		w.write("td/b.git/objects/payload", "22")
		w.write("td/b.git/objects/new", "1")
		w.write(".git/modules/lib/x/objects/payload", "22")
		w.write(".git/modules/lib/x/modules/deep/objects/new", "1")
	})
	want := []string{"td/b.git/objects/new tree created unplanned", "td/b.git/objects/payload tree modified unplanned"}
	if diff := cmp.Diff(want, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzLoad(f *testing.F) {
	w := newWorld(f)
	f.Add(w.take(w.scope()).Encode())
	f.Add([]byte(`{"kind":"okstra-mutation-snapshot","schemaVersion":"1.0","columns":["path","type","mode","uid","gid","size","mtimeNs","ctimeNs","ino","digest"],"root":{"b64":"L/8="},"artifactRoot":{"b64":"L/8="},"policyDigests":[],"roots":[{"root":{"b64":"L/8="},"rows":[],"unreadable":[]}],"git":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := jsondoc.Parse("fuzz", text)
		if err != nil {
			return
		}
		s, err := Load(doc)
		if err != nil {
			return
		}
		// Law: what was loaded is written and loaded as the same.
		doc, err = jsondoc.Parse("again", s.Encode())
		if err != nil {
			t.Fatalf("what we write is no JSON: %v", err)
		}
		again, err := Load(doc)
		if err != nil {
			t.Fatalf("what we write is refused: %v", err)
		}
		if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}
