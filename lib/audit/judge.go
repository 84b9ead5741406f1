package audit

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// The classes of a change.
const (
	ClassArtifact     = "artifact"
	ClassPlanned      = "planned"
	ClassGenerated    = "generated"
	ClassScratch      = "scratch"
	ClassProtected    = "protected"
	ClassUnplanned    = "unplanned"
	ClassUnattributed = "unattributed"
)

// Rules says what the workers of a round were allowed to write. Without a
// policy that is nothing. Own, if not nil, tells which paths the dispatcher
// itself wrote meanwhile; they are no changes.
type Rules struct {
	Policies []writepolicy.Policy
	Own      func(path string) bool
	Environ  []string
}

// Findings is what an audit found, sorted by path. Unobserved are the places
// of which nothing is known: coverage is not complete where there is one.
type Findings struct {
	Changes    []run.Change `json:"changes"`
	Violations []run.Change `json:"violations"`
	Unobserved []string     `json:"unobserved"`
}

// Judge compares two snapshots and judges each change by the policies of the
// round. It asks the repository for the commits that an implementer made.
// Rule: docs/audit.md, "Judging".
func Judge(ctx context.Context, before, after *Snapshot, rules Rules) (Findings, error) {
	j := &judge{ctx: ctx, before: before, after: after, rules: rules, git: before.Git, repo: gitrepo.Open(after.Root, rules.Environ)}
	differences, unobserved := Differences(before, after)
	if before.Git != nil && after.Git == nil {
		// The repository is gone or broken; only its files can tell.
		j.git = nil
	}
	j.indexChanged = j.git != nil && slices.ContainsFunc(differences, func(d Difference) bool {
		return joinRoot(d.Root, d.Path) == filepath.Join(j.git.GitDir, "index")
	})
	var tree []Difference
	for _, d := range differences {
		full := joinRoot(d.Root, d.Path)
		if rules.Own != nil && rules.Own(full) {
			continue
		}
		if p, ok := j.git.placeOf(full); ok {
			j.gitFile(full, d, p)
		} else {
			tree = append(tree, d)
		}
	}
	if err := j.treeFiles(tree); err != nil {
		return Findings{}, err
	}
	if j.git != nil {
		if err := j.gitState(); err != nil {
			return Findings{}, err
		}
	}
	return j.findings(unobserved), nil
}

type judge struct {
	ctx           context.Context
	before, after *Snapshot
	rules         Rules
	git           *GitState // of before; nil when its meaning cannot be compared
	repo          gitrepo.Repo
	indexChanged  bool
	changes       []run.Change
	seen          map[string]bool // absolute paths of changed files of the tree
}

func (j *judge) add(path, surface, change, class, detail string) {
	j.changes = append(j.changes, run.Change{Path: shown(path), Surface: surface, Change: change, Class: class, Detail: shown(detail)})
}

// shown is a name as a text: quoted when it is no UTF-8.
func shown(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strconv.Quote(name)
}

// display is a path as documents have it: relative to the project root, or
// absolute where it lies outside.
func (j *judge) display(full string) string { return run.Rel(j.before.ArtifactRoot, full) }

func (j *judge) findings(unobserved []string) Findings {
	f := Findings{Changes: j.changes, Violations: []run.Change{}, Unobserved: []string{}}
	if f.Changes == nil {
		f.Changes = []run.Change{}
	}
	slices.SortFunc(f.Changes, func(a, b run.Change) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Surface, b.Surface), strings.Compare(a.Change, b.Change), strings.Compare(a.Detail, b.Detail))
	})
	for _, c := range f.Changes {
		if IsViolation(c.Class) {
			f.Violations = append(f.Violations, c)
		}
	}
	for _, path := range unobserved {
		f.Unobserved = append(f.Unobserved, shown(j.display(path)))
	}
	return f
}

// IsViolation tells whether a change of a class was not allowed.
func IsViolation(class string) bool { return class == ClassProtected || class == ClassUnplanned }

// treeFiles judges what changed in the trees. Which of it git ignores is said
// by the name of the surface.
func (j *judge) treeFiles(list []Difference) error {
	ignored, err := j.ignored(list)
	if err != nil {
		return err
	}
	j.seen = make(map[string]bool)
	for _, d := range list {
		full := joinRoot(d.Root, d.Path)
		j.seen[full] = true
		surface := SurfaceTree
		if ignored[full] {
			surface = SurfaceIgnored
		}
		class := Class(j.rules.Policies, full)
		if d.Type == Dir && (d.Change == Created || d.Change == Deleted) {
			class = directoryClass(j.rules.Policies, full, class)
		}
		j.add(j.display(full), surface, d.Change, class, d.Detail)
	}
	return nil
}

