package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/gitrepo"
	"okstra/lib/writepolicy"
)

// Kind is the document kind of a snapshot.
const Kind = "okstra-mutation-snapshot"

// Type is what an entry of a tree is.
type Type uint8

// The types of entries. An Unknown one could not be looked at.
const (
	Unknown Type = iota
	File
	Dir
	Link
	Fifo
	Socket
	Char
	Block
)

// typeNames are the words of documents for the types, in their order.
var typeNames = [...]string{"unknown", "file", "dir", "link", "fifo", "socket", "char", "block"}

// String is the word of documents.
func (t Type) String() string { return typeNames[t] }

// Row is one entry of a tree. A directory has no size and no times: its
// entries tell of them. Digest is "" where the content was not looked at, the
// target of a link, and the device number of a device.
type Row struct {
	Path     string // below the root, "." for the root itself; any bytes
	Digest   string
	Size     int64
	Mtime    int64 // nanoseconds since 1970
	Ctime    int64
	Ino      uint64
	Mode     uint32 // permission bits with setuid, setgid and sticky
	UID, GID uint32
	Type     Type
}

// Root is one scanned tree, its rows in byte order of their paths.
type Root struct {
	Root       string
	Rows       []Row
	Unreadable []string
}

// GitState is what a repository looked like beside its working tree. It covers
// what git status does not show.
type GitState struct {
	GitDir, CommonDir string
	Head              string // the ref that HEAD points at, "" when detached
	HeadCommit        string // "" before the first commit
	Refs              map[string]string
	Stash             []string
	ReflogTip         string // number of entries and newest commit of HEAD's reflog
	IndexDigest       string // of the entries, so that a refresh does not count
	AssumeUnchanged   []string
	SkipWorktree      []string
	Config            string            // digest, "" for none
	Hooks, Info       map[string]string // name → digest
	Worktrees         []string
	Branches          map[string]string // worktree → ref of its HEAD, for the other worktrees
	Locks             []string          // absolute paths
}

// Snapshot is what a tree looked like at one time.
type Snapshot struct {
	Root          string
	ArtifactRoot  string
	PolicyDigests []string
	Roots         []Root
	Git           *GitState // nil when Root is no working tree
}

// Scope is what a snapshot covers. ArtifactRoot "" stands for Root. Environ is
// the environment for git.
type Scope struct {
	Root         string
	ArtifactRoot string
	ScratchRoots []string
	Policies     []writepolicy.Policy
	Environ      []string
}

// ScopeOf is the scope of the policies of one round, whose source root and
// artifact root are those of the first. It is an error when they do not agree:
// one snapshot is of one tree.
func ScopeOf(policies []writepolicy.Policy, environ []string) (Scope, error) {
	if len(policies) == 0 {
		return Scope{}, errors.New("no policy to take a snapshot for")
	}
	s := Scope{Root: policies[0].SourcePolicy.AllowedRoot, ArtifactRoot: policies[0].ArtifactPolicy.AllowedRoot, Policies: policies, Environ: environ}
	for _, p := range policies {
		if p.SourcePolicy.AllowedRoot != s.Root || p.ArtifactPolicy.AllowedRoot != s.ArtifactRoot {
			return Scope{}, errors.New("the policies of one round name several trees: " + s.Root + ", " + p.SourcePolicy.AllowedRoot)
		}
		s.ScratchRoots = append(s.ScratchRoots, p.AuxiliaryPolicy.ScratchRoots...)
	}
	return s, nil
}

