package writepolicy

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/jsondoc"
)

// wantCode fails unless err is a refusal with the code whose message names
// every one of the words.
func wantCode(t *testing.T, err error, code string, words ...string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != code {
		t.Errorf("got %v, want a refusal with code %q", err, code)
		return
	}
	for _, word := range words {
		if !strings.Contains(e.Message, word) {
			t.Errorf("message %q does not name %q", e.Message, word)
		}
	}
}

func parse(t *testing.T, text string) jsondoc.Doc {
	t.Helper()
	doc, err := jsondoc.Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// tree is a git repository with one commit, on branch work.
type tree struct {
	t    *testing.T
	root string
	m    Machine
}

func newTree(t *testing.T) tree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	r := tree{t: t, root: filepath.Join(root, "repo"), m: Machine{Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}, Dir: root}}
	r.mkdir(home, r.root)
	r.git("init", "-q", "-b", "work")
	r.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one")
	return r
}

func (r tree) mkdir(dirs ...string) {
	r.t.Helper()
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r tree) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.root, r.m.Environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// request is an invocation and an assignment with some keys put over working
// ones; the value absent removes a key.
type request struct{ invocation, assignment map[string]any }

type absent struct{}

func (r tree) request(over map[string]any) request {
	q := request{
		invocation: map[string]any{"role": "analyser", "projectRoot": r.root, "artifactPaths": []any{"out/r.md"}},
		assignment: map[string]any{"workerWriteCapability": map[string]any{"maxBoundaryPrecision": "exact-path"}},
	}
	for key, value := range over {
		into := q.invocation
		if key == "workerWriteCapability" || key == "validatedAuxiliaryRoots" {
			into = q.assignment
		}
		if value == (absent{}) {
			delete(into, key)
		} else {
			into[key] = value
		}
	}
	return q
}

func (r tree) build(over map[string]any, worktree any) (Policy, error) {
	r.t.Helper()
	q := r.request(over)
	invocation, err := json.Marshal(q.invocation)
	if err != nil {
		r.t.Fatal(err)
	}
	assignment, err := json.Marshal(q.assignment)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.m.Build(r.t.Context(), Request{Invocation: invocation, Assignment: assignment, Worktree: worktree})
}
