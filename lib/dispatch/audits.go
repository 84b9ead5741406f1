package dispatch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/dispatch/boundary"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// judgedByCall tells whether what the attempt changed is known from its own
// boundary: an overlay shows every change of a job that writes nothing in
// place. All others are judged together, by the audit of their round.
func (a *attempt) judgedByCall() bool {
	return a.t.boundary == boundary.Overlay && a.sidecar.WritePolicy.SourcePolicy.Mode == writepolicy.SourceReadonly
}

// openBoundary takes the job's artifacts out of the boundary, when its last
// process is gone.
func (a *attempt) openBoundary() {
	if a.end.Report.StartError != nil || !a.end.Report.KillVerified {
		return
	}
	a.boxErr = a.box.Settle(func(path string) string { return classOf(a.sidecar.WritePolicy, path) })
}

// classOf gives the class of a changed path by the policy of the job, the
// first that fits. path is relative to the artifact root, or absolute outside.
// A folder that had to be made for an artifact is part of it.
func classOf(p *run.WritePolicy, path string) string {
	abs := run.Abs(p.ArtifactPolicy.AllowedRoot, path)
	for _, artifact := range p.ArtifactPolicy.AllowedPaths {
		if full := filepath.Join(p.ArtifactPolicy.AllowedRoot, artifact); full == abs || below(full, abs) {
			return "artifact"
		}
	}
	for _, root := range p.AuxiliaryPolicy.ScratchRoots {
		if abs == root || below(abs, root) {
			return "scratch"
		}
	}
	rel, err := filepath.Rel(p.SourcePolicy.AllowedRoot, abs)
	if err != nil {
		return "unplanned"
	}
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(q string) bool { return rel == q || below(rel, q) })
	}
	switch {
	case in(p.SourcePolicy.ProtectedPaths):
		return "protected"
	case p.SourcePolicy.Mode != writepolicy.SourceMutation:
		return "unplanned"
	case slices.Contains(p.SourcePolicy.PlannedPaths, rel):
		return "planned"
	case in(p.AuxiliaryPolicy.GeneratedPaths):
		return "generated"
	}
	return "unplanned"
}

func below(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }

// byCall is the judgement from what the boundary saw.
func (a *attempt) byCall() judgement {
	j := judgement{audit: run.Audit{Verdict: "clean", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}}
	if a.boxErr != nil {
		j.audit.Verdict, j.audit.Error, j.failed = "error", oneLine(a.boxErr.Error()), true
		return j
	}
	for _, m := range a.box.Record().Mutations {
		change := run.Change{Path: m.Path, Surface: surfaceOf(m.Path), Change: m.Change, Class: m.Class}
		j.audit.Changes = append(j.audit.Changes, change)
		if m.Class == "protected" || m.Class == "unplanned" {
			j.audit.Violations = append(j.audit.Violations, change)
		}
	}
	j.mutation = mutationOf(j.audit)
	if j.mutation == MutationViolation {
		j.audit.Verdict = "violation"
	}
	return j
}

// mutationOf sums changes up in one word.
func mutationOf(a run.Audit) string {
	word := MutationNone
	for _, c := range a.Changes {
		switch {
		case c.Class == "planned" || c.Class == "generated":
			word = MutationChanged
		case c.Class == "artifact" && word == MutationNone:
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
		{"hooks/", "git-hook"}, {"config", "git-config"}, {"info/", "git-info"}, {"logs/", "git-reflog"}, {"refs/stash", "git-stash"},
		{"refs/", "git-ref"}, {"HEAD", "git-ref"}, {"packed-refs", "git-ref"}, {"index", "git-index"}, {"worktrees/", "worktree"},
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

// auditRound is the audit of one round.
type auditRound struct{}

func (r *auditRound) covers(a *attempt) bool { return false }
func (a *attempt) ownAudit() judgement {
	if a.judgedByCall() {
		return a.byCall()
	}
	return judgement{audit: run.Audit{Verdict: "not-needed", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}, mutation: MutationArtifactOnly}
}
func (e *engine) baselinePath(a *attempt) string { return "" }
func (e *engine) openAudit(ctx context.Context, tasks []*task) (*auditRound, error) {
	return &auditRound{}, nil
}
func (r *auditRound) judge(ctx context.Context, held []*attempt) []judgement { return nil }

func judgeLost(ctx context.Context, host Host, s run.Attempt, status *run.Status) judgement {
	return judgement{audit: run.Audit{Verdict: "error", Attribution: "batch", Changes: []run.Change{}, Violations: []run.Change{}, Error: "no baseline"}, mutation: MutationUnknown, failed: true}
}

func (w *wrapping) openAudit(ctx context.Context) (func(context.Context) judgement, error) {
	return func(context.Context) judgement { return judgement{mutation: MutationUnknown} }, nil
}
