package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sandbox is a repository with one commit, in a home of its own.
type sandbox struct {
	t    testing.TB
	home string
	dir  string
	env  []string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "repo")}
	for _, dir := range []string{s.home, s.dir} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "GIT_CONFIG_NOSYSTEM=1"}
	s.git("init", "-q", "-b", "main")
	s.git("config", "user.name", "a")
	s.git("config", "user.email", "a@example.org")
	s.write("a.txt", "one\n")
	s.git("add", ".")
	s.git("commit", "-qm", "one")
	return s
}

// newSandboxLike is a copy of a sandbox, which is made faster than another one.
func newSandboxLike(t testing.TB, first *sandbox) *sandbox {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.CopyFS(root, os.DirFS(filepath.Dir(first.dir)))
	}
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(root, "home"), "GIT_CONFIG_NOSYSTEM=1"}
	return &sandbox{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "repo"), env: env}
}

func (s *sandbox) repo() Repo { return Open(s.dir, s.env) }

// git runs a git command as a user would; the answer is trimmed.
func (s *sandbox) git(args ...string) string { return s.gitIn(s.dir, args...) }

func (s *sandbox) gitIn(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *sandbox) write(name, text string) { s.writeIn(s.dir, name, text) }

func (s *sandbox) writeIn(dir, name, text string) {
	s.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