// Take takes a snapshot. Two snapshots of a tree that did not change are
// equal. What cannot be read is listed, and is no error; a missing root is.
// Rule: docs/audit.md, "A snapshot".
func Take(ctx context.Context, scope Scope) (*Snapshot, error) {
	root, err := resolve(scope.Root)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Root: root, ArtifactRoot: root, PolicyDigests: []string{}}
	if scope.ArtifactRoot != "" {
		if s.ArtifactRoot, err = resolve(scope.ArtifactRoot); err != nil {
			return nil, err
		}
	}
	for _, p := range scope.Policies {
		s.PolicyDigests = append(s.PolicyDigests, p.Digest)
	}
	roots := []string{s.Root, s.ArtifactRoot}
	for _, scratch := range scope.ScratchRoots {
		if scratch, err = resolve(scratch); err != nil {
			return nil, err
		}
		roots = append(roots, scratch)
	}
	// git answers on one core while the trees are read on the other. Where it
	// keeps its own directory is known only then; mostly it lies in a tree that
	// was read already.
	var dirs *repoDirs
	state := make(chan error, 1)
	asking, giveUp := context.WithTimeout(ctx, gitAnswers)
	defer giveUp()
	go func() {
		var err error
		if dirs, err = openRepo(asking, root, scope.Environ); err == nil {
			s.Git, err = dirs.state(asking)
		}
		state <- err
	}()
	trees := map[string]Root{}
	stores := objectStores([]string{s.Root, s.ArtifactRoot})
	err = scanInto(ctx, trees, roots, stores)
	if hasTrap(trees) {
		giveUp()
	}
	asked := <-state
	if asking.Err() != nil && ctx.Err() == nil {
		// Somebody sees to it that git never answers. Its files still tell.
		s.Git, asked = nil, nil
	}
	if err = errors.Join(err, asked); err != nil {
		return nil, err
	}
	if dirs != nil {
		roots = append(roots, dirs.gitDir, dirs.commonDir)
		if err := scanInto(ctx, trees, roots, stores); err != nil {
			return nil, err
		}
	}
	for _, r := range outermost(roots) {
		s.Roots = append(s.Roots, trees[r])
	}
	if s.Git != nil {
		s.Git.Locks = s.locks(s.Git)
	}
	return s, nil
}

// gitAnswers is how long git has for its answers. It waits for ever when a pipe
// stands where it looks for a file.
const gitAnswers = 5 * time.Minute

// hasTrap tells whether a pipe or a device stands in a git directory: git is
// not asked about such a repository, whichever file it may be.
func hasTrap(trees map[string]Root) bool {
	for _, tree := range trees {
		for i := range tree.Rows {
			row := &tree.Rows[i]
			if (row.Type == Fifo || row.Type == Char) && strings.Contains("/"+filepath.Join(tree.Root, row.Path), "/.git/") {
				return true
			}
		}
	}
	return false
}

// scanInto reads the outermost of the roots that are not among the trees yet.
func scanInto(ctx context.Context, trees map[string]Root, roots, stores []string) error {
	var failed error
	for _, r := range outermost(roots) {
		if _, done := trees[r]; done {
			continue
		}
		scanned, err := scanRoot(ctx, r, stores...)
		trees[r] = scanned
		failed = errors.Join(failed, err)
	}
	return failed
}

// RootError is a root that is no directory that can be read.
type RootError struct {
	Root string
	Err  error
}

// Error names the root and why.
func (e *RootError) Error() string { return fmt.Sprintf("root %s: %v", e.Root, e.Err) }

// Unwrap gives the cause.
func (e *RootError) Unwrap() error { return e.Err }

// ExitStatus says that the input is the caller's mistake.
func (e *RootError) ExitStatus() int { return 2 }

// resolve gives the directory that a root means.
func resolve(root string) (string, error) {
	path, err := filepath.EvalSymlinks(root)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(path); err == nil && !info.IsDir() {
			err = errors.New("not a directory")
		}
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if err != nil {
		return "", &RootError{Root: root, Err: err}
	}
	return path, nil
}

// outermost drops the roots that lie inside another one, and repeated ones:
// each entry is to stand in one place.
func outermost(roots []string) []string {
	var out []string
	for _, r := range roots {
		inside := slices.ContainsFunc(roots, func(other string) bool { return other != r && isBelow(r, other) })
		if !inside && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// isBelow tells whether path is dir or lies in it; both absolute and clean.
func isBelow(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

// repoDirs is a working tree with its git directories.
type repoDirs struct {
	repo              gitrepo.Repo
	gitDir, commonDir string
}

// openRepo gives nil for a root that is no working tree of its own.
func openRepo(ctx context.Context, root string, environ []string) (*repoDirs, error) {
	d := &repoDirs{repo: gitrepo.Open(root, environ)}
	var err error
	d.gitDir, d.commonDir, err = d.repo.Dirs(ctx)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
