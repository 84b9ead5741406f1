package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

func TestClassesOfPathsFirstMatch(t *testing.T) {
	w := newWorld(t)
	scratch := filepath.Join(w.top, "scratch")
	p := w.implementer(w.root).WritePolicy
	p.AuxiliaryPolicy.ScratchRoots = []string{scratch, w.abs(".git/scratch")}
	p.ArtifactPolicy.AllowedPaths = append(p.ArtifactPolicy.AllowedPaths, "src/both.go")
	p.SourcePolicy.PlannedPaths = append(p.SourcePolicy.PlannedPaths, ".git/planned", "src/both.go")
	p.AuxiliaryPolicy.GeneratedPaths = append(p.AuxiliaryPolicy.GeneratedPaths, "src/a.go")
	implementer, reader := w.policy(p), w.readonly(w.root)
	for _, tt := range []struct {
		name, path string
		policies   []writepolicy.Policy
		want       string
	}{
		{"artifact inside what is protected", ".okstra/out/result.md", []writepolicy.Policy{reader}, ClassArtifact},
		{"beside the artifact", ".okstra/out/other.md", []writepolicy.Policy{reader}, ClassProtected},
		{"below the artifact", ".okstra/out/result.md/x", []writepolicy.Policy{reader}, ClassProtected},
		{"artifact before planned", "src/both.go", []writepolicy.Policy{implementer}, ClassArtifact},
		{"scratch before protected", ".git/scratch/x", []writepolicy.Policy{implementer}, ClassScratch},
		{"scratch outside", "../scratch/x", []writepolicy.Policy{implementer}, ClassScratch},
		{"protected before planned", ".git/planned", []writepolicy.Policy{implementer}, ClassProtected},
		{"planned before generated", "src/a.go", []writepolicy.Policy{implementer}, ClassPlanned},
		{"generated, below", "gen/deep/x", []writepolicy.Policy{implementer}, ClassGenerated},
		{"no prefix of names", "generated/x", []writepolicy.Policy{implementer}, ClassUnplanned},
		{"unplanned", "src/b.go", []writepolicy.Policy{implementer}, ClassUnplanned},
		{"planned for another job of the round", "src/a.go", []writepolicy.Policy{reader, implementer}, ClassPlanned},
		{"planned counts for nobody who only reads", "src/a.go", []writepolicy.Policy{reader}, ClassUnplanned},
		{"no policy", ".okstra/out/result.md", nil, ClassUnplanned},
	} {
		if got := Class(tt.policies, filepath.Clean(w.abs(tt.path))); got != tt.want {
			t.Errorf("%s: class of %s is %s, want %s", tt.name, tt.path, got, tt.want)
		}
	}
}

