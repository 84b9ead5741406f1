//go:build linux

package boundary

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// attributeCommand gives a file an extended attribute.
const attributeCommand = "__set-attribute"

// The test binary stands in for the program that holds the helpers.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		var err error
		switch os.Args[1] {
		case HelperCommand:
			err = Enclose(os.Args[3:], os.Environ())
		case attributeCommand:
			err = unix.Setxattr(os.Args[2], "user.okstra-test", []byte(os.Args[3]), 0)
		case ProbeCommand:
			err = TryBoundary(os.Args[2], os.Args[3])
		default:
			os.Exit(m.Run())
		}
		if err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func testSet(t *testing.T) *Set {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Set{Self: self, Environ: os.Environ(), Scratch: filepath.Join(realTempDir(t), "scratch")}
}

func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func need(t *testing.T, s *Set, kind string) {
	t.Helper()
	if p := s.Probe(t.Context(), kind); !p.OK {
		t.Skipf("%s is not available here: %s", kind, p.Reason)
	}
}

// tree makes a project with a home beside it.
func tree(t *testing.T) (root, home string) {
	t.Helper()
	dir := realTempDir(t)
	root, home = filepath.Join(dir, "a, b: project"), filepath.Join(dir, "home")
	for path, text := range map[string]string{
		root + "/src/kept.go": "kept\n", root + "/src/gone.go": "gone\n", root + "/src/mode.sh": "x\n", root + "/old/in/deep.txt": "deep\n",
		root + "/results/other.md": "other\n", home + "/.claude/settings.json": "{}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, home
}

func readonlyPolicy(root string) *run.WritePolicy {
	return &run.WritePolicy{
		ArtifactPolicy: run.ArtifactPolicy{AllowedRoot: root, AllowedPaths: []string{"results/a.md"}},
		SourcePolicy:   run.SourcePolicy{Mode: writepolicy.SourceReadonly, AllowedRoot: root},
	}
}

// classes is a judge for the tests: the one artifact, and everything else.
func classes(path string, _ bool) string {
	if path == "results/a.md" {
		return "artifact"
	}
	return "unplanned"
}

// enclosed runs a shell script in a boundary and settles it.
func enclosed(t *testing.T, s *Set, kind string, order Order, script string) (Box, string) {
	t.Helper()
	box, err := s.Box(kind, order)
	if err != nil {
		t.Fatal(err)
	}
	spec := proc.Spec{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + order.TempDir}, Dir: order.Tree}
	if err := box.Wrap(&spec); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = spec.Env, spec.Dir, proc.Attributes(spec)
	if spec.Report {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		cmd.ExtraFiles = []*os.File{w}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("the enclosed script ended with %v", err)
	}
	if err := box.Settle(classes); err != nil {
		t.Fatal(err)
	}
	return box, string(out)
}

func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = info.Mode().String() + " " + info.ModTime().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const mutations = `
echo result > results/a.md
echo changed > src/kept.go
rm src/gone.go
chmod 755 src/mode.sh
touch -d 2001-01-01 results/other.md
rm -r old && mkdir old && echo new > old/new.txt
ln -s kept.go src/link.go
echo made > made.txt && rm made.txt
cat src/kept.go > /dev/null
echo temp > "$TMPDIR/t" && echo state > "$CLI_HOME/state" 
`

