package audit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// world is a repository with some files, committed, on branch main.
type world struct {
	t    testing.TB
	top  string // resolved
	root string
	env  []string
	aged int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := worldAt(t, t.TempDir())
	w.must(os.CopyFS(w.root, os.DirFS(template(t))))
	// The index is older than what follows, or git could not rely on it either.
	w.age()
	return w
}

func worldAt(t testing.TB, dir string) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, top: top, root: filepath.Join(top, "repo"), env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1"}}
}

var (
	templateOnce sync.Once
	templateDir  string
)

// template is a repository that is made once and copied.
func template(t testing.TB) string {
	t.Helper()
	templateOnce.Do(func() {
		w := worldAt(t, templateDir)
		w.mkdir("src", "docs")
		w.git("init", "-q", "-b", "main")
		w.git("config", "user.name", "a")
		w.git("config", "user.email", "a@example.org")
		w.git("config", "gc.auto", "0")
		w.write("src/a.go", "package a\n")
		w.write("src/b.go", "package b\n")
		w.write(".gitignore", "*.ignored\nbuild/\n")
		w.git("add", ".")
		w.git("commit", "-qm", "one")
	})
	return filepath.Join(templateDir, "repo")
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "okstra-audit-")
	if err != nil {
		panic(err)
	}
	templateDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// age makes the files of the tree older than the index, each time by another
// time: git compares whole seconds only.
func (w *world) age() {
	w.t.Helper()
	w.aged++
	old := time.Now().Add(-time.Duration(w.aged) * time.Hour)
	for name := range strings.FieldsSeq(w.git("ls-files")) {
		if info, err := os.Lstat(w.abs(name)); err == nil && info.Mode().IsRegular() {
			if err := os.Chtimes(w.abs(name), old, old); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.git("status") // which refreshes the index
}

func (w *world) abs(name string) string { return filepath.Join(w.root, name) }

func (w *world) mkdir(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(w.abs(name), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = w.abs(name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) git(args ...string) string { return w.gitIn(w.root, args...) }

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// scope is that of a worker who may write nothing.
func (w *world) scope() Scope { return Scope{Root: w.root, Environ: w.env} }

func (w *world) take(scope Scope) *Snapshot {
	w.t.Helper()
	s, err := Take(w.t.Context(), scope)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// around judges what do changes.
func (w *world) around(scope Scope, do func()) Findings {
	w.t.Helper()
	before := w.take(scope)
	do()
	after := w.take(scope)
	w.must(Prove(w.t.Context(), before, after, w.env))
	f, err := Judge(w.t.Context(), before, after, Rules{Policies: scope.Policies, Environ: w.env})
	w.must(err)
	return f
}

// readonly is the policy of a worker that may write one artifact.
func (w *world) readonly(root string) writepolicy.Policy {
	w.t.Helper()
	return w.policy(run.WritePolicy{
		ArtifactPolicy:  run.ArtifactPolicy{AllowedRoot: w.root, AllowedPaths: []string{".okstra/out/result.md"}},
		SourcePolicy:    run.SourcePolicy{Mode: writepolicy.SourceReadonly, AllowedRoot: root, PlannedPaths: []string{}, ProtectedPaths: []string{".okstra", ".git"}},
		GitPolicy:       run.GitPolicy{Mode: writepolicy.GitDisabled},
		AuxiliaryPolicy: run.AuxiliaryPolicy{ScratchRoots: []string{}, GeneratedPaths: []string{}, ExternalRoots: []string{}},
	})
}

// implementer is the policy of a worker that may change src/a.go and what lies
// below gen, on the branch of its tree.
func (w *world) implementer(root string) writepolicy.Policy {
	w.t.Helper()
	p := w.readonly(root).WritePolicy
	p.SourcePolicy.Mode = writepolicy.SourceMutation
	p.SourcePolicy.PlannedPaths = []string{"src/a.go", "src/new/deep.go"}
	p.AuxiliaryPolicy.GeneratedPaths = []string{"gen"}
	p.GitPolicy = run.GitPolicy{
		Mode: writepolicy.GitFastForward, CommitMode: writepolicy.GitFastForward,
		WorktreeGitDir: w.gitIn(root, "rev-parse", "--absolute-git-dir"), GitCommonDir: w.abs(".git"),
		ExpectedBaseCommit: w.gitIn(root, "rev-parse", "HEAD"), AllowedBranchRef: w.gitIn(root, "symbolic-ref", "HEAD"),
	}
	return w.policy(p)
}

func (w *world) policy(p run.WritePolicy) writepolicy.Policy {
	w.t.Helper()
	policy, err := writepolicy.FromRun(&p)
	w.must(err)
	return policy
}

// lines shows changes as "path surface change class".
func lines(changes []run.Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, strings.Join([]string{c.Path, c.Surface, c.Change, c.Class}, " "))
	}
	return out
}
