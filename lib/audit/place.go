package audit

import (
	"encoding/hex"
	"path"
	"slices"
	"strings"
)

// The surfaces on which something can change.
const (
	SurfaceTree     = "tree"
	SurfaceIgnored  = "ignored"
	SurfaceConfig   = "git-config"
	SurfaceHook     = "git-hook"
	SurfaceInfo     = "git-info"
	SurfaceRef      = "git-ref"
	SurfaceReflog   = "git-reflog"
	SurfaceIndex    = "git-index"
	SurfaceStash    = "git-stash"
	SurfaceWorktree = "worktree"
	SurfaceLock     = "lock"
)

// owner is whose part of a repository a file is.
type owner int

const (
	ownTree    owner = iota // of the working tree that is audited
	otherTree               // of another working tree of the repository
	everyTree               // shared by all of them
	repository              // no part of anybody's work: settings
)

// place is what a file of a git directory is.
type place struct {
	surface string
	owner   owner
	ref     string // the ref that the file belongs to, if any
	told    told   // where the git state tells of its changes
	orders  bool   // git carries out what it says, programs included, when anybody goes on with it
}

// placeOf tells what a file of the repository is, by its absolute path. ok is
// false for a path in none of its git directories.
func (g *GitState) placeOf(file string) (place, bool) {
	if g == nil {
		return place{}, false
	}
	linked := g.GitDir != g.CommonDir
	switch {
	case linked && isBelow(file, g.GitDir):
		return placeIn(relative(file, g.GitDir), ownTree), true
	case !isBelow(file, g.CommonDir):
		return place{}, false
	}
	name := relative(file, g.CommonDir)
	if rest, ok := strings.CutPrefix(name, "worktrees/"); ok {
		_, rest, inside := strings.Cut(rest, "/")
		if !inside {
			return place{surface: SurfaceWorktree, owner: everyTree, told: toldByWorktrees}, true
		}
		p := placeIn(rest, otherTree)
		if p.ref != "" {
			// The refs and reflogs in it are that tree's alone.
			p = place{surface: p.surface, owner: otherTree}
		}
		return p, true
	}
	main := ownTree
	if linked {
		main = otherTree
	}
	return placeIn(name, main), true
}

func relative(file, dir string) string {
	if file == dir {
		return "."
	}
	return strings.TrimPrefix(file[len(dir):], "/")
}

// messages are files that git leaves behind while it works on a commit.
var messages = []string{"COMMIT_EDITMSG", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE", "TAG_EDITMSG", "gc.pid", "gc.log"}

// placeIn tells what a file is by its name in a git directory, of which tree
// is the working tree.
func placeIn(name string, tree owner) place {
	first, rest, inside := strings.Cut(name, "/")
	switch {
	case strings.HasSuffix(name, ".lock"):
		return lockPlace(name, tree)
	case name == "HEAD":
		if tree == ownTree {
			return place{surface: SurfaceRef, owner: tree, told: toldByHead}
		}
		return place{surface: SurfaceRef, owner: tree}
	case name == "index", isSharedIndex(name):
		return place{surface: SurfaceIndex, owner: tree}
	case first == "refs":
		return place{surface: SurfaceRef, owner: everyTree, ref: name, told: toldByRef}
	case name == "packed-refs", first == "reftable":
		return place{surface: SurfaceRef, owner: everyTree, told: toldByRefs}
	case name == "logs", name == "logs/HEAD":
		return place{surface: SurfaceReflog, owner: tree}
	case name == "logs/refs/stash":
		return place{surface: SurfaceStash, owner: everyTree, told: toldByStash}
	case first == "logs":
		return place{surface: SurfaceReflog, owner: everyTree, ref: rest}
	case first == "rebase-merge", first == "rebase-apply", first == "sequencer":
		return place{surface: SurfaceRef, owner: tree, orders: true}
	case slices.Contains(messages, name), !inside && strings.HasSuffix(name, "_HEAD"), strings.HasPrefix(name, "BISECT_"):
		return place{surface: SurfaceRef, owner: tree}
	case first == "hooks":
		return place{surface: SurfaceHook, owner: repository}
	case name == "config", name == "config.worktree", first == "branches", first == "remotes":
		return place{surface: SurfaceConfig, owner: repository}
	case first == "modules":
		return placeInModule(rest)
	case name == "worktrees":
		return place{surface: SurfaceWorktree, owner: everyTree, told: toldByWorktrees}
	case tree == otherTree && (name == "gitdir" || name == "commondir" || name == "locked"):
		return place{surface: SurfaceWorktree, owner: otherTree}
	}
	return place{surface: SurfaceInfo, owner: repository}
}

// isSharedIndex tells whether a name is that of the shared part of a split
// index.
func isSharedIndex(name string) bool {
	sum, ok := strings.CutPrefix(name, "sharedindex.")
	_, err := hex.DecodeString(sum)
	return ok && err == nil && (len(sum) == 40 || len(sum) == 64)
}

// placeInModule is coarser: the git directory of a submodule is no part of any
// plan, but what makes git run programs keeps its name.
func placeInModule(name string) place {
	p := place{surface: SurfaceInfo, owner: repository}
	switch {
	case strings.Contains("/"+name, "/hooks/"):
		p.surface = SurfaceHook
	case path.Base(name) == "config":
		p.surface = SurfaceConfig
	}
	return p
}

// lockPlace is a lock that git holds, or that somebody left behind.
func lockPlace(name string, tree owner) place {
	p := place{surface: SurfaceLock, owner: everyTree}
	guarded := strings.TrimSuffix(name, ".lock")
	switch {
	case strings.HasPrefix(guarded, "refs/"):
		p.ref = guarded
	case guarded == "config":
		p.owner = repository
	case guarded != "packed-refs" && guarded != "shallow":
		p.owner = tree
	}
	return p
}
