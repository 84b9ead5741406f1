package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Report 27: a lock that a killed git left blocks every later run. It is found
// and told; one that is young, or that somebody holds, is not called stale, and
// none is ever removed.
func TestReport27LocksOfTheDeadAreFoundAndKept(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc to see who holds a lock")
	}
	s := newSandbox(t)
	tree := filepath.Join(s.home, "tree")
	s.git("worktree", "add", "-q", "-b", "work", tree)
	repo := s.repo().At(tree)
	now := time.Now().Add(time.Hour)
	stale := func(age time.Duration) []string {
		t.Helper()
		list, err := repo.StaleLocks(t.Context(), now, age)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range list {
			name, _ := filepath.Rel(s.dir, l.Path)
			names = append(names, name)
		}
		return names
	}
	if got := stale(time.Minute); len(got) != 0 {
		t.Errorf("without locks: %q", got)
	}
	locks := []string{".git/config.lock", ".git/refs/heads/work.lock", ".git/worktrees/tree/index.lock"}
	for _, name := range locks {
		s.write(name, "")
	}
	if got := stale(2 * time.Hour); len(got) != 0 {
		t.Errorf("young locks are called stale: %q", got)
	}
	if got := stale(time.Minute); len(got) != 3 || got[0] != locks[0] || got[1] != locks[1] || got[2] != locks[2] {
		t.Errorf("stale %q, want %q", got, locks)
	}
	held, err := os.Open(filepath.Join(s.dir, locks[2]))
	if err != nil {
		t.Fatal(err)
	}
	if got := stale(time.Minute); len(got) != 2 {
		t.Errorf("with one held: %q, want the two others", got)
	}
	held.Close()

	// A git that waits for an editor has closed its lock and still needs it.
	if err := os.Remove(filepath.Join(s.dir, locks[2])); err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(s.home, "editor")
	s.writeIn(s.home, "editor", "#!/bin/sh\n: >"+s.home+"/open\nsleep 30\n")
	if err := os.Chmod(editor, 0o755); err != nil {
		t.Fatal(err)
	}
	commit := exec.Command("git", "-c", "core.editor="+editor, "commit", "--allow-empty")
	commit.Dir, commit.Env, commit.SysProcAttr = tree, s.env, &syscall.SysProcAttr{Setpgid: true}
	if err := commit.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := os.Stat(filepath.Join(s.home, "open")); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got := stale(time.Minute); len(got) != 0 {
		t.Errorf("while git works in the tree: %q", got)
	}
	_ = syscall.Kill(-commit.Process.Pid, syscall.SIGKILL)
	_ = commit.Wait()
	for _, name := range locks[:2] {
		if _, err := os.Stat(filepath.Join(s.dir, name)); err != nil {
			t.Errorf("%s was removed: %v", name, err)
		}
	}
	if _, err := s.repo().At(s.home).StaleLocks(t.Context(), now, time.Minute); err == nil {
		t.Error("a folder without a repository has no answer to give")
	}
}
