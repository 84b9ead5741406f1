package audit

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/writepolicy"
)

// forbidden is the class of a change that no policy can allow: protected where
// a policy says so, else unplanned.
func (j *judge) forbidden(full string) string {
	for i := range j.rules.Policies {
		if isProtected(&j.rules.Policies[i], full) {
			return ClassProtected
		}
	}
	return ClassUnplanned
}

// mutation gives the policy that lets the tree's sources and branch change,
// nil if there is none.
func (j *judge) mutation() *writepolicy.Policy {
	for i := range j.rules.Policies {
		if p := &j.rules.Policies[i]; p.GitPolicy.Mode == writepolicy.GitFastForward && p.SourcePolicy.Mode == writepolicy.SourceMutation {
			return p
		}
	}
	return nil
}

func (j *judge) linked() bool { return j.git.GitDir != j.git.CommonDir }

// shared is the class of what all working trees of a repository have in
// common. In a linked worktree it changes all the time by the hands of others;
// where the repository has no other tree it is the batch's.
func (j *judge) shared() string {
	if j.linked() {
		return ClassUnattributed
	}
	return j.forbidden(j.git.CommonDir)
}

// private is the class of what belongs to one working tree and changes with
// every git command in it.
func (j *judge) private(o owner) string {
	switch {
	case o == otherTree:
		return ClassUnattributed
	case j.mutation() != nil:
		return ClassPlanned
	}
	return j.forbidden(j.git.GitDir)
}

// refClass is the class of a change of a ref, before its commits are looked
// at. A branch that another working tree had checked out already is moved by
// whoever works there.
func (j *judge) refClass(ref string) string {
	if p := j.mutation(); p != nil && ref == p.GitPolicy.AllowedBranchRef {
		return ClassPlanned
	}
	for _, branch := range j.git.Branches {
		if branch == ref {
			return ClassUnattributed
		}
	}
	if ref != "" && ref == j.git.Head {
		return j.forbidden(j.git.GitDir)
	}
	return j.shared()
}

// gitFile judges a changed file of a git directory.
func (j *judge) gitFile(full string, d Difference, p place) {
	if j.isTold(d, p) {
		return
	}
	change, detail := d.Change, d.Detail
	var class string
	switch {
	case p.owner == repository:
		class = j.forbidden(full)
		if (change == Modified || change == Metadata) && !d.attributes && j.sameText(full) {
			// git writes its configuration anew to find nothing to change in it.
			change, class, detail = Metadata, ClassUnattributed, "written anew with the same content"
		}
	case p.surface == SurfaceIndex && p.owner == ownTree:
		if class = j.private(ownTree); j.isRefreshed(d) {
			change, class, detail = Metadata, ClassUnattributed, "refreshed: the same entries"
		}
	case p.ref != "":
		class = j.refClass(p.ref)
	case p.owner == everyTree:
		class = j.shared()
	case p.orders && p.owner == ownTree && d.Change != Deleted:
		class = j.forbidden(full)
	default:
		class = j.private(p.owner)
	}
	if d.Change == Retyped && class == ClassPlanned {
		class = j.forbidden(full) // git puts files in the place of files
	}
	if p.surface == SurfaceReflog && p.owner == ownTree && j.git.ReflogTip != j.after.Git.ReflogTip {
		detail = fmt.Sprintf("%s to %s", orNone(j.git.ReflogTip), orNone(j.after.Git.ReflogTip))
	}
	j.add(j.display(full), p.surface, change, class, detail)
}

