package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"okstra/lib/atomicfile"
)

// Place is where the work of a task, or of one stage of it, happens.
type Place struct {
	Path   string `json:"path"`
	Branch string `json:"branch"` // without refs/heads/
}

// prefixes are the first words of branch names.
var prefixes = map[string]string{"feature": "feat", "bugfix": "fix", "refactor": "refactor", "ops": "ops", "improvement": "improve"}

// PlaceOf names the worktree of a task under the okstra home, or of one of its
// stages when stage is above 0. An unknown work category gives the prefix
// "task".
// Rule: docs/worktrees.md, "Where they are".
func PlaceOf(okstraHome, projectID, taskGroup, taskID, workCategory string, stage int) Place {
	prefix := prefixes[workCategory]
	if prefix == "" {
		prefix = "task"
	}
	leaf, suffix := segment(taskID), ""
	if stage > 0 {
		suffix = fmt.Sprintf("-stage-%d", stage)
	}
	return Place{
		Path:   filepath.Join(okstraHome, "worktrees", segment(projectID), segment(taskGroup), leaf+suffix),
		Branch: prefix + "-" + leaf + suffix,
	}
}

// segment makes a name safe as a part of a path and of a branch name: what is
// no letter, digit, dot, underscore or hyphen becomes a hyphen, and what git
// refuses in a branch name cannot stand.
func segment(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, name)
	for strings.Contains(safe, "..") {
		safe = strings.ReplaceAll(safe, "..", "-")
	}
	safe = strings.Trim(safe, ".-")
	if rest, ok := strings.CutSuffix(safe, ".lock"); ok {
		safe = rest + "-lock"
	}
	if safe == "" {
		return "x"
	}
	return safe
}

// Worktrees of one okstra home are made one at a time: git takes a lock of the
// repository's configuration for it and gives up at once when that is busy.
type Worktrees struct {
	Home string // $OKSTRA_HOME
	Wait time.Duration
}

func (w Worktrees) registry() string { return filepath.Join(w.Home, "worktrees", "registry.json") }

func (w Worktrees) lock(ctx context.Context) (*atomicfile.Held, error) {
	if err := os.MkdirAll(filepath.Dir(w.registry()), 0o755); err != nil {
		return nil, err
	}
	wait := w.Wait
	if wait == 0 {
		wait = atomicfile.LockWait
	}
	return atomicfile.Lock(ctx, w.registry()+".add", wait)
}

// Ensure gives the working tree of a task: the one that is there, or a new one
// on a new branch that begins at the commit base. What the registry knows about
// key wins over place. A branch of that name that belongs to somebody else is
// left alone, and the new branch gets a number behind its name. An attempt that
// fails leaves no branch behind.
// Rule: docs/worktrees.md, "How one is made".
func (w Worktrees) Ensure(ctx context.Context, repo Repo, key string, place Place, base string) (Place, error) {
	lock, err := w.lock(ctx)
	if err != nil {
		return Place{}, err
	}
	defer lock.Unlock()
	known, err := w.Registry()
	if err != nil {
		return Place{}, err
	}
	mine, isKnown := known[key]
	if isKnown {
		place = mine
	}
	branch, err := existing(ctx, repo, place)
	switch {
	case err == nil && branch != "":
		place.Branch = branch
	case err == nil:
		place.Branch, err = add(ctx, repo, place, base, isKnown)
	}
	if err != nil {
		return Place{}, fmt.Errorf("worktree %s: %w", place.Path, err)
	}
	return place, w.remember(ctx, key, place)
}

// existing gives the branch of the working tree that already is at the place,
// "" if there is none. A folder that is anything else is an error: work in it
// would land in a repository that nobody meant.
func existing(ctx context.Context, repo Repo, place Place) (string, error) {
	entries, err := os.ReadDir(place.Path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(entries) == 0: // git takes an empty folder
		return "", nil
	case err != nil:
		return "", err
	}
	tree := repo.At(place.Path)
	if err := tree.CheckTopLevel(ctx); err != nil {
		return "", err
	}
	ours, err := repo.CommonDir(ctx)
	if err != nil {
		return "", err
	}
	theirs, err := tree.CommonDir(ctx)
	if err != nil {
		return "", err
	}
	if ours != theirs {
		return "", fmt.Errorf("belongs to another repository, %s (expected %s)", theirs, ours)
	}
	full, err := tree.Branch(ctx)
	branch := strings.TrimPrefix(full, "refs/heads/")
	if err != nil || branch != place.Branch && !isNumbered(branch, place.Branch) {
		return "", fmt.Errorf("is on %q (expected branch %s)", branch, place.Branch)
	}
	return branch, nil
}

func isNumbered(branch, name string) bool {
	number, ok := strings.CutPrefix(branch, name+"-")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n > 1
}

// add makes the working tree and gives its branch. --no-track, because setting
// an upstream is what writes the repository's configuration. isOurs tells that
// a branch of that name is this task's own, to be taken up where it stands.
func add(ctx context.Context, repo Repo, place Place, base string, isOurs bool) (string, error) {
	if err := unlist(ctx, repo, place.Path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(place.Path), 0o755); err != nil {
		return "", err
	}
	if isOurs && repo.HasCommit(ctx, "refs/heads/"+place.Branch) == nil {
		_, err := repo.Do(ctx, "worktree", "add", "--quiet", "--", place.Path, place.Branch)
		return place.Branch, cmp.Or(err, repo.At(place.Path).CheckTopLevel(ctx))
	}
	start, err := repo.Commit(ctx, base)
	if err != nil {
		return "", fmt.Errorf("base %q names no commit", base)
	}
	refs, err := repo.Refs(ctx)
	if err != nil {
		return "", err
	}
	branch := place.Branch
	for n := 2; refs["refs/heads/"+branch] != ""; n++ {
		branch = fmt.Sprintf("%s-%d", place.Branch, n)
	}
	_, err = repo.Do(ctx, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", place.Path, start)
	if err == nil {
		err = repo.At(place.Path).CheckTopLevel(ctx)
	}
	if err != nil && !holdsFiles(place.Path) {
		// The context may be what failed, so it does not stop the cleaning. The
		// branch goes only while it still stands where it began.
		clean := context.WithoutCancel(ctx)
		_ = unlist(clean, repo, place.Path)
		_, _ = repo.Do(clean, "update-ref", "-d", "refs/heads/"+branch, start)
	}
	return branch, err
}

// unlist makes git forget a worktree at path whose folder is gone, or empty: it
// still holds its branch. Other trees whose folder cannot be seen now, on a disk
// that is not mounted, say, stay known: a prune would take their index and their
// HEAD, and with them work.
func unlist(ctx context.Context, repo Repo, path string) error {
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	real := path
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		real = filepath.Join(dir, filepath.Base(path))
	}
	if !slices.ContainsFunc(list, func(t Worktree) bool { return t.Prunable && (t.Path == path || t.Path == real) }) {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // it is not empty
	}
	_, err = repo.Do(ctx, "worktree", "remove", "--", path)
	return err
}

func holdsFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}
