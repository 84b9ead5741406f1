package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"okstra/lib/writepolicy"
)

// What lies among the files of git and is no part of what git keeps there, or
// changed in another way than by its meaning, is a change like any other.
func TestWhatTheGitStateDoesNotAccountForIsAViolation(t *testing.T) {
	swap := func(w *world, name string) {
		w.must(os.Rename(w.abs(name), filepath.Join(w.top, "swapped")))
		w.must(os.Symlink(filepath.Join(w.top, "swapped"), w.abs(name)))
	}
	for _, tt := range []struct {
		name    string
		prepare func(w *world)
		mutate  func(w *world)
		want    string // the violation
	}{
		{name: "program among the refs", mutate: func(w *world) { w.write(".git/refs/payload", "\x7fELF") }, want: ".git/refs/payload git-ref created protected"},
		{name: "empty folder among the refs", mutate: func(w *world) { w.mkdir(".git/refs/heads/empty") }, want: ".git/refs/heads/empty git-ref created protected"},
		{name: "file among the worktrees", mutate: func(w *world) { w.write(".git/worktrees/payload", "x") }, want: ".git/worktrees/payload worktree created protected"},
		{name: "folder among the worktrees", mutate: func(w *world) { w.mkdir(".git/worktrees/none") }, want: ".git/worktrees/none worktree created protected"},
		{name: "reftable without reftables", mutate: func(w *world) { w.write(".git/reftable/x.ref", "x") }, want: ".git/reftable/x.ref git-ref created protected"},
		{name: "reflog of no stash", mutate: func(w *world) { w.write(".git/logs/refs/stash", "payload") }, want: ".git/logs/refs/stash git-stash created protected"},
		{name: "rebase begun", mutate: func(w *world) { w.mkdir(".git/rebase-merge") }, want: ".git/rebase-merge git-ref created protected"},
		{name: "mode of HEAD", mutate: func(w *world) { w.must(os.Chmod(w.abs(".git/HEAD"), 0o777)) }, want: ".git/HEAD git-ref mode protected"},
		{name: "mode of the refs", mutate: func(w *world) { w.must(os.Chmod(w.abs(".git/refs"), 0o777)) }, want: ".git/refs git-ref mode protected"},
		{name: "mode of a ref", mutate: func(w *world) { w.must(os.Chmod(w.abs(".git/refs/heads/main"), 0o777)) }, want: ".git/refs/heads/main git-ref mode protected"},
		{name: "mode of the index", mutate: func(w *world) { w.must(os.Chmod(w.abs(".git/index"), 0o777)) }, want: ".git/index git-index mode protected"},
		{name: "mode of packed refs", prepare: func(w *world) { w.git("pack-refs", "--all") }, mutate: func(w *world) { w.must(os.Chmod(w.abs(".git/packed-refs"), 0o777)) }, want: ".git/packed-refs git-ref mode protected"},
		{name: "HEAD as a link", mutate: func(w *world) { swap(w, ".git/HEAD") }, want: ".git/HEAD tree type protected"},
		{name: "ref as a link", mutate: func(w *world) { swap(w, ".git/refs/heads/main") }, want: ".git/refs/heads/main git-ref type protected"},
		{name: "index as a link", mutate: func(w *world) { swap(w, ".git/index") }, want: ".git/index git-index type protected"},
		{name: "HEAD written anew", mutate: func(w *world) { w.git("symbolic-ref", "HEAD", "refs/heads/main") }, want: ".git/HEAD git-ref modified protected"},
		{name: "no shared index", mutate: func(w *world) { w.write(".git/sharedindex.payload", "x") }, want: ".git/sharedindex.payload git-info created protected"},
		{name: "shared index that no index names", mutate: func(w *world) { w.write(".git/sharedindex."+strings.Repeat("0", 40), "x") }, want: ".git/sharedindex." + strings.Repeat("0", 40) + " git-index created protected"},
		{name: "packed refs that git cannot read", prepare: func(w *world) { w.git("pack-refs", "--all") }, mutate: func(w *world) { w.write(".git/packed-refs", "junk\nmore junk\n") }, want: ".git/packed-refs tree modified protected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			scope := w.scope()
			scope.Policies = []writepolicy.Policy{w.readonly(w.root)}
			f := w.around(scope, func() { tt.mutate(w) })
			if !slices.Contains(lines(f.Violations), tt.want) {
				t.Errorf("no %q among\n%q", tt.want, lines(f.Changes))
			}
		})
	}
}