func TestWhatAReaderLeavesBehind(t *testing.T) {
	w := newWorld(t)
	scope := w.scope()
	scope.Policies = []writepolicy.Policy{w.readonly(w.root)}
	f := w.around(scope, func() {
		w.write(".okstra/out/result.md", "done")
		w.write(".okstra/out/more.md", "x")
		w.mkdir(".okstra/other")
	})
	want := []string{
		".okstra tree created artifact", ".okstra/other tree created protected", ".okstra/out tree created artifact",
		".okstra/out/more.md tree created protected", ".okstra/out/result.md tree created artifact",
	}
	if diff := cmp.Diff(want, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := f.Audit("batch").Verdict; got != "violation" {
		t.Errorf("verdict %s", got)
	}
}

func TestTheDispatchersOwnFilesAreNoChanges(t *testing.T) {
	w := newWorld(t)
	before := w.take(w.scope())
	w.write(".okstra/status.json", "{}")
	w.write(".okstra/stray.json", "{}")
	f, err := Judge(t.Context(), before, w.take(w.scope()), Rules{Environ: w.env, Own: func(path string) bool { return path == w.abs(".okstra/status.json") || path == w.abs(".okstra") }})
	w.must(err)
	if diff := cmp.Diff([]string{".okstra/stray.json tree created unplanned"}, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// linkedWorld has the tree of a task as a linked worktree, and the tree of
// another task beside it.
func linkedWorld(t *testing.T) (w *world, tree, sibling string) {
	w = newWorld(t)
	tree, sibling = filepath.Join(w.top, "tree"), filepath.Join(w.top, "sibling")
	w.git("worktree", "add", "-q", "-b", "feat", tree)
	w.git("worktree", "add", "-q", "-b", "sibling", sibling)
	return w, tree, sibling
}

func (w *world) linkedScope(tree string, policies ...writepolicy.Policy) Scope {
	return Scope{Root: tree, ArtifactRoot: w.root, Policies: policies, Environ: w.env}
}

// Report 33: a fingerprint of the shared git directory blames the wrong job
// when a sibling worktree commits.
func TestW14Report33ASiblingsCommitIsUnattributed(t *testing.T) {
	w, tree, sibling := linkedWorld(t)
	n := 0
	commit := func() {
		n++
		w.write(filepath.Join(sibling, "src/a.go"), fmt.Sprintln("package sibling", n))
		w.gitIn(sibling, "commit", "-qam", "sibling")
		w.gitIn(sibling, "tag", fmt.Sprint("sibling-tag-", n))
		w.write(filepath.Join(sibling, "src/b.go"), "stashed\n")
		w.gitIn(sibling, "stash", "-q")
	}
	for _, tt := range []struct {
		name  string
		scope Scope
	}{
		{"seen from a linked worktree", w.linkedScope(tree, w.implementer(tree))},
		{"seen from a reader in a linked worktree", w.linkedScope(tree, w.readonly(tree))},
	} {
		f := w.around(tt.scope, commit)
		if len(f.Violations) != 0 || len(f.Changes) == 0 {
			t.Errorf("%s: violations %q among %q", tt.name, lines(f.Violations), lines(f.Changes))
		}
		if !slices.Contains(lines(f.Changes), "refs/heads/sibling git-ref moved unattributed") {
			t.Errorf("%s: the sibling's branch is not named: %q", tt.name, lines(f.Changes))
		}
	}
	// From the main tree, only a branch that a sibling had checked out is its.
	f := w.around(w.scope(), func() {
		w.write(filepath.Join(sibling, "src/a.go"), "package sibling2\n")
		w.gitIn(sibling, "commit", "-qam", "sibling")
	})
	if len(f.Violations) != 0 {
		t.Errorf("from the main tree: violations %q", lines(f.Violations))
	}
	f = w.around(w.scope(), func() { w.gitIn(sibling, "branch", "new") })
	if diff := cmp.Diff([]string{"refs/heads/new git-ref created unplanned"}, lines(f.Violations)[1:]); diff != "" {
		t.Errorf("a new branch, from the main tree (-want +got):\n%s", diff)
	}
}

func TestSettingsAreViolationsEverywhere(t *testing.T) {
	w, tree, _ := linkedWorld(t)
	for _, scope := range []Scope{w.linkedScope(tree, w.implementer(tree)), {Root: tree, Policies: []writepolicy.Policy{w.implementer(tree)}, Environ: w.env}} {
		f := w.around(scope, func() {
			w.gitIn(tree, "config", "core.pager", "evil")
			w.write(".git/hooks/post-commit", "#!/bin/sh\n")
			w.write(".git/info/attributes", "* filter=x\n")
			w.write(".git/config.lock", "")
		})
		var surfaces []string
		for _, c := range f.Violations {
			surfaces = append(surfaces, c.Surface)
		}
		for _, want := range []string{SurfaceConfig, SurfaceHook, SurfaceInfo} {
			if !slices.Contains(surfaces, want) {
				t.Errorf("artifact root %q: no violation on %s among %q", scope.ArtifactRoot, want, lines(f.Changes))
			}
		}
		if !slices.ContainsFunc(f.Changes, func(c run.Change) bool { return c.Surface == SurfaceLock }) {
			t.Errorf("artifact root %q: the lock is not reported: %q", scope.ArtifactRoot, lines(f.Changes))
		}
		w.must(os.Remove(w.abs(".git/hooks/post-commit")))
		w.must(os.Remove(w.abs(".git/info/attributes")))
		w.must(os.Remove(w.abs(".git/config.lock")))
		w.gitIn(tree, "config", "--unset", "core.pager")
	}
}

// A linked worktree may be audited without the project that it belongs to: what
// its repository is set to do is watched all the same.
func TestTheRepositoryOfALinkedWorktreeIsWatched(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(w *world)
		do      func(w *world)
		want    string
	}{
		{"a hook that may run now", func(w *world) { w.write(".git/hooks/pre-commit", "#!/bin/sh\n") }, func(w *world) {
			w.must(os.Chmod(w.abs(".git/hooks/pre-commit"), 0o755))
		}, "TOP/repo/.git/hooks/pre-commit git-hook mode protected"},
		{"a configuration that anybody may write", nil, func(w *world) { w.must(os.Chmod(w.abs(".git/config"), 0o666)) }, "TOP/repo/.git/config git-config mode protected"},
		{"a file in a folder of hooks", nil, func(w *world) {
			w.mkdir(".git/hooks/d")
			w.write(".git/hooks/d/x", "1")
		}, "TOP/repo/.git/hooks/d/x git-hook created protected"},
		{"a lock on HEAD", nil, func(w *world) { w.write(".git/HEAD.lock", "") }, "TOP/repo/.git/HEAD.lock lock created unattributed"},
		{"a lock on the index", nil, func(w *world) { w.write(".git/index.lock", "") }, "TOP/repo/.git/index.lock lock created unattributed"},
		{"a lock on the configuration", nil, func(w *world) { w.write(".git/config.lock", "") }, "TOP/repo/.git/config.lock lock created protected"},
		{"a lock on the branch", nil, func(w *world) { w.write(".git/refs/heads/feat.lock", "") }, "TOP/repo/.git/refs/heads/feat.lock lock created planned"},
		{"objects from elsewhere", nil, func(w *world) { w.write(".git/objects/info/alternates", "/x\n") }, "TOP/repo/.git/objects/info/alternates git-info created protected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, tree, _ := linkedWorld(t)
			if tt.prepare != nil {
				tt.prepare(w)
			}
			f := w.around(Scope{Root: tree, Policies: []writepolicy.Policy{w.implementer(tree)}, Environ: w.env}, func() { tt.do(w) })
			var got []string
			for _, line := range lines(f.Changes) {
				got = append(got, strings.ReplaceAll(line, w.top, "TOP"))
			}
			if !slices.Contains(got, tt.want) {
				t.Errorf("%q is not among %q", tt.want, got)
			}
		})
	}
}

func TestWhatAnImplementerMayDo(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *world, tree string)
		bad  []string // violations: "path surface", none if empty
	}{
		{"nothing", func(*world, string) {}, nil},
		{"a planned change", func(w *world, tree string) { w.write(tree+"/src/a.go", "x") }, nil},
		{"a planned file in a new folder", func(w *world, tree string) { w.write(tree+"/src/new/deep.go", "x") }, nil},
		{"a generated folder", func(w *world, tree string) { w.write(tree+"/gen/x/y", "x") }, nil},
		{"staged only", func(w *world, tree string) { w.write(tree+"/src/a.go", "x"); w.gitIn(tree, "add", ".") }, nil},
		{"two commits", func(w *world, tree string) {
			for _, text := range []string{"x", "y"} {
				w.write(tree+"/src/a.go", text)
				w.gitIn(tree, "commit", "-qam", text)
			}
		}, nil},
		{"an unplanned change", func(w *world, tree string) { w.write(tree+"/src/b.go", "x") }, []string{"TREE/src/b.go tree"}},
		{"an unplanned commit", func(w *world, tree string) { w.write(tree+"/src/b.go", "x"); w.gitIn(tree, "commit", "-qam", "b") }, []string{"TREE/src/b.go tree"}},
		{"an unplanned commit taken back", func(w *world, tree string) {
			w.write(tree+"/other", "x")
			w.gitIn(tree, "add", ".")
			w.gitIn(tree, "commit", "-qm", "b")
			w.gitIn(tree, "rm", "-q", "other")
			w.gitIn(tree, "commit", "-qm", "c")
		}, []string{"TREE/other git-ref"}},
		{"an artifact in a commit", func(w *world, tree string) {
			w.write(tree+"/.okstra/out/result.md", "x")
			w.gitIn(tree, "add", "-f", ".")
			w.gitIn(tree, "commit", "-qm", "b")
		}, []string{"TREE/.okstra tree", "TREE/.okstra/out tree", "TREE/.okstra/out/result.md tree"}},
		{"a merge", func(w *world, tree string) {
			w.write(tree+"/src/a.go", "x")
			w.gitIn(tree, "commit", "-qam", "x")
			w.gitIn(tree, "merge", "-q", "--no-edit", "sibling")
		}, []string{"refs/heads/feat git-ref", "TREE/src/b.go tree"}},
		{"an amended base", func(w *world, tree string) { w.gitIn(tree, "commit", "-q", "--amend", "-m", "other") }, []string{"refs/heads/feat git-ref"}},
		{"a reset behind the base", func(w *world, tree string) { w.gitIn(tree, "reset", "-q", "--hard", "HEAD~1") }, []string{"refs/heads/feat git-ref", "TREE/src/first tree"}},
		{"another branch", func(w *world, tree string) { w.gitIn(tree, "checkout", "-q", "-b", "mine") }, []string{"HEAD git-ref"}},
		{"a detached HEAD", func(w *world, tree string) { w.gitIn(tree, "checkout", "-q", "--detach") }, []string{"HEAD git-ref"}},
		{"a branch that is gone", func(w *world, tree string) {
			w.gitIn(tree, "checkout", "-q", "--detach")
			w.gitIn(tree, "update-ref", "-d", "refs/heads/feat")
		}, []string{"HEAD git-ref", "refs/heads/feat git-ref"}},
		{"hidden from git", func(w *world, tree string) { w.gitIn(tree, "update-index", "--skip-worktree", "src/b.go") }, []string{"TREE/src/b.go git-index"}},
		{"the main checkout", func(w *world, _ string) { w.write("src/a.go", "x") }, []string{"src/a.go tree"}},
		{"a lock of its own left behind", func(w *world, tree string) {
			w.write(w.gitIn(tree, "rev-parse", "--absolute-git-dir")+"/index.lock", "")
		}, nil},
		{"orders for a rebase", func(w *world, tree string) {
			own := w.gitIn(tree, "rev-parse", "--absolute-git-dir")
			w.write(own+"/rebase-merge/git-rebase-todo", "exec touch /tmp/x\n")
		}, []string{".git/worktrees/tree/rebase-merge git-ref", ".git/worktrees/tree/rebase-merge/git-rebase-todo git-ref"}},
		{"a rebase that ended", func(w *world, tree string) {
			w.write(tree+"/src/a.go", "x")
			w.gitIn(tree, "commit", "-qam", "x")
			w.gitIn(tree, "rebase", "-q", "--force-rebase", "HEAD~1")
		}, nil},
		{"a replaced base", func(w *world, tree string) {
			// A forged parent must not make a stranger a descendant.
			stranger := w.gitIn(tree, "commit-tree", "-m", "stranger", "HEAD^{tree}")
			forged := w.gitIn(tree, "commit-tree", "-m", "forged", "-p", "HEAD", "HEAD^{tree}")
			w.gitIn(tree, "replace", stranger, forged)
			w.gitIn(tree, "update-ref", "refs/heads/feat", stranger)
		}, []string{"refs/heads/feat git-ref"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, tree, sibling := linkedWorld(t)
			w.write(sibling+"/src/b.go", "sibling")
			w.gitIn(sibling, "commit", "-qam", "sibling")
			w.write(tree+"/src/first", "1")
			w.gitIn(tree, "add", ".")
			w.gitIn(tree, "commit", "-qm", "first")
			f := w.around(w.linkedScope(tree, w.implementer(tree)), func() { tt.do(w, tree) })
			var got []string
			for _, c := range f.Violations {
				got = append(got, strings.ReplaceAll(c.Path, tree, "TREE")+" "+c.Surface)
			}
			if diff := cmp.Diff(sorted(tt.bad), sorted(got)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\nall: %q", diff, lines(f.Changes))
			}
		})
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func TestContentThatIsProvedEqualIsMetadata(t *testing.T) {
	w := newWorld(t)
	touch := func(name string) func() {
		return func() { now := time.Now(); w.must(os.Chtimes(w.abs(name), now, now)) }
	}
	w.write("untracked", "x")
	w.write("src/b.go", "package c\n") // tracked, with work that is not committed
	for _, tt := range []struct {
		name string
		do   func()
		want []string
	}{
		{"tracked and touched", touch("src/a.go"), []string{"src/a.go tree metadata unplanned"}},
		{"tracked and written again", func() { w.write("src/a.go", "package a\n") }, []string{"src/a.go tree metadata unplanned"}},
		{"tracked and replaced by an equal one", func() {
			w.write("../a", "package a\n")
			w.must(os.Rename(filepath.Join(w.top, "a"), w.abs("src/a.go")))
		}, []string{"src/a.go tree metadata unplanned"}},
		{"tracked and changed", func() { w.write("src/a.go", "package z\n") }, []string{"src/a.go tree modified unplanned"}},
		{"untracked and touched", touch("untracked"), []string{"untracked tree modified unplanned"}},
		{"uncommitted work undone", func() { w.write("src/b.go", "package b\n") }, []string{"src/b.go tree modified unplanned"}},
		{"hard link", func() { w.must(os.Link(w.abs("src/a.go"), filepath.Join(w.top, "link"))) }, []string{"src/a.go tree metadata unplanned"}},
	} {
		w.write("src/a.go", "package a\n")
		w.age()
		if diff := cmp.Diff(tt.want, lines(w.around(w.scope(), tt.do).Changes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestARefreshedIndexIsNobodysChange(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	w.must(os.Chtimes(w.abs("src/a.go"), now.Add(-time.Minute), now.Add(-time.Minute)))
	f := w.around(w.scope(), func() { w.git("status") })
	if diff := cmp.Diff([]string{".git/index git-index metadata unattributed"}, lines(f.Changes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPackingRefsMovesNone(t *testing.T) {
	w := newWorld(t)
	w.git("tag", "v1")
	if f := w.around(w.scope(), func() { w.git("pack-refs", "--all") }); len(f.Changes) != 0 {
		t.Errorf("changes %q", lines(f.Changes))
	}
}

func TestABrokenRepositoryIsToldByItsFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"HEAD destroyed", func(w *world) { w.write(".git/HEAD", "junk") }, ".git/HEAD tree modified protected"},
		{"configuration destroyed", func(w *world) { w.write(".git/config", "[") }, ".git/config tree modified protected"},
		{"index destroyed", func(w *world) { w.write(".git/index", "junk") }, ".git/index git-index modified protected"},
		{"git directory gone", func(w *world) { w.must(os.RemoveAll(w.abs(".git"))) }, ".git tree deleted protected"},
		{"refs gone", func(w *world) { w.must(os.RemoveAll(w.abs(".git/refs"))) }, ".git/refs tree deleted protected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			scope := w.scope()
			scope.Policies = []writepolicy.Policy{w.readonly(w.root)}
			f := w.around(scope, func() { tt.do(w) })
			if !slices.Contains(lines(f.Violations), tt.want) {
				t.Errorf("no %q among %q", tt.want, lines(f.Changes))
			}
		})
	}
}

func TestW12AuthorityNamesEveryMismatchInOrder(t *testing.T) {
	w := newWorld(t)
	p, q := w.readonly(w.root), w.implementer(w.root)
	snap := func(root, artifacts string, digests ...string) *Snapshot {
		return &Snapshot{Root: root, ArtifactRoot: artifacts, PolicyDigests: digests}
	}
	for _, tt := range []struct {
		name          string
		before, after *Snapshot
		policies      []writepolicy.Policy
		want          string
	}{
		{"all fits", snap("/a", "/b", p.Digest), snap("/a", "/b", "whatever"), []writepolicy.Policy{p}, ""},
		{"none and none", snap("/a", "/b"), snap("/a", "/b"), nil, ""},
		{"root", snap("/a", "/b", p.Digest), snap("/c", "/b"), []writepolicy.Policy{p}, "root /a != /c"},
		{"artifact root", snap("/a", "/b", p.Digest), snap("/a", "/d"), []writepolicy.Policy{p}, "artifactRoot /b != /d"},
		{"digest of another attempt", snap("/a", "/b", p.Digest), snap("/a", "/b"), []writepolicy.Policy{q}, "policyDigests snapshot=" + p.Digest + " policies=" + q.Digest},
		{"W10 another order", snap("/a", "/b", p.Digest, q.Digest), snap("/a", "/b"), []writepolicy.Policy{q, p}, "policyDigests snapshot=" + p.Digest + "," + q.Digest + " policies=" + q.Digest + "," + p.Digest},
		{"everything", snap("/a", "/b", "d1", "d2"), snap("/c", "/d"), []writepolicy.Policy{p}, "root /a != /c; artifactRoot /b != /d; policyDigests snapshot=d1,d2 policies=" + p.Digest},
	} {
		err := CheckAuthority(tt.before, tt.after, tt.policies)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		e, ok := errors.AsType[*AuthorityError](err)
		if want := "mutation snapshot does not match batch policies: " + tt.want; !ok || e.Error() != want {
			t.Errorf("%s: %v, want %s", tt.name, err, want)
		}
	}
}

// A peer that completed with changes in round one must not count against the
// retry of another: the baseline of round two has its changes in it.
func TestW11APeersChangesDoNotPoisonRoundTwo(t *testing.T) {
	w := newWorld(t)
	first := w.readonly(w.root).WritePolicy
	second := w.readonly(w.root).WritePolicy
	second.ArtifactPolicy.AllowedPaths = []string{".okstra/out/result.attempt-2.md"}
	one, two := w.policy(first), w.policy(second)
	scope := w.scope()
	scope.Policies = []writepolicy.Policy{one}
	stale := w.take(scope)
	w.write("src/b.go", "package peer\n")
	scope.Policies = []writepolicy.Policy{two}
	if err := CheckAuthority(stale, w.take(scope), scope.Policies); err == nil {
		t.Error("the baseline of round one fits the contracts of round two")
	}
	fresh := w.take(scope)
	w.write(".okstra/out/result.attempt-2.md", "done")
	after := w.take(scope)
	w.must(CheckAuthority(fresh, after, scope.Policies))
	f, err := Judge(t.Context(), fresh, after, Rules{Policies: scope.Policies, Environ: w.env})
	w.must(err)
	if diff := cmp.Diff([]string{".okstra tree created artifact", ".okstra/out tree created artifact", ".okstra/out/result.attempt-2.md tree created artifact"}, lines(f.Changes)); diff != "" || len(f.Violations) != 0 {
		t.Errorf("violations %q, changes (-want +got):\n%s", lines(f.Violations), diff)
	}
}

func TestScopeOfARound(t *testing.T) {
	w, tree, _ := linkedWorld(t)
	if _, err := ScopeOf(nil, w.env); err == nil {
		t.Error("a scope of no policies")
	}
	if _, err := ScopeOf([]writepolicy.Policy{w.readonly(w.root), w.readonly(tree)}, w.env); err == nil {
		t.Error("a scope of two trees")
	}
	s, err := ScopeOf([]writepolicy.Policy{w.readonly(tree), w.implementer(tree)}, w.env)
	w.must(err)
	if s.Root != tree || s.ArtifactRoot != w.root {
		t.Errorf("scope %+v", s)
	}
}

func TestUnobservedEntriesLowerTheCoverage(t *testing.T) {
	e := run.WriteEnforcement{BoundaryPrecision: "directory-boundary", MutationAudit: "batch", Attribution: "batch-unattributed", ObservationCoverage: "scoped", UnobservedWriteSurfaces: []string{}, AuditedRoots: []string{}}
	if got := Observed(e, Findings{}); got.ObservationCoverage != "scoped" {
		t.Errorf("coverage %s without reason", got.ObservationCoverage)
	}
	got := Observed(e, Findings{Unobserved: []string{"x"}})
	if got.ObservationCoverage != "partial" || !slices.Equal(got.UnobservedWriteSurfaces, []string{SurfaceUnreadable}) || len(e.UnobservedWriteSurfaces) != 0 {
		t.Errorf("enforcement %+v", got)
	}
}
