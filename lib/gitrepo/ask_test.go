package gitrepo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuestions(t *testing.T) {
	s := newSandbox(t)
	ctx, repo := t.Context(), s.repo()
	head := s.git("rev-parse", "HEAD")
	s.git("tag", "v1")
	s.git("worktree", "add", "-q", "-b", "side", filepath.Join(s.home, "side"))

	for _, tt := range []struct {
		name string
		ask  func() (any, error)
		want any
	}{
		{"top level", func() (any, error) { return repo.TopLevel(ctx) }, s.dir},
		{"git dir", func() (any, error) { return repo.GitDir(ctx) }, filepath.Join(s.dir, ".git")},
		{"git dir of a worktree", func() (any, error) { return repo.At(filepath.Join(s.home, "side")).GitDir(ctx) }, filepath.Join(s.dir, ".git/worktrees/side")},
		{"common dir of a worktree", func() (any, error) { return repo.At(filepath.Join(s.home, "side")).CommonDir(ctx) }, filepath.Join(s.dir, ".git")},
		{"branch", func() (any, error) { return repo.Branch(ctx) }, "refs/heads/main"},
		{"head", func() (any, error) { return repo.Head(ctx) }, head},
		{"commit of a tag", func() (any, error) { return repo.Commit(ctx, "v1") }, head},
		{"refs", func() (any, error) { return repo.Refs(ctx) }, map[string]string{"refs/heads/main": head, "refs/heads/side": head, "refs/tags/v1": head}},
		{"worktrees", func() (any, error) { return repo.Worktrees(ctx) }, []Worktree{{Path: s.dir, Head: head, Branch: "refs/heads/main"}, {Path: filepath.Join(s.home, "side"), Head: head, Branch: "refs/heads/side"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.ask()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswersThatAreErrors(t *testing.T) {
	s := newSandbox(t)
	ctx, repo := t.Context(), s.repo()
	s.git("checkout", "-q", "--detach")
	if _, err := repo.Branch(ctx); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("branch of a detached HEAD: %v, want an error that says there was no answer", err)
	}
	if err := repo.HasCommit(ctx, "0000000000000000000000000000000000000001"); err == nil {
		t.Error("a missing commit is there")
	}
	if _, err := repo.Commit(ctx, "--all"); err == nil {
		t.Error("a revision was taken for an option")
	}
	if _, err := repo.At(s.home).TopLevel(ctx); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside a repository: %v, want git's own words", err)
	}
	gone := repo.At(filepath.Join(s.home, "nowhere"))
	if _, err := gone.Head(ctx); err == nil {
		t.Error("a missing directory answers")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := repo.Head(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Report 23: a folder without a .git of its own is answered for by the
// repository around it.
func TestReport23AFolderInsideARepositoryIsNoWorktree(t *testing.T) {
	s := newSandbox(t)
	s.write("sub/x", "")
	err := s.repo().At(filepath.Join(s.dir, "sub")).CheckTopLevel(t.Context())
	if !errors.Is(err, ErrInside) || !errors.Is(err, ErrNoRepository) || !strings.Contains(err.Error(), s.dir) {
		t.Errorf("CheckTopLevel(sub) = %v, want ErrInside naming the outer tree", err)
	}
	if err := s.repo().At(t.TempDir()).CheckTopLevel(t.Context()); !errors.Is(err, ErrNoRepository) || errors.Is(err, ErrInside) {
		t.Errorf("CheckTopLevel outside of all = %v, want ErrNoRepository alone", err)
	}
	if err := s.repo().CheckTopLevel(t.Context()); err != nil {
		t.Error(err)
	}
	link := filepath.Join(s.home, "link")
	if err := os.Symlink(s.dir, link); err != nil {
		t.Fatal(err)
	}
	if err := s.repo().At(link).CheckTopLevel(t.Context()); err != nil {
		t.Errorf("through a link: %v", err)
	}
}

func TestVariablesOfAnotherRepositoryAreNotPassedOn(t *testing.T) {
	s := newSandbox(t)
	repo := Open(s.dir, append(slices.Clone(s.env), "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_WORK_TREE=/", "LC_ALL=ko_KR.UTF-8"))
	if top, err := repo.TopLevel(t.Context()); err != nil || top != s.dir {
		t.Errorf("top level %q, %v", top, err)
	}
}

func TestAQuestionStartsNoProgramOfTheRepository(t *testing.T) {
	s := newSandbox(t)
	mark := filepath.Join(s.home, "ran")
	s.git("config", "core.fsmonitor", "touch "+mark+";false")
	s.git("config", "core.pager", "touch "+mark)
	ctx, repo := t.Context(), s.repo()
	_, _ = repo.Refs(ctx)
	_, _ = repo.Ask(ctx, "status", "--porcelain")
	if _, err := os.Stat(mark); err == nil {
		t.Error("a command of .git/config was run")
	}
}

// Report 28: the observer's refresh of the index breaks the agent's commit.
func TestReport28QuestionsLeaveTheIndexAlone(t *testing.T) {
	s := newSandbox(t)
	index := filepath.Join(s.dir, ".git/index")
	// Same content, other time: git would like to refresh the entry.
	s.write("a.txt", "one\n")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(index)
	if err := os.WriteFile(index+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, repo := t.Context(), s.repo()
	if _, err := repo.Ask(ctx, "status", "--porcelain"); err != nil {
		t.Errorf("a foreign index.lock stops a question: %v", err)
	}
	if _, err := repo.Refs(ctx); err != nil {
		t.Error(err)
	}
	after, _ := os.Stat(index)
	again, _ := os.ReadFile(index)
	if !os.SameFile(before, after) || string(text) != string(again) {
		t.Error(".git/index was written")
	}
	if _, err := os.Stat(index + ".lock"); err != nil {
		t.Error("somebody else's index.lock is gone")
	}
}

func TestHistory(t *testing.T) {
	s := newSandbox(t)
	ctx, repo := t.Context(), s.repo()
	base := s.git("rev-parse", "HEAD")
	s.write("dir/n w", "x")
	s.git("add", ".")
	s.git("commit", "-qm", "two")
	s.git("mv", "a.txt", "z.txt")
	s.git("commit", "-qm", "three")
	tip := s.git("rev-parse", "HEAD")
	commits, err := repo.Commits(ctx, base, tip)
	if err != nil {
		t.Fatal(err)
	}
	middle := s.git("rev-parse", "HEAD~1")
	if diff := cmp.Diff([]Commit{{tip, []string{middle}}, {middle, []string{base}}}, commits); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	paths, err := repo.Touched(ctx, commits)
	if diff := cmp.Diff([]string{"a.txt", "dir/n w", "z.txt"}, paths); err != nil || diff != "" {
		t.Errorf("touched: %v (-want +got):\n%s", err, diff)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{{base, tip, true}, {tip, tip, true}, {tip, base, false}} {
		if got, err := repo.IsAncestor(ctx, tt.a, tt.b); err != nil || got != tt.want {
			t.Errorf("IsAncestor(%.7s, %.7s) = %v, %v", tt.a, tt.b, got, err)
		}
	}
	if _, err := repo.IsAncestor(ctx, "nonsense", tip); err == nil {
		t.Error("an unknown commit has ancestors")
	}
}