// A violation elsewhere must not be lost with the refs of a repository.
func TestABrokenRepositoryHidesNothingElse(t *testing.T) {
	w := newWorld(t)
	w.git("pack-refs", "--all")
	f := w.around(w.scope(), func() {
		w.write(".git/packed-refs", "junk\nmore junk\n")
		w.write(".git/hooks/pre-commit", "#!/bin/sh\n")
		w.write("src/a.go", "package evil\n")
	})
	for _, want := range []string{".git/hooks/pre-commit tree created unplanned", "src/a.go tree modified unplanned"} {
		if !slices.Contains(lines(f.Violations), want) {
			t.Errorf("no %q among\n%q", want, lines(f.Changes))
		}
	}
	w.take(w.scope()) // which is no error
}

// What git writes on the way of allowed work must not count against it.
func TestOrdinaryGitWorkIsNoViolation(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred calls of git")
	}
	n := atomic.Int32{}
	commit := func(w *world, tree string) {
		w.write(filepath.Join(tree, "src/a.go"), fmt.Sprintln("package b //", n.Add(1)))
		w.gitIn(tree, "commit", "-qam", "two")
	}
	type work struct {
		name string
		do   func(w *world, tree, sibling string)
	}
	inBoth := []work{
		{"commits", func(w *world, tree, _ string) { commit(w, tree) }},
		{"a commit, packed", func(w *world, tree, _ string) { commit(w, tree); w.gitIn(tree, "pack-refs", "--all") }},
		{"a commit out of packed refs", func(w *world, tree, _ string) { w.gitIn(tree, "pack-refs", "--all"); commit(w, tree) }},
		{"its own branch again", func(w *world, tree, _ string) {
			w.gitIn(tree, "checkout", "-q", w.gitIn(tree, "branch", "--show-current"))
		}},
		{"its own commit undone", func(w *world, tree, _ string) { commit(w, tree); w.gitIn(tree, "reset", "-q", "--hard", "HEAD~1") }},
		{"a split index", func(w *world, tree, _ string) { w.gitIn(tree, "update-index", "--split-index"); commit(w, tree) }},
		{"status", func(w *world, tree, _ string) { w.gitIn(tree, "status") }},
		{"a sibling that bisects", func(w *world, _, sibling string) {
			w.write(filepath.Join(sibling, "src/a.go"), "package c\n")
			w.gitIn(sibling, "commit", "-qam", "sibling")
			w.gitIn(sibling, "bisect", "start", "HEAD", "HEAD~1")
		}},
		{"a sibling that is locked", func(w *world, _, sibling string) { w.git("worktree", "lock", sibling) }},
		{"commits amended, picked and rebased", func(w *world, tree, _ string) {
			commit(w, tree)
			w.gitIn(tree, "commit", "-q", "--amend", "-m", "three")
			picked := w.gitIn(tree, "rev-parse", "HEAD")
			w.gitIn(tree, "reset", "-q", "--hard", "HEAD~1")
			w.gitIn(tree, "cherry-pick", picked)
			w.gitIn(tree, "rebase", "-q", "--exec", "true", "HEAD~1")
		}},
	}
	// What all trees share is nobody's in a linked one.
	linked := work{"stash, refs, bisection and worktrees", func(w *world, tree, sibling string) {
		w.write(filepath.Join(tree, "src/a.go"), "package s\n")
		w.gitIn(tree, "stash", "-q")
		w.gitIn(tree, "stash", "pop", "-q")
		w.gitIn(tree, "tag", "t/one")
		w.gitIn(tree, "branch", "b/two")
		w.gitIn(tree, "tag", "-d", "t/one")
		w.gitIn(tree, "bisect", "start")
		w.gitIn(tree, "bisect", "bad")
		w.gitIn(tree, "worktree", "add", "-q", "-b", "more", w.top+"/more")
		w.git("worktree", "remove", "-f", "-f", sibling)
	}}
	for place, list := range map[string][]work{"main tree": inBoth, "linked worktree": append(slices.Clip(inBoth), linked)} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w, tree, sibling := linkedWorld(t)
			for _, tt := range list { // each goes on where the one before ended
				scope := w.linkedScope(tree, w.implementer(tree))
				if place == "main tree" {
					scope = w.scope()
					scope.Policies = []writepolicy.Policy{w.implementer(w.root)}
				}
				if f := w.around(scope, func() { tt.do(w, scope.Root, sibling) }); len(f.Violations) > 0 {
					t.Errorf("%s: violations %q", tt.name, lines(f.Violations))
				}
			}
		})
	}
}
