package dispatch

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/audit"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// openBoundary takes the job's artifacts out of the boundary, when its last
// process is gone.
func (a *attempt) openBoundary() {
	if a.end.Report.StartError != nil {
		return
	}
	if !a.end.Report.KillVerified {
		a.boxErr = errors.New("processes are still alive, so nothing can be said about what they change")
		return
	}
	a.boxErr = a.box.Settle(func(path string, made bool) string { return classOf(a.policy, path, made) })
	for _, m := range a.box.Record().Mutations {
		if m.CopiedOut {
			a.own.wrote(run.Abs(a.policy.ArtifactPolicy.AllowedRoot, m.Path))
		}
	}
}

// keptBack tells of an artifact that is not where it belongs because the disk
// is full. What the job changed is known then.
func (a *attempt) keptBack() *boundary.FullDiskError {
	full, _ := errors.AsType[*boundary.FullDiskError](a.boxErr)
	return full
}

// byCall is the judgement from what the boundary saw. One that does not see
// what is written gives none: of a job without any audit nothing is known.
func (a *attempt) byCall() judgement {
	j := judgement{audit: run.Audit{Verdict: "clean", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}}
	if a.boxErr != nil && a.keptBack() == nil {
		j.audit.Verdict, j.audit.Error, j.failed = "error", oneLine(a.boxErr.Error()), true
		return j
	}
	if a.box.Record().Kind != boundary.Overlay {
		j.audit.Verdict, j.audit.Attribution, j.mutation = "not-needed", "batch-unattributed", MutationUnknown
		return j
	}
	for _, m := range a.box.Record().Mutations {
		change := run.Change{Path: m.Path, Surface: surfaceOf(m.Path), Change: m.Change, Class: m.Class}
		j.audit.Changes = append(j.audit.Changes, change)
		if audit.IsViolation(m.Class) {
			j.audit.Violations = append(j.audit.Violations, change)
		}
	}
	j.mutation = mutationOf(j.audit)
	if j.mutation == MutationViolation {
		j.audit.Verdict = "violation"
	}
	return j
}

// withCall adds what the job's overlay saw to its share of the round's audit:
// what it changed in its private copies is in no snapshot of the trees. Where
// its own list alone tells of violations, they are its own.
func (a *attempt) withCall(shared judgement) judgement {
	if a.box.Record().Kind != boundary.Overlay || shared.failed {
		return shared
	}
	call := a.byCall()
	if call.failed {
		return failedAudit(a.boxErr)
	}
	both := shared.audit
	both.Changes = slices.Concat(call.audit.Changes, both.Changes)
	both.Violations = slices.Concat(call.audit.Violations, both.Violations)
	if len(shared.audit.Violations) == 0 && len(both.Violations) > 0 {
		both.Verdict, both.Attribution = "violation", "call"
	}
	return judgement{audit: both, mutation: mutationOf(both)}
}

// classOf gives the class of a path that an overlay shows as changed. A folder
// that had to be made for an artifact is part of it; one that was removed, or
// replaced by a link, is not.
func classOf(p writepolicy.Policy, path string, made bool) string {
	full := run.Abs(p.ArtifactPolicy.AllowedRoot, path)
	class := audit.Class([]writepolicy.Policy{p}, full)
	if made && audit.IsViolation(class) && slices.ContainsFunc(p.ArtifactPolicy.AllowedPaths, func(name string) bool {
		return strings.HasPrefix(filepath.Join(p.ArtifactPolicy.AllowedRoot, name), full+"/")
	}) {
		return audit.ClassArtifact
	}
	return class
}

// mutationOf sums changes up in one word.
func mutationOf(a run.Audit) string {
	word := MutationNone
	for _, c := range a.Changes {
		switch {
		case c.Class == audit.ClassPlanned || c.Class == audit.ClassGenerated:
			word = MutationChanged
		case c.Class == audit.ClassArtifact && word == MutationNone:
			word = MutationArtifactOnly
		}
	}
	if len(a.Violations) > 0 {
		return MutationViolation
	}
	return word
}

// surfaceOf is the surface to which a path of an overlay belongs.
func surfaceOf(path string) string {
	rest, ok := strings.CutPrefix(path, ".git/")
	if !ok {
		return "tree"
	}
	for _, s := range []struct{ prefix, surface string }{
		{"hooks/", "git-hook"},
		{"config", "git-config"},
		{"info/", "git-info"},
		{"logs/", "git-reflog"},
		{"refs/stash", "git-stash"},
		{"refs/", "git-ref"},
		{"HEAD", "git-ref"},
		{"packed-refs", "git-ref"},
		{"index", "git-index"},
		{"worktrees/", "worktree"},
	} {
		if strings.HasSuffix(rest, ".lock") {
			return "lock"
		}
		if strings.HasPrefix(rest, s.prefix) {
			return s.surface
		}
	}
	return "tree"
}