// An overlay shows every change of one call and none reaches the tree but the
// artifact.
func TestOverlayShowsEveryChange(t *testing.T) {
	s := testSet(t)
	need(t, s, Overlay)
	root, home := tree(t)
	temp := filepath.Join(realTempDir(t), "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, root)
	order := Order{Name: "one", Tree: root, Root: root, Policy: readonlyPolicy(root), Writable: []string{filepath.Join(home, ".claude")}, TempDir: temp, Requests: []string{Overlay}}
	box, out := enclosed(t, s, Overlay, order, "CLI_HOME='"+home+"/.claude'; "+mutations)
	defer box.Close()
	if out != "" {
		t.Errorf("the script said %q", out)
	}
	want := []run.Mutation{
		{Path: "old/in", Change: "deleted", Class: "unplanned"},
		{Path: "old/new.txt", Change: "created", Class: "unplanned"},
		{Path: "results/a.md", Change: "created", Class: "artifact", CopiedOut: true},
		{Path: "results/other.md", Change: "metadata", Class: "unplanned"},
		{Path: "src/gone.go", Change: "deleted", Class: "unplanned"},
		{Path: "src/kept.go", Change: "modified", Class: "unplanned"},
		{Path: "src/link.go", Change: "created", Class: "unplanned"},
		{Path: "src/mode.sh", Change: "mode", Class: "unplanned"},
	}
	got := slices.Clone(box.Record().Mutations)
	slices.SortFunc(got, func(a, b run.Mutation) int { return strings.Compare(a.Path, b.Path) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	after := snapshot(t, root)
	if text := after[root+"/results/a.md"]; !strings.HasSuffix(text, " result\n") {
		t.Errorf("the artifact was not copied out: %q", text)
	}
	delete(after, root+"/results/a.md")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the tree below was changed (-before +after):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".claude", "state")); err != nil || string(text) != "state\n" {
		t.Errorf("the CLI's home was not writable: %q, %v", text, err)
	}
	record := box.Record()
	if record.Kind != Overlay || record.Attribution != "call" || !slices.Equal(record.LeavesOpen, []string{"cli-home", "network"}) || record.SelfTest != "passed" {
		t.Errorf("record %+v", record)
	}
	box.Close()
	s.Close()
	if left, _ := os.ReadDir(s.Scratch); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Extended attributes and the top of the tree are part of the list, too.
func TestOverlayShowsAttributesAndItsTop(t *testing.T) {
	s := testSet(t)
	need(t, s, Overlay)
	root, _ := tree(t)
	if err := unix.Setxattr(filepath.Join(root, "src/mode.sh"), "user.okstra-test", []byte("1"), 0); err != nil {
		t.Skip("no extended attributes here:", err)
	}
	for i, tt := range []struct {
		script string
		want   []run.Mutation
	}{
		{"SET src/kept.go 1", []run.Mutation{{Path: "src/kept.go", Change: "metadata", Class: "unplanned"}}},
		{"SET src/mode.sh 2", []run.Mutation{{Path: "src/mode.sh", Change: "metadata", Class: "unplanned"}}},
		{"SET src/mode.sh 1", []run.Mutation{}},
		{"SET old 1", []run.Mutation{{Path: "old", Change: "metadata", Class: "unplanned"}}},
		{"SET . 1", []run.Mutation{{Path: ".", Change: "metadata", Class: "unplanned"}}},
		{"chmod 777 .", []run.Mutation{{Path: ".", Change: "mode", Class: "unplanned"}}},
		{"echo r >results/a.md", []run.Mutation{{Path: "results/a.md", Change: "created", Class: "artifact", CopiedOut: true}}},
	} {
		box, out := enclosed(t, s, Overlay, Order{Name: "job" + strconv.Itoa(i), Tree: root, Root: root, Policy: readonlyPolicy(root)}, strings.Replace(tt.script, "SET", "'"+s.Self+"' "+attributeCommand, 1))
		if strings.Contains(out, "not supported") {
			box.Close()
			t.Skip("no extended attributes in the overlays here:", out)
		}
		if diff := cmp.Diff(tt.want, box.Record().Mutations); out != "" || diff != "" {
			t.Errorf("%s: said %q, mutations (-want +got):\n%s", tt.script, out, diff)
		}
		box.Close()
	}
}

// A sandbox that a CLI brings makes folders to mount over; killed, it leaves
// them behind. They are no work of the job as long as nothing is in them.
func TestEmptyFoldersOfTheCLIsSandboxAreNoMutations(t *testing.T) {
	s := testSet(t)
	need(t, s, Overlay)
	root, _ := tree(t)
	order := Order{Name: "one", Tree: root, Root: root, Policy: readonlyPolicy(root), SandboxDirs: []string{".agents", ".codex"}, Requests: []string{Overlay}}
	box, out := enclosed(t, s, Overlay, order, "mkdir .agents .codex .other src/.agents && echo x >.codex/x")
	defer box.Close()
	if out != "" {
		t.Errorf("the script said %q", out)
	}
	want := []string{".codex", ".codex/x", ".other", "src/.agents"}
	var got []string
	for _, m := range box.Record().Mutations {
		got = append(got, m.Path)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("mutations %q, want %q", got, want)
	}
}

// What a boundary refuses, tried one by one.
func TestBoundariesRefuseWritesOutside(t *testing.T) {
	for _, kind := range []string{Overlay, Landlock} {
		t.Run(kind, func(t *testing.T) {
			s := testSet(t)
			need(t, s, kind)
			root, home := tree(t)
			outside := realTempDir(t)
			if err := os.WriteFile(filepath.Join(outside, "file"), []byte("as it was"), 0o644); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, outside)
			order := Order{Name: "one", Tree: root, Root: root, Policy: readonlyPolicy(root), Writable: []string{filepath.Join(home, ".claude")}}
			script := "O='" + outside + "'; H='" + home + "'\n" + `
				try() { if sh -c "$1" 2>/dev/null; then echo "allowed: $1"; fi; }
				export O H
				try 'echo x > $O/new'
				try 'echo x >> $O/file'
				try ': > $O/file'
				try 'rm -f $O/file; test ! -e $O/file'
				try 'mkdir $O/dir'
				try 'ln -s x $O/link'
				try 'mv results/other.md $O/moved'
				try 'ln results/other.md $O/hard'
				try 'echo x > $H/other'
				try 'mount -o remount,rw /'
				try 'mount -t tmpfs none $O'
				echo x > results/a.md && echo fine`
			box, out := enclosed(t, s, kind, order, script)
			defer box.Close()
			if out != "fine\n" {
				t.Errorf("%s let through:\n%s", kind, out)
			}
			if diff := cmp.Diff(before, snapshot(t, outside)); diff != "" {
				t.Errorf("outside was changed:\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(root, "results", "a.md")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A folder that is to stay writable and is not there is a fault of its own job,
// which cannot be started; the others of the batch are.
func TestAMissingArtifactFolderIsAFaultOfItsJob(t *testing.T) {
	root, _ := tree(t)
	if err := os.RemoveAll(filepath.Join(root, "results")); err != nil {
		t.Fatal(err)
	}
	box, err := testSet(t).Box(Landlock, Order{Name: "one", Tree: root, Root: root, Policy: readonlyPolicy(root)})
	if err != nil {
		t.Fatalf("Box = %v, want a box that cannot be put around anything", err)
	}
	defer box.Close()
	if err := box.Wrap(&proc.Spec{Argv: []string{"true"}}); err == nil || !strings.Contains(err.Error(), "results") {
		t.Errorf("Wrap = %v, want an error that names the folder", err)
	}
}

// Two jobs write the same path of one tree at once and are told apart by call
// (reports 20 and 34: a shared tree, one job's changes blamed on another).
func TestReport34ParallelJobsOnOneTreeAreToldApart(t *testing.T) {
	s := testSet(t)
	need(t, s, Overlay)
	root, _ := tree(t)
	before := snapshot(t, root)
	boxes := make([]Box, 2)
	done := make(chan int, 2)
	for i, word := range []string{"one", "two"} {
		go func() {
			boxes[i], _ = enclosed(t, s, Overlay, Order{Name: word, Tree: root, Root: root, Policy: readonlyPolicy(root)},
				"echo "+word+" > src/kept.go; echo "+word+" > "+word+".txt; sleep 0.2; grep -qx "+word+" src/kept.go || echo mixed > mixed")
			done <- i
		}()
	}
	<-done
	<-done
	for i, word := range []string{"one", "two"} {
		var paths []string
		for _, m := range boxes[i].Record().Mutations {
			paths = append(paths, m.Path)
		}
		slices.Sort(paths)
		want := []string{word + ".txt", "src/kept.go"}
		slices.Sort(want)
		if !slices.Equal(paths, want) {
			t.Errorf("job %s changed %v, want %v", word, paths, want)
		}
		boxes[i].Close()
	}
	if diff := cmp.Diff(before, snapshot(t, root)); diff != "" {
		t.Errorf("the tree below was changed:\n%s", diff)
	}
}

// A CLI that brings a sandbox of its own can start it inside an overlay made
// for it (reports 29 and 30).
func TestReport29OwnSandboxStartsInsideTheOverlay(t *testing.T) {
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("needs unshare")
	}
	s := testSet(t)
	need(t, s, Overlay)
	root, _ := tree(t)
	order := Order{Name: "one", Tree: root, Root: root, Policy: readonlyPolicy(root), OwnSandbox: true}
	box, out := enclosed(t, s, Overlay, order, "unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo inside'")
	defer box.Close()
	if out != "inside\n" {
		t.Errorf("a sandbox inside the overlay said %q", out)
	}
	if abi := box.Record().ABI; abi != nil {
		t.Errorf("the record claims Landlock %d", *abi)
	}
}

// What is not listed is never used, and no acceptable one is an error.
func TestReport30ChooseNeverTakesWhatIsNotListed(t *testing.T) {
	s := &Set{probes: map[string]Probe{Overlay: {Reason: "no user namespaces"}, Landlock: {OK: true}, None: {OK: true}}}
	for _, tt := range []struct {
		name           string
		list, accepted []string
		want           string
	}{
		{"first that holds", []string{Overlay, Landlock, None}, Kinds, Landlock},
		{"the order is the caller's", []string{None, Landlock}, Kinds, None},
		{"the job narrows", []string{Overlay, Landlock, None}, []string{Overlay, None}, None},
		{"none is left", []string{Overlay, Landlock}, []string{Overlay}, ""},
		{"nothing weaker instead", []string{Overlay}, Kinds, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.Choose(context.Background(), tt.list, tt.accepted)
			if got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("Choose(%v, %v) = %q, %v; want %q", tt.list, tt.accepted, got, err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), "user namespaces") {
				t.Errorf("error %q does not say why", err)
			}
		})
	}
}

// A self-test that does not hold is a reason, not a boundary.
func TestProbeTellsWhatDoesNotWork(t *testing.T) {
	s := &Set{Self: "/bin/true", Environ: os.Environ(), Scratch: filepath.Join(realTempDir(t), "scratch")}
	for _, kind := range []string{Overlay, Landlock} {
		if p := s.Probe(t.Context(), kind); p.OK || p.Reason == "" {
			t.Errorf("a helper that does nothing passes as %s: %+v", kind, p)
		}
	}
}

func BenchmarkOverlayStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	s := &Set{Self: self, Environ: os.Environ(), Scratch: filepath.Join(b.TempDir(), "s")}
	if p := s.Probe(context.Background(), Overlay); !p.OK {
		b.Skip(p.Reason)
	}
	b.Cleanup(s.Close)
	for b.Loop() {
		box, err := s.Box(Overlay, Order{Name: time.Now().Format("150405.000000000"), Tree: root, Root: root, Policy: readonlyPolicy(root)})
		if err != nil {
			b.Fatal(err)
		}
		spec := proc.Spec{Argv: []string{"true"}, Env: os.Environ(), Dir: root}
		if err := box.Wrap(&spec); err != nil {
			b.Fatal(err)
		}
		if err := start(context.Background(), spec); err != nil {
			b.Fatal(err)
		}
		box.Close()
	}
}

// A settings file that a CLI expects begins as an empty object; one that is
// there is left alone, and nothing else is left beside it.
func TestExistingBeginsSettingsAndLeavesThemAlone(t *testing.T) {
	dir := realTempDir(t)
	path := filepath.Join(dir, ".cli.json")
	for _, want := range []string{"{}\n", "{\"mine\":1}\n"} {
		if got := existing([]string{path}); !cmp.Equal(got, []string{path}) {
			t.Errorf("existing() = %q, want %q", got, path)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("settings %q, %v, want %q", text, err, want)
		}
		if err := os.WriteFile(path, []byte("{\"mine\":1}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		beginSettings(path) // as another job does that saw no file
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v in the folder, %v, want the settings alone", list, err)
	}
}
