package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read without git is what git says, and what cannot be read so is
// left to it.
func TestPlainRepositoriesAreReadAsGitReadsThem(t *testing.T) {
	first := newSandbox(t)
	const missing = "1111111111111111111111111111111111111111"
	for _, tt := range []struct {
		name       string
		make       func(s *sandbox)
		dirs, refs bool // read without git
	}{
		{"one branch", func(*sandbox) {}, true, true},
		{"tags, remotes and a stash", func(s *sandbox) {
			s.git("tag", "-a", "-m", "x", "v1.0.2")
			s.git("update-ref", "refs/remotes/origin/feat/a_b", "HEAD")
			s.write("a.txt", "two\n")
			s.git("stash", "-q")
		}, true, true},
		{"packed", func(s *sandbox) {
			s.git("tag", "-a", "-m", "x", "v1")
			s.git("branch", "other")
			s.git("pack-refs", "--all")
			s.git("branch", "later")
			s.write("a.txt", "two\n")
			s.git("commit", "-qam", "two") // main is packed and loose
		}, true, true},
		{"a remote in the configuration", func(s *sandbox) {
			s.git("remote", "add", "origin", "https://example.org/a.git")
			s.git("config", "branch.main.remote", "origin")
		}, true, true},
		{"a detached HEAD", func(s *sandbox) { s.git("checkout", "-q", "--detach") }, true, true},
		{"no commit", func(s *sandbox) { s.git("checkout", "-q", "--orphan", "new") }, true, true},
		{"a second tree", func(s *sandbox) { s.git("worktree", "add", "-q", filepath.Join(s.home, "side")) }, true, true},
		{"an object that is missing", func(s *sandbox) { s.write(".git/refs/heads/gone", missing+"\n") }, true, true},
		{"a ref to a ref", func(s *sandbox) { s.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main") }, true, false},
		{"a name with other letters", func(s *sandbox) { s.git("branch", "größe") }, true, false},
		{"a lock", func(s *sandbox) { s.write(".git/refs/heads/main.lock", "") }, true, false},
		{"a hidden file", func(s *sandbox) { s.write(".git/refs/heads/.x", "") }, true, false},
		{"a damaged ref", func(s *sandbox) { s.write(".git/refs/heads/bad", "bad\n") }, true, false},
		{"an empty ref", func(s *sandbox) { s.write(".git/refs/heads/bad", "") }, true, false},
		{"a ref of zeros", func(s *sandbox) { s.write(".git/refs/heads/bad", strings.Repeat("0", 40)+"\n") }, true, false},
		{"a ref with more behind it", func(s *sandbox) { s.write(".git/refs/heads/bad", missing+" x\n") }, true, false},
		{"a link for a ref", func(s *sandbox) { _ = os.Symlink("main", filepath.Join(s.dir, ".git/refs/heads/link")) }, true, false},
		{"a name that git does not allow", func(s *sandbox) { s.write(".git/refs/heads/a..b", missing+"\n") }, true, false},
		{"a folder named like a lock", func(s *sandbox) { s.write(".git/refs/heads/a.lock/b", missing+"\n") }, true, false},
		{"a damaged line of packed refs", func(s *sandbox) { s.write(".git/packed-refs", missing+" refs/heads/x") }, true, false},
		{"extensions", func(s *sandbox) { s.git("config", "extensions.worktreeConfig", "true") }, false, false},
		{"a tree elsewhere", func(s *sandbox) { s.git("config", "core.worktree", s.home) }, false, false},
		{"said to be bare", func(s *sandbox) { s.git("config", "core.bare", "true") }, false, false},
		{"an included file", func(s *sandbox) { s.git("config", "include.path", "more") }, false, false},
		{"a section on the line of its value", func(s *sandbox) { s.write(".git/config", "[core] bare = true\n") }, false, false},
		{"a value in quotes", func(s *sandbox) { s.git("config", "user.name", "a # b") }, false, false},
		{"a newer format", func(s *sandbox) { s.write(".git/config", "[core]\n\trepositoryformatversion = 1\n") }, false, false},
		{"damaged settings", func(s *sandbox) { s.write(".git/config", "[core\n") }, false, false},
		{"no settings", func(s *sandbox) { _ = os.Remove(filepath.Join(s.dir, ".git/config")) }, false, false},
		{"a damaged HEAD", func(s *sandbox) { s.write(".git/HEAD", "main\n") }, false, false},
		{"no object store", func(s *sandbox) { _ = os.RemoveAll(filepath.Join(s.dir, ".git/objects")) }, false, false},
		{"a common directory elsewhere", func(s *sandbox) { s.write(".git/commondir", s.home+"\n") }, false, false},
		{"the repository is elsewhere", func(s *sandbox) {
			_ = os.Rename(filepath.Join(s.dir, ".git"), filepath.Join(s.home, "git"))
			s.write(".git", "gitdir: "+filepath.Join(s.home, "git")+"\n")
		}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandboxLike(t, first)
			tt.make(s)
			ctx, repo := t.Context(), s.repo()
			dir, plain := repo.plainDir()
			if plain != tt.dirs {
				t.Fatalf("directories read without git: %v, want %v", plain, tt.dirs)
			}
			if !plain {
				return
			}
			if gitDir, common, err := repo.askDirs(ctx); err != nil || gitDir != dir || common != dir {
				t.Errorf("read %q; git says %q, %q, %v", dir, gitDir, common, err)
			}
			refs, plain := plainRefs(dir)
			if plain != tt.refs {
				t.Fatalf("refs read without git: %v, want %v", plain, tt.refs)
			}
			said, err := repo.listRefs(ctx)
			if err != nil && plain {
				t.Fatal(err)
			}
			if diff := cmp.Diff(said, refs); plain && diff != "" {
				t.Errorf("(-git +ours):\n%s", diff)
			}
		})
	}
}

// A pipe in the place of a file that is read would keep us waiting for ever.
func TestPipesInARepositoryAreNotWaitedFor(t *testing.T) {
	first := newSandbox(t)
	for _, name := range []string{"HEAD", "config", "refs/heads/main", "packed-refs"} {
		s := newSandboxLike(t, first)
		path := filepath.Join(s.dir, ".git", name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Skip(err)
		}
		if dir, ok := s.repo().plainDir(); ok {
			if refs, ok := plainRefs(dir); ok {
				t.Errorf("%s is a pipe, and there are refs: %v", name, refs)
			}
		}
	}
}

// What a fuzzer finds plain, git reads alike.
func FuzzPlainConfig(f *testing.F) {
	for _, text := range []string{
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
		"[remote \"origin\"]\n\turl = git@example.org:a.git\n", "[Core]\n\tBARE = true\n", "[core]\nbare=false\n", "# x\n;\n[a.b]\nc = d\n",
		"[core]\n\tworktree =\n", "[core]\nworktree = x\n", "[include.x]\npath = y\n", "[core]\r\nbare = true\r\n",
	} {
		f.Add([]byte(text))
	}
	s := newSandbox(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1000 || !isPlainConfig(text) {
			return
		}
		at := *s
		at.t = t
		at.write(".git/config", string(text))
		out, err := at.repo().Ask(t.Context(), "config", "--file", filepath.Join(s.dir, ".git/config"), "--list", "-z")
		if err != nil {
			t.Fatalf("%q is called plain, and git cannot read it: %v", text, err)
		}
		for _, setting := range fields(out) {
			name, value, _ := strings.Cut(setting, "\n")
			section, _, _ := strings.Cut(name, ".")
			plain, told := plainCore[strings.TrimPrefix(name, "core.")]
			switch {
			case section == "extensions", section == "include", section == "includeif", strings.HasPrefix(name, "core.") && told && (plain == "" || value != plain):
				t.Fatalf("%q is called plain and sets %s to %q", text, name, value)
			}
		}
	})
}
