package audit

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/gitrepo"
)

// state asks the repository for what git status does not show. It gives nil
// for one that is broken, so that git has no answer.
func (d *repoDirs) state(ctx context.Context) (*GitState, error) {
	if d == nil {
		return nil, nil
	}
	g := &GitState{GitDir: d.gitDir, CommonDir: d.commonDir}
	refs := make(chan error, 1)
	go func() { refs <- d.refs(ctx, g) }() // git starts while the index is read
	asked := func(context.Context, *GitState) error { return <-refs }
	for _, ask := range []func(context.Context, *GitState) error{d.index, asked, d.head, d.stash, d.worktrees, d.files} {
		err := ask(ctx, g)
		if e, ok := errors.AsType[*gitrepo.Error](err); ok && e.Exit >= 0 {
			return nil, ctx.Err() // git cannot read it: its files still tell
		}
		if err != nil {
			return nil, fmt.Errorf("git state of %s: %w", d.repo.Dir, err)
		}
	}
	return g, nil
}

func (d *repoDirs) refs(ctx context.Context, g *GitState) (err error) {
	g.Refs, err = d.repo.Refs(ctx)
	return err
}

// head reads HEAD and the end of its reflog. Both are asked of git only where
// they are not plain files.
func (d *repoDirs) head(ctx context.Context, g *GitState) error {
	g.Head = d.branch(ctx)
	if commit := g.Refs[g.Head]; commit != "" {
		g.HeadCommit = commit
	} else {
		g.HeadCommit, _ = d.repo.Commit(ctx, "HEAD") // no answer: there is no commit yet
	}
	log, err := readRegular(filepath.Join(d.gitDir, "logs", "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	g.ReflogTip = reflogTip(log)
	return err
}

// branch is the ref that HEAD points at, "" when it is detached. A plain file
// tells it; git is asked where HEAD is something else.
func (d *repoDirs) branch(ctx context.Context) string {
	if text, err := readRegular(filepath.Join(d.gitDir, "HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(string(text), "ref: refs/heads/"); ok && strings.HasSuffix(ref, "\n") && !strings.HasPrefix(ref, ".") {
			return "refs/heads/" + strings.TrimSuffix(ref, "\n")
		}
	}
	ref, _ := d.repo.Branch(ctx) // no answer: HEAD is detached
	return ref
}

// reflogTip is the number of entries of a reflog and the commit that the last
// one leads to.
func reflogTip(log []byte) string {
	lines := strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
	parts := strings.Fields(lines[len(lines)-1])
	if len(parts) < 2 {
		return ""
	}
	return fmt.Sprintf("%d %.8s", len(lines), parts[1])
}

func (d *repoDirs) stash(ctx context.Context, g *GitState) error {
	g.Stash = []string{}
	if g.Refs["refs/stash"] == "" {
		return nil
	}
	out, err := d.repo.Ask(ctx, "rev-list", "--walk-reflogs", "refs/stash")
	g.Stash = append(g.Stash, strings.Fields(string(out))...)
	return err
}

func (d *repoDirs) worktrees(ctx context.Context, g *GitState) error {
	g.Branches = make(map[string]string)
	if d.gitDir == filepath.Join(d.repo.Dir, ".git") && d.gitDir == d.commonDir {
		if others, err := os.ReadDir(filepath.Join(d.commonDir, "worktrees")); errors.Is(err, fs.ErrNotExist) || err == nil && len(others) == 0 {
			g.Worktrees = []string{d.repo.Dir} // the only one there is
			return nil
		}
	}
	list, err := d.repo.Worktrees(ctx)
	for _, w := range list {
		g.Worktrees = append(g.Worktrees, w.Path)
		if w.Path != d.repo.Dir && w.Branch != "" {
			g.Branches[w.Path] = w.Branch
		}
	}
	slices.Sort(g.Worktrees)
	return err
}

// index takes the entries together. Not the file: git rewrites that one to
// remember what files look like, whenever anybody asks it for a status.
func (d *repoDirs) index(ctx context.Context, g *GitState) error {
	var sum *indexSum
	err := d.repo.WalkIndex(ctx, d.gitDir, func() func(*gitrepo.RawEntry) {
		sum = &indexSum{git: g}
		g.AssumeUnchanged, g.SkipWorktree = []string{}, []string{}
		return sum.add
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		// A damaged index is a finding, and must not hide the others.
		g.AssumeUnchanged, g.SkipWorktree = []string{}, []string{}
		g.IndexDigest, err = digestOf(filepath.Join(d.gitDir, "index"))
		return err
	}
	g.IndexDigest = sum.digest()
	return nil
}

// indexSum is the digest of the entries of an index, as they come.
type indexSum struct {
	git  *GitState // gets the entries at which git looks away
	hash digest.Hash
	text []byte
}

func (s *indexSum) add(e *gitrepo.RawEntry) {
	var flags byte
	if e.AssumeUnchanged {
		flags |= 1
		s.git.AssumeUnchanged = append(s.git.AssumeUnchanged, string(e.Path))
	}
	if e.SkipWorktree {
		flags |= 2
		s.git.SkipWorktree = append(s.git.SkipWorktree, string(e.Path))
	}
	s.text = binary.BigEndian.AppendUint32(s.text, e.Mode)
	s.text = append(s.text, byte(e.Stage), flags)
	s.text = append(hex.AppendEncode(s.text, e.ID), 0)
	s.text = append(append(s.text, e.Path...), 0)
	if len(s.text) > 16<<10 {
		s.flush()
	}
}

func (s *indexSum) flush() {
	_, _ = s.hash.Write(s.text)
	s.text = s.text[:0]
}

func (s *indexSum) digest() string {
	s.flush()
	return s.hash.Digest()
}

// files takes the digests of the files with which a repository makes git run
// programs or look away.
func (d *repoDirs) files(_ context.Context, g *GitState) error {
	var err error
	if g.Config, err = digestOf(filepath.Join(d.commonDir, "config")); err != nil {
		return err
	}
	if g.Hooks, err = digestsIn(filepath.Join(d.commonDir, "hooks"), func(name string) bool { return !strings.HasSuffix(name, ".sample") }); err != nil {
		return err
	}
	g.Info, err = digestsIn(filepath.Join(d.commonDir, "info"), func(string) bool { return true })
	for _, more := range []string{"objects/info/alternates", "config.worktree"} {
		if sum, e := digestOf(filepath.Join(d.commonDir, more)); e == nil && sum != "" {
			g.Info[more] = sum
		}
	}
	return err
}

// readRegular reads a regular file; anything else in its place is an empty one.
func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if isLinkError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return io.ReadAll(f)
}

// digestOf is the digest of a regular file, "" if there is none.
func digestOf(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) || isLinkError(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	return digest.Reader(f)
}

func digestsIn(dir string, wanted func(name string) bool) (map[string]string, error) {
	sums := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return sums, nil
	}
	for _, e := range entries {
		if !wanted(e.Name()) || e.IsDir() {
			continue
		}
		sum, err := digestOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if sum == "" { // a link, or gone by now
			sum, _ = os.Readlink(filepath.Join(dir, e.Name()))
		}
		if sum != "" {
			sums[e.Name()] = sum
		}
	}
	return sums, err
}

// locks lists the lock files of git in the git directories of a snapshot.
func (s *Snapshot) locks(g *GitState) []string {
	found := []string{}
	for _, root := range s.Roots {
		for _, row := range root.Rows {
			if !strings.HasSuffix(row.Path, ".lock") || row.Type != File {
				continue
			}
			if path := filepath.Join(root.Root, row.Path); isBelow(path, g.GitDir) || isBelow(path, g.CommonDir) {
				found = append(found, path)
			}
		}
	}
	slices.Sort(found)
	return found
}
