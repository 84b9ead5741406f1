package audit

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// told is the part of the git state that tells of a file's changes, with more
// meaning than its bytes have.
type told int

const (
	notTold         told = iota
	toldByRef            // a ref of its own
	toldByRefs           // the refs, many of which lie in it
	toldByHead           // HEAD
	toldByStash          // the stash
	toldByWorktrees      // the list of working trees
)

// tellers say whether the git state accounts for a file that was made, written
// or removed. A file that is no part of what git keeps there, or was written
// without any change of its meaning, is not accounted for.
var tellers = map[told]func(j *judge, d Difference, p place) bool{
	toldByRef: func(j *judge, d Difference, p place) bool {
		before, after := j.git.Refs[p.ref], j.after.Git.Refs[p.ref]
		// A ref that moved into packed-refs, or out of it, is where it was.
		return before != after || after != "" && d.Change != Modified && d.Change != Metadata
	},
	toldByRefs: func(j *judge, d Difference, _ place) bool {
		switch name := relative(joinRoot(d.Root, d.Path), j.git.CommonDir); {
		case name == "packed-refs":
			return d.Change != Metadata
		case !j.had("reftable/tables.list"):
			return false
		default:
			return d.Change != Metadata && (path.Ext(name) == ".ref" || name == "reftable/tables.list")
		}
	},
	toldByHead: func(j *judge, _ Difference, _ place) bool { return headText(j.git) != headText(j.after.Git) },
	toldByStash: func(j *judge, _ Difference, _ place) bool {
		return !slices.Equal(j.git.Stash, j.after.Git.Stash)
	},
	toldByWorktrees: func(*judge, Difference, place) bool { return false }, // it consists of folders
}

// isTold tells whether the git state accounts for a changed file of a git
// directory, so that it need not be named. It never accounts for another type,
// mode or owner.
func (j *judge) isTold(d Difference, p place) bool {
	switch {
	case d.Type == Dir:
		return (d.Change == Created || d.Change == Deleted) && j.isToldFolder(d, p)
	case p.told == notTold, d.Type != File, d.attributes, d.Change == Retyped:
		return false
	}
	return tellers[p.told](j, d, p)
}

// isToldFolder is isTold for a folder that was made or removed. Those of refs
// and reflogs come and go with what is in them.
func (j *judge) isToldFolder(d Difference, p place) bool {
	switch {
	case p.told == toldByWorktrees:
		return !slices.Equal(j.git.Worktrees, j.after.Git.Worktrees) || !maps.Equal(j.git.Branches, j.after.Git.Branches)
	case p.told == toldByRef, p.surface == SurfaceReflog:
		return d.Change == Deleted || j.isFilled(d)
	}
	return false
}

// isFilled tells whether there is anything in a folder afterwards.
func (j *judge) isFilled(d Difference) bool {
	rows := rowsIn(j.after, d.Root)
	i, _ := slices.BinarySearchFunc(rows, Row{Path: d.Path + "/"}, comparePaths)
	return i < len(rows) && strings.HasPrefix(rows[i].Path, d.Path+"/")
}

// had tells whether a file of the common git directory was there before.
func (j *judge) had(name string) bool {
	file := filepath.Join(j.git.CommonDir, name)
	return slices.ContainsFunc(j.before.Roots, func(r Root) bool {
		return isBelow(file, r.Root) && r.find(relative(file, r.Root)) != nil
	})
}
