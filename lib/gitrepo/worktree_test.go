package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"okstra/lib/atomicfile"
)

func TestPlaceOf(t *testing.T) {
	for _, tt := range []struct {
		project, group, task, category string
		stage                          int
		path, branch                   string
	}{
		{"shop", "pay", "dev-9436", "feature", 0, "/h/worktrees/shop/pay/dev-9436", "feat-dev-9436"},
		{"shop", "pay", "auth", "bugfix", 2, "/h/worktrees/shop/pay/auth-stage-2", "fix-auth-stage-2"},
		{"a:b", "x/y", "t~1", "ops", 0, "/h/worktrees/a-b/x-y/t-1", "ops-t-1"},
		{"p", "g", "../..", "", 0, "/h/worktrees/p/g/x", "task-x"},
		{"p", "g", "한글", "refactor", 0, "/h/worktrees/p/g/x", "refactor-x"},
		{"p", "g", "a..b.lock", "improvement", 0, "/h/worktrees/p/g/a-b-lock", "improve-a-b-lock"},
	} {
		got := PlaceOf("/h", tt.project, tt.group, tt.task, tt.category, tt.stage)
		if want := (Place{Path: tt.path, Branch: tt.branch}); got != want {
			t.Errorf("PlaceOf(%q, %q, %q, %q, %d) = %+v, want %+v", tt.project, tt.group, tt.task, tt.category, tt.stage, got, want)
		}
	}
}

func (s *sandbox) worktrees() Worktrees { return Worktrees{Home: filepath.Join(s.home, ".okstra")} }

func (s *sandbox) ensure(key, task string) Place {
	s.t.Helper()
	w := s.worktrees()
	place, err := w.Ensure(s.t.Context(), s.repo(), key, PlaceOf(w.Home, "shop", "pay", task, "feature", 0), "HEAD")
	if err != nil {
		s.t.Fatal(err)
	}
	return place
}

func TestAWorktreeIsMadeOnceAndFoundAgain(t *testing.T) {
	s := newSandbox(t)
	config, _ := os.ReadFile(filepath.Join(s.dir, ".git/config"))
	first := s.ensure("shop:pay:auth", "auth")
	s.writeIn(first.Path, "work.txt", "precious")
	if again := s.ensure("shop:pay:auth", "auth"); again != first {
		t.Errorf("second call gives %+v, want %+v", again, first)
	}
	if _, err := os.Stat(filepath.Join(first.Path, "work.txt")); err != nil {
		t.Error("the second call lost work")
	}
	if after, _ := os.ReadFile(filepath.Join(s.dir, ".git/config")); string(after) != string(config) {
		t.Error("the repository's configuration was written")
	}
	places, err := s.worktrees().Registry()
	if err != nil || places["shop:pay:auth"] != first {
		t.Errorf("registry %v, %v", places, err)
	}
}

func TestALostRegistryIsMadeUpForByTheTree(t *testing.T) {
	s := newSandbox(t)
	first := s.ensure("k", "auth")
	if err := os.Remove(s.worktrees().registry()); err != nil {
		t.Fatal(err)
	}
	if again := s.ensure("k", "auth"); again != first {
		t.Errorf("got %+v, want %+v", again, first)
	}
}

func TestATreeDeletedByHandComesBackWithItsBranch(t *testing.T) {
	s := newSandbox(t)
	first := s.ensure("k", "auth")
	s.writeIn(first.Path, "w", "w")
	s.gitIn(first.Path, "add", ".")
	s.gitIn(first.Path, "commit", "-qm", "work")
	tip := s.gitIn(first.Path, "rev-parse", "HEAD")
	if err := os.RemoveAll(first.Path); err != nil {
		t.Fatal(err)
	}
	again := s.ensure("k", "auth")
	if got := s.gitIn(again.Path, "rev-parse", "HEAD"); again != first || got != tip {
		t.Errorf("got %+v at %s, want %+v at %s", again, got, first, tip)
	}
}

func TestABranchOfSomebodyElseIsLeftAlone(t *testing.T) {
	s := newSandbox(t)
	s.git("branch", "feat-auth")
	first := s.ensure("k", "auth")
	if first.Branch != "feat-auth-2" {
		t.Errorf("branch %q, want feat-auth-2", first.Branch)
	}
	if again := s.ensure("k", "auth"); again != first {
		t.Errorf("second call gives %+v, want %+v", again, first)
	}
}