// isRefreshed tells whether a changed file of the index is what git writes
// whenever anybody asks it for a status. The shared part of a split index never
// changes alone.
func (j *judge) isRefreshed(d Difference) bool {
	return !d.attributes && d.Change != Retyped && d.Change != Deleted && d.Type == File && j.indexChanged && j.git.IndexDigest == j.after.Git.IndexDigest
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// sameText tells whether a settings file has the same bytes in both snapshots.
func (j *judge) sameText(full string) bool {
	b, a := settings(j.git)[full], settings(j.after.Git)[full]
	return b != "" && b == a
}

// settings are the digests of a repository's settings by absolute path.
func settings(g *GitState) map[string]string {
	all := map[string]string{}
	if g.Config != "" {
		all[filepath.Join(g.CommonDir, "config")] = g.Config
	}
	for name, sum := range g.Hooks {
		all[filepath.Join(g.CommonDir, "hooks", name)] = sum
	}
	for name, sum := range g.Info {
		folder := "info"
		if strings.Contains(name, "/") || name == "config.worktree" {
			folder = ""
		}
		all[filepath.Join(g.CommonDir, folder, name)] = sum
	}
	return all
}

// gitState judges what changed beside the files.
func (j *judge) gitState() error {
	j.alternates()
	j.flags("assume-unchanged", j.git.AssumeUnchanged, j.after.Git.AssumeUnchanged)
	j.flags("skip-worktree", j.git.SkipWorktree, j.after.Git.SkipWorktree)
	j.stash()
	j.worktrees()
	j.head()
	return j.refs()
}

// alternates compares the one setting that lies in an object store, where
// nothing is scanned: where else objects come from.
func (j *judge) alternates() {
	before, after := settings(j.git), settings(j.after.Git)
	for _, file := range union(before, after) {
		if b, a := before[file], after[file]; b != a && isBelow(file, filepath.Join(j.git.CommonDir, objectFolder)) {
			p, _ := j.git.placeOf(file)
			j.add(j.display(file), p.surface, changeOf(b, a, Modified), j.forbidden(file), "")
		}
	}
}

// changeOf names the change from b to a, where "" is nothing.
func changeOf(b, a, both string) string {
	switch {
	case b == "":
		return Created
	case a == "":
		return Deleted
	}
	return both
}

func union[V any](a, b map[string]V) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// flags reports the index entries at which git began or ceased to look away.
// No plan needs that.
func (j *judge) flags(flag string, before, after []string) {
	report := func(list, other []string, what string) {
		for _, path := range list {
			if !slices.Contains(other, path) {
				j.add(j.display(joinRoot(j.before.Root, path)), SurfaceIndex, Metadata, j.forbidden(j.git.GitDir), flag+" "+what)
			}
		}
	}
	report(after, before, "set")
	report(before, after, "cleared")
}

func (j *judge) stash() {
	before, after := j.git.Stash, j.after.Git.Stash
	if slices.Equal(before, after) {
		return
	}
	change := Modified
	if len(before) == 0 {
		change = Created
	} else if len(after) == 0 {
		change = Deleted
	}
	j.add("refs/stash", SurfaceStash, change, j.shared(), fmt.Sprintf("%d entries to %d", len(before), len(after)))
}

func (j *judge) worktrees() {
	before, after := j.git.Worktrees, j.after.Git.Worktrees
	for _, path := range after {
		if !slices.Contains(before, path) {
			j.add(j.display(path), SurfaceWorktree, Created, j.shared(), "")
		}
	}
	for _, path := range before {
		if !slices.Contains(after, path) {
			j.add(j.display(path), SurfaceWorktree, Deleted, j.shared(), "")
		}
	}
}

// head reports a HEAD that points elsewhere. An implementer's must stay on its
// branch, everybody else's where it was.
func (j *judge) head() {
	before, after := j.git, j.after.Git
	switch {
	case before.Head != after.Head:
		j.add("HEAD", SurfaceRef, Moved, j.forbidden(j.git.GitDir), fmt.Sprintf("%s to %s", headText(before), headText(after)))
	case after.Head == "" && before.HeadCommit != after.HeadCommit:
		j.add("HEAD", SurfaceRef, Moved, j.forbidden(j.git.GitDir), fmt.Sprintf("detached, %.8s to %.8s", before.HeadCommit, after.HeadCommit))
	}
}

func headText(g *GitState) string {
	if g.Head == "" {
		return fmt.Sprintf("detached at %.8s", g.HeadCommit)
	}
	return g.Head
}

func (j *judge) refs() error {
	before, after := j.git.Refs, j.after.Git.Refs
	for _, ref := range union(before, after) {
		b, a := before[ref], after[ref]
		if b == a || ref == "refs/stash" {
			continue
		}
		class := j.refClass(ref)
		detail := fmt.Sprintf("%.8s to %.8s", orNone(b), orNone(a))
		if p := j.mutation(); p != nil && ref == p.GitPolicy.AllowedBranchRef {
			fault, err := j.chain(p, a)
			if err != nil {
				return err
			}
			if fault != "" {
				class, detail = j.forbidden(j.git.CommonDir), detail+"; "+fault
			}
		}
		j.add(ref, SurfaceRef, changeOf(b, a, Moved), class, detail)
	}
	return nil
}