// ignored asks git which paths of the working tree it would not track.
func (j *judge) ignored(list []Difference) (map[string]bool, error) {
	ignored := make(map[string]bool)
	if j.git == nil || j.after.Git == nil {
		return ignored, nil
	}
	var paths []string
	for _, d := range list {
		full := joinRoot(d.Root, d.Path)
		if full != j.after.Root && isBelow(full, j.after.Root) && j.isGitsOwn(relative(full, j.after.Root)) {
			paths = append(paths, relative(full, j.after.Root))
		}
	}
	if len(paths) == 0 {
		return ignored, nil
	}
	hits, err := j.repo.Ignored(j.ctx, paths)
	if j.ctx.Err() != nil {
		return nil, err
	}
	for _, path := range hits { // none where git refused: then "tree" is all that can be said
		ignored[joinRoot(j.after.Root, path)] = true
	}
	return ignored, nil
}

// isGitsOwn tells whether git can be asked about a path of the tree: it
// refuses, for all paths at once, when one lies beyond a link or in a
// repository inside the tree.
func (j *judge) isGitsOwn(path string) bool {
	i := slices.IndexFunc(j.after.Roots, func(r Root) bool { return isBelow(j.after.Root, r.Root) })
	if i < 0 {
		return true
	}
	root := &j.after.Roots[i]
	prefix := relative(j.after.Root, root.Root)
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		at := filepath.Join(prefix, dir)
		if row := root.find(at); row != nil && row.Type == Link || root.find(filepath.Join(at, ".git")) != nil {
			return false
		}
	}
	return true
}

// Class gives the class of a changed path by its absolute name: the first that
// fits, over all policies of the round. Planned and generated paths count only
// where sources may be changed at all, and cover what lies below them.
func Class(policies []writepolicy.Policy, full string) string {
	for _, rule := range []struct {
		class string
		fits  func(p *writepolicy.Policy) bool
	}{
		{ClassArtifact, func(p *writepolicy.Policy) bool {
			return slices.ContainsFunc(p.ArtifactPolicy.AllowedPaths, func(a string) bool { return full == filepath.Join(p.ArtifactPolicy.AllowedRoot, a) })
		}},
		{ClassScratch, func(p *writepolicy.Policy) bool {
			return slices.ContainsFunc(p.AuxiliaryPolicy.ScratchRoots, func(s string) bool { return isBelow(full, s) })
		}},
		{ClassProtected, func(p *writepolicy.Policy) bool { return isProtected(p, full) }},
		{ClassPlanned, func(p *writepolicy.Policy) bool { return isPlanned(p, p.SourcePolicy.PlannedPaths, full) }},
		{ClassGenerated, func(p *writepolicy.Policy) bool { return isPlanned(p, p.AuxiliaryPolicy.GeneratedPaths, full) }},
	} {
		for i := range policies {
			if rule.fits(&policies[i]) {
				return rule.class
			}
		}
	}
	return ClassUnplanned
}

// isProtected: what is protected in the tree is protected in the project as
// well, which is another folder when the tree is a linked worktree.
func isProtected(p *writepolicy.Policy, full string) bool {
	return slices.ContainsFunc(p.SourcePolicy.ProtectedPaths, func(name string) bool {
		return isBelow(full, filepath.Join(p.SourcePolicy.AllowedRoot, name)) || isBelow(full, filepath.Join(p.ArtifactPolicy.AllowedRoot, name))
	})
}

func isPlanned(p *writepolicy.Policy, paths []string, full string) bool {
	return p.SourcePolicy.Mode == writepolicy.SourceMutation &&
		slices.ContainsFunc(paths, func(name string) bool { return isBelow(full, filepath.Join(p.SourcePolicy.AllowedRoot, name)) })
}

// directoryClass gives a new or removed directory the class of an allowed path
// below it: who may write a file may make its folder.
func directoryClass(policies []writepolicy.Policy, full, class string) string {
	if !IsViolation(class) {
		return class
	}
	for i := range policies {
		p := &policies[i]
		holds := func(root string, paths []string) bool {
			return slices.ContainsFunc(paths, func(name string) bool { return isBelow(filepath.Join(root, name), full) })
		}
		mutation := p.SourcePolicy.Mode == writepolicy.SourceMutation
		switch {
		case holds(p.ArtifactPolicy.AllowedRoot, p.ArtifactPolicy.AllowedPaths):
			return ClassArtifact
		case mutation && class != ClassProtected && holds(p.SourcePolicy.AllowedRoot, p.SourcePolicy.PlannedPaths):
			return ClassPlanned
		case mutation && class != ClassProtected && holds(p.SourcePolicy.AllowedRoot, p.AuxiliaryPolicy.GeneratedPaths):
			return ClassGenerated
		}
	}
	return class
}
