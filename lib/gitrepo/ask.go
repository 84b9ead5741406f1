package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoRepository is a directory that lies in no working tree of git.
var ErrNoRepository = errors.New("not a git working tree")

// ErrInside is a directory that lies in a working tree and is not its root:
// ErrNoRepository of a special kind.
var ErrInside = fmt.Errorf("%w of its own", ErrNoRepository)

// TopLevel is the root of the working tree around the directory, with links
// resolved.
func (r Repo) TopLevel(ctx context.Context) (string, error) {
	return r.Line(ctx, "rev-parse", "--show-toplevel")
}

// CheckTopLevel refuses a directory that is not itself the root of a working
// tree. A folder that lost its .git would otherwise be answered for by the
// repository around it.
func (r Repo) CheckTopLevel(ctx context.Context) error {
	top, err := r.TopLevel(ctx)
	if e, ok := errors.AsType[*Error](err); ok && e.Exit >= 0 {
		return fmt.Errorf("%s: %w: %w", r.Dir, ErrNoRepository, err)
	}
	if err != nil {
		return err // git did not answer at all
	}
	dir, err := filepath.EvalSymlinks(r.Dir)
	if err != nil {
		return err
	}
	if dir != top {
		return fmt.Errorf("%s: %w: its top level is %s", r.Dir, ErrInside, top)
	}
	return nil
}

// GitDir is the git directory of this working tree, absolute and resolved.
func (r Repo) GitDir(ctx context.Context) (string, error) { return r.directory(ctx, "--git-dir") }

// CommonDir is the git directory that all worktrees of the repository share,
// absolute and resolved.
func (r Repo) CommonDir(ctx context.Context) (string, error) {
	return r.directory(ctx, "--git-common-dir")
}

// Dirs are the git directory and the common one of a working tree, resolved,
// asked for in one question. The directory must be the root of the tree, as for
// CheckTopLevel.
func (r Repo) Dirs(ctx context.Context) (gitDir, commonDir string, err error) {
	if gitDir, ok := r.plainDir(); ok {
		return gitDir, gitDir, nil
	}
	return r.askDirs(ctx)
}

// askDirs asks git for the two directories.
func (r Repo) askDirs(ctx context.Context) (gitDir, commonDir string, err error) {
	out, err := r.Ask(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err == nil && len(lines) == 3 {
		if dir, e := filepath.EvalSymlinks(r.Dir); e == nil && dir == lines[0] {
			gitDir, err1 := filepath.EvalSymlinks(lines[1])
			commonDir, err2 := filepath.EvalSymlinks(lines[2])
			if err1 == nil && err2 == nil {
				return gitDir, commonDir, nil
			}
		}
	}
	// One by one, for a path with a line feed in it, and for an error that
	// tells what is wrong.
	if err := r.CheckTopLevel(ctx); err != nil {
		return "", "", err
	}
	if gitDir, err = r.GitDir(ctx); err != nil {
		return "", "", err
	}
	commonDir, err = r.CommonDir(ctx)
	return gitDir, commonDir, err
}

// MissingDirError is a git directory that git names and that is not there.
type MissingDirError struct{ Path string }

func (e *MissingDirError) Error() string {
	return fmt.Sprintf("git directory %s does not exist", e.Path)
}

func (r Repo) directory(ctx context.Context, flag string) (string, error) {
	dir, err := r.Line(ctx, "rev-parse", "--path-format=absolute", flag)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) {
		return "", &MissingDirError{Path: dir}
	}
	return resolved, err
}

// Branch is the full name of the branch that HEAD points at. A detached HEAD
// is an error.
func (r Repo) Branch(ctx context.Context) (string, error) {
	return r.Line(ctx, "symbolic-ref", "-q", "HEAD")
}

// Head is the commit of HEAD.
func (r Repo) Head(ctx context.Context) (string, error) { return r.Line(ctx, "rev-parse", "HEAD") }

// Commit resolves a revision to the id of a commit. A revision that looks
// like an option is only a revision.
func (r Repo) Commit(ctx context.Context, rev string) (string, error) {
	return r.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
}

// HasCommit tells, by a nil error, that rev names a commit object that is
// there.
func (r Repo) HasCommit(ctx context.Context, rev string) error {
	_, err := r.Ask(ctx, "cat-file", "-e", rev+"^{commit}")
	return err
}

// IsAncestor tells whether commit a is b or an ancestor of it.
func (r Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	_, err := r.Ask(ctx, "merge-base", "--is-ancestor", a, b)
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// Refs gives the object of every ref, without HEAD.
func (r Repo) Refs(ctx context.Context) (map[string]string, error) {
	if gitDir, ok := r.plainDir(); ok {
		if refs, ok := plainRefs(gitDir); ok {
			return refs, nil
		}
	}
	return r.listRefs(ctx)
}

// listRefs asks git for the refs.
func (r Repo) listRefs(ctx context.Context) (map[string]string, error) {
	out, err := r.Ask(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return nil, err
	}
	refs := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			refs[name] = id
		}
	}
	return refs, nil
}

// Commits lists the commits reachable from tip and not from base, newest
// first, each with its parents.
func (r Repo) Commits(ctx context.Context, base, tip string) ([]Commit, error) {
	out, err := r.Ask(ctx, "rev-list", "--parents", "--end-of-options", tip, "^"+base)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		list = append(list, Commit{ID: ids[0], Parents: ids[1:]})
	}
	return list, nil
}

// Commit is a commit and its parents.
type Commit struct {
	ID      string
	Parents []string
}

// Touched lists the paths that the commits touch, each against its first
// parent, sorted, each once. A path that was renamed counts as both.
func (r Repo) Touched(ctx context.Context, commits []Commit) ([]string, error) {
	var ids bytes.Buffer
	for _, c := range commits {
		ids.WriteString(c.ID + "\n")
	}
	r.stdin = ids.Bytes()
	out, err := r.Ask(ctx, "diff-tree", "--stdin", "--root", "-r", "-z", "-m", "--first-parent", "--no-commit-id", "--name-only", "--no-renames")
	paths := fields(out)
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// fields splits a list of texts that each end in NUL.
func fields(out []byte) []string {
	var list []string
	for len(out) > 0 {
		field, rest, _ := bytes.Cut(out, []byte{0})
		list, out = append(list, string(field)), rest
	}
	return list
}

// Ignored gives those of the paths that git neither tracks nor would track.
func (r Repo) Ignored(ctx context.Context, paths []string) ([]string, error) {
	r.stdin = []byte(strings.Join(paths, "\x00") + "\x00")
	out, err := r.Ask(ctx, "check-ignore", "--stdin", "-z")
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return nil, nil // none is
	}
	return fields(out), err
}

// Worktree is one working tree of a repository.
type Worktree struct {
	Path     string
	Head     string // "" for a bare repository
	Branch   string // full ref name, "" when detached
	Bare     bool
	Locked   bool
	Prunable bool // its directory is gone
}

// Worktrees lists the working trees of the repository, the main one first.
func (r Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Ask(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var list []Worktree
	for _, line := range fields(out) {
		key, value, _ := strings.Cut(line, " ")
		if key == "worktree" {
			list = append(list, Worktree{Path: value})
			continue
		}
		if len(list) == 0 {
			continue
		}
		w := &list[len(list)-1]
		switch key {
		case "HEAD":
			w.Head = value
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		case "locked":
			w.Locked = true
		case "prunable":
			w.Prunable = true
		}
	}
	return list, nil
}