func TestAFolderThatIsNoWorktreeIsRefused(t *testing.T) {
	s := newSandbox(t)
	w := s.worktrees()
	place := PlaceOf(w.Home, "shop", "pay", "auth", "feature", 0)
	for _, tt := range []struct {
		name string
		make func()
		want string
	}{
		{"a stub", func() { s.writeIn(place.Path, "x", "") }, "not a git working tree"},
		{"another repository", func() { s.gitIn(place.Path, "init", "-q", "-b", place.Branch) }, "belongs to another repository"},
		{"a file", func() { _ = os.RemoveAll(place.Path); s.writeIn(filepath.Dir(place.Path), "auth", "") }, "not a directory"},
		{"another branch", func() {
			_ = os.RemoveAll(place.Path)
			s.git("worktree", "add", "-q", "-b", "other", place.Path)
		}, `is on "other" (expected branch feat-auth)`},
	} {
		tt.make()
		if _, err := w.Ensure(t.Context(), s.repo(), "k", place, "HEAD"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

// Report 21: parallel adds race for the repository's configuration and leave
// branches behind.
func TestReport21ParallelAddsAllSucceed(t *testing.T) {
	s := newSandbox(t)
	s.git("remote", "add", "origin", s.dir)
	s.git("fetch", "-q", "origin")
	w := s.worktrees()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			place := PlaceOf(w.Home, "shop", "pay", fmt.Sprint("t", i), "feature", 0)
			if _, err := w.Ensure(t.Context(), s.repo(), fmt.Sprint("k", i), place, "origin/main"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if places, err := w.Registry(); err != nil || len(places) != 8 {
		t.Errorf("registry has %d places, %v, want 8", len(places), err)
	}
	if n := strings.Count(s.git("worktree", "list"), "\n") + 1; n != 9 {
		t.Errorf("%d worktrees, want 9", n)
	}
}

func TestAFailedAddLeavesNoBranch(t *testing.T) {
	s := newSandbox(t)
	w := s.worktrees()
	place := PlaceOf(w.Home, "shop", "pay", "auth", "feature", 0)
	// A smudge filter that fails stops the checkout half way.
	s.write(".gitattributes", "*.txt filter=no\n")
	s.git("add", ".")
	s.git("commit", "-qm", "attributes")
	s.git("config", "filter.no.smudge", "false")
	s.git("config", "filter.no.required", "true")
	if _, err := w.Ensure(t.Context(), s.repo(), "k", place, "HEAD"); err == nil {
		t.Fatal("the add succeeded")
	}
	if got := s.git("branch", "--list", "feat-*"); got != "" {
		t.Errorf("branch %q left behind", got)
	}
	s.git("config", "--unset", "filter.no.required")
	s.git("config", "filter.no.smudge", "cat")
	if got := s.ensure("k", "auth"); got != place {
		t.Errorf("after the cure: %+v, want %+v", got, place)
	}
	if _, err := w.Ensure(t.Context(), s.repo(), "k2", PlaceOf(w.Home, "shop", "pay", "b", "feature", 0), "no-such-base"); err == nil || !strings.Contains(err.Error(), `base "no-such-base" names no commit`) {
		t.Errorf("unknown base: %v", err)
	}
}

// Report 22: cleaning up deleted the work of agents that had lost a race. What
// makes trees here takes nothing away: no tree with work in it, no branch with
// commits, and not what git knows of a tree that cannot be seen at the moment.
func TestReport22ATreeWithWorkIsNeverRemoved(t *testing.T) {
	s := newSandbox(t)
	w, place := s.worktrees(), s.ensure("k", "auth")
	s.writeIn(place.Path, "committed.txt", "x")
	s.gitIn(place.Path, "add", ".")
	s.gitIn(place.Path, "commit", "-qm", "work")
	s.writeIn(place.Path, "staged.txt", "x")
	s.gitIn(place.Path, "add", ".")
	s.writeIn(place.Path, "new.txt", "x")
	work := func() string {
		return s.gitIn(place.Path, "status", "--porcelain") + s.gitIn(place.Path, "log", "--oneline")
	}
	before := work()

	away := place.Path + ".away"
	if err := os.Rename(place.Path, away); err != nil {
		t.Fatal(err)
	}
	s.ensure("k2", "other") // while the first cannot be seen
	if _, err := w.Ensure(t.Context(), s.repo(), "k3", PlaceOf(w.Home, "shop", "pay", "third", "feature", 0), "no-such-base"); err == nil {
		t.Error("a base that is none is taken")
	}
	if err := os.Rename(away, place.Path); err != nil {
		t.Fatal(err)
	}
	if again := s.ensure("k", "auth"); again != place || work() != before {
		t.Errorf("%+v with\n%s\nwant %+v with\n%s", again, work(), place, before)
	}
}

func TestABusyRegistryIsSaid(t *testing.T) {
	s := newSandbox(t)
	w := s.worktrees()
	lock, err := w.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	w.Wait = 10 * time.Millisecond
	if _, err := w.Ensure(context.Background(), s.repo(), "k", PlaceOf(w.Home, "a", "b", "c", "", 0), "HEAD"); !errors.Is(err, atomicfile.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
}

func TestTheRegistryKeepsWhatOthersWroteIntoIt(t *testing.T) {
	s := newSandbox(t)
	w := s.worktrees()
	s.writeIn(filepath.Dir(w.registry()), "registry.json", `{"old:task:x": {"path": "/x", "branch": "b", "note": "kept"}}`)
	s.ensure("shop:pay:a/b", "auth")
	text, _ := os.ReadFile(w.registry())
	if !strings.Contains(string(text), `"note": "kept"`) || !strings.Contains(string(text), `"shop:pay:a/b"`) {
		t.Errorf("registry is now\n%s", text)
	}
}
