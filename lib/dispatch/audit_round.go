package dispatch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/audit"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// A round is judged by what its tree looked like before the first and after
// the last of its jobs. Every round has a baseline of its own, because the
// contract of a retry has another digest than that of the attempt before; what
// peers changed in an earlier round was judged then.

// auditRound is the audit of the jobs of a round that work in one tree.
type auditRound struct {
	number   int
	tasks    map[*task]bool
	policies []writepolicy.Policy // in job order
	scope    audit.Scope
	before   *audit.Snapshot
	path     string // of the baseline, as documents name it
	own      func(path string) bool
	environ  []string
	// sandboxDirs are folders at the top of the tree, as documents name them,
	// that the sandbox of a CLI of this round makes and may leave behind empty.
	sandboxDirs []string
}

// audits are all audits of one round, one for each tree.
type audits []*auditRound

func (l audits) of(t *task) *auditRound {
	for _, r := range l {
		if r.tasks[t] {
			return r
		}
	}
	return nil
}

// openAudits takes the baselines that the round needs: one for every tree in
// which a job works that is not judged by its own boundary.
func (e *engine) openAudits(ctx context.Context, tasks []*task) (audits, error) {
	var list audits
	trees := map[string]*auditRound{}
	for _, t := range tasks {
		contract, err := e.contracts.forAttempt(t.job, t.manifest, t.first, t.boundary)
		if err != nil {
			return nil, err
		}
		policy, err := writepolicy.FromRun(contract.WritePolicy)
		if err != nil {
			return nil, err
		}
		if contract.WriteEnforcement.MutationAudit != "batch" || t.boundary == boundary.Overlay && policy.SourcePolicy.Mode == writepolicy.SourceReadonly {
			continue
		}
		key := policy.SourcePolicy.AllowedRoot + "\x00" + policy.ArtifactPolicy.AllowedRoot
		r := trees[key]
		if r == nil {
			r = &auditRound{tasks: map[*task]bool{}, environ: e.host.Environ, own: e.own.has}
			trees[key], list = r, append(list, r)
		}
		r.tasks[t] = true
		r.policies = append(r.policies, policy)
		for _, dir := range t.row.SandboxDirs {
			r.sandboxDirs = append(r.sandboxDirs, run.Rel(policy.ArtifactPolicy.AllowedRoot, filepath.Join(policy.SourcePolicy.AllowedRoot, dir)))
		}
	}
	for i, r := range list {
		if i > 0 {
			e.round++
		}
		r.number = e.round
		if err := r.takeBaseline(ctx, e, tasks); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r *auditRound) takeBaseline(ctx context.Context, e *engine, tasks []*task) (err error) {
	if r.scope, err = audit.ScopeOf(r.policies, r.environ); err != nil {
		return err
	}
	if r.before, err = audit.Take(ctx, r.scope); err != nil {
		return fmt.Errorf("baseline of the audit: %w", err)
	}
	for _, t := range tasks {
		if r.tasks[t] && t.manifest != nil {
			r.path = t.manifest.Folder().AuditSnapshot(r.number)
			path := run.Abs(t.job.ProjectRoot, r.path)
			return e.own.write(path, func() error { return atomicfile.Write(path, r.before.Encode(), 0o644) })
		}
	}
	return nil
}

// judge gives the judgement about each attempt of the round, in the order of
// held. A violation stands against every one of them: nothing tells who it was.
func (r *auditRound) judge(ctx context.Context, held []*attempt) []judgement {
	found, err := r.findings(ctx, held)
	list := make([]judgement, len(held))
	for i, a := range held {
		if err != nil {
			list[i] = failedAudit(err)
			continue
		}
		list[i] = a.withCall(share(found, a.policy, a.t.boundary))
		if len(found.Unobserved) > 0 {
			a.warnings = append(a.warnings, fmt.Sprintf("unobserved: %d paths could not be looked at, the first is %s", len(found.Unobserved), found.Unobserved[0]))
			seen := audit.Observed(*a.sidecar.WriteEnforcement, found)
			a.sidecar.WriteEnforcement = &seen
		}
	}
	return list
}

func failedAudit(err error) judgement {
	return judgement{mutation: MutationUnknown, failed: true, audit: run.Audit{
		Verdict: "error", Attribution: "batch-unattributed", Changes: []run.Change{}, Violations: []run.Change{}, Error: oneLine(err.Error()),
	}}
}

func (r *auditRound) findings(ctx context.Context, held []*attempt) (audit.Findings, error) {
	for _, a := range held {
		if !a.end.Report.KillVerified {
			return audit.Findings{}, errors.New("processes of the round are still alive, so nothing can be said about the tree")
		}
	}
	found, err := compare(ctx, r.scope, r.before, r.policies, r.own)
	return ownScratch(found, r.sandboxDirs), err
}

// ownScratch gives the folders that a CLI's own sandbox made, and left behind
// when it was killed, the class of scratch: new ones, and only while they are
// empty. They stay among the changes.
func ownScratch(found audit.Findings, dirs []string) audit.Findings {
	left := func(c run.Change) bool {
		return c.Change == audit.Created && c.Detail == "directory" && slices.Contains(dirs, c.Path) &&
			!slices.ContainsFunc(found.Changes, func(other run.Change) bool { return strings.HasPrefix(other.Path, c.Path+"/") })
	}
	changes := slices.Clone(found.Changes)
	for i, c := range changes {
		if left(c) {
			changes[i].Class = audit.ClassScratch
		}
	}
	found.Violations = slices.DeleteFunc(slices.Clone(found.Violations), left)
	found.Changes = changes
	return found
}

// auditTime bounds a look at a tree and its judgement: what a worker left may
// be made to keep git waiting.
const auditTime = 15 * time.Minute

// compare judges a tree against an earlier snapshot of it.
func compare(ctx context.Context, scope audit.Scope, before *audit.Snapshot, policies []writepolicy.Policy, own func(string) bool) (audit.Findings, error) {
	ctx, cancel := context.WithTimeout(ctx, auditTime)
	defer cancel()
	after, err := audit.Take(ctx, scope)
	if err != nil {
		return audit.Findings{}, err
	}
	if err := audit.CheckAuthority(before, after, policies); err != nil {
		return audit.Findings{}, err
	}
	if err := audit.Prove(ctx, before, after, scope.Environ); err != nil {
		return audit.Findings{}, err
	}
	return audit.Judge(ctx, before, after, audit.Rules{Policies: policies, Own: own, Environ: scope.Environ})
}

// share is the part of a round's findings that concerns one of its jobs: what
// its own policy allows, and everything that nobody was allowed. An overlay
// clears its job of what happened in the trees that it held: there, the job
// wrote into a private copy.
func share(found audit.Findings, own writepolicy.Policy, kind string) judgement {
	j := judgement{audit: run.Audit{Verdict: "clean", Attribution: "batch-unattributed", Changes: []run.Change{}, Violations: []run.Change{}}}
	if kind == boundary.Overlay {
		found = inPlace(found, own)
	}
	j.audit.Violations = append(j.audit.Violations, found.Violations...)
	for _, c := range found.Changes {
		mine := audit.IsViolation(c.Class) || c.Class == audit.ClassUnattributed || c.Surface == "git-ref"
		if mine || classOf(own, c.Path, true) == c.Class {
			j.audit.Changes = append(j.audit.Changes, c)
		}
	}
	if len(found.Violations) > 0 {
		j.audit.Verdict = "violation"
	}
	j.mutation = mutationOf(j.audit)
	return j
}

// inPlace leaves the changes that a job inside an overlay can have made to the
// trees themselves: those of git, and of what its policy has it write in place.
// Nothing is cleared whose name cannot be told for certain, being quoted.
func inPlace(found audit.Findings, own writepolicy.Policy) audit.Findings {
	places, root := boundary.InPlace(&own.WritePolicy), own.ArtifactPolicy.AllowedRoot
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	held := func(c run.Change) bool {
		if c.Surface != audit.SurfaceTree && c.Surface != audit.SurfaceIgnored || strings.HasPrefix(c.Path, `"`) {
			return false
		}
		full := run.Abs(root, c.Path)
		return !slices.ContainsFunc(places, func(place string) bool { return run.Within(full, place) })
	}
	found.Changes = slices.DeleteFunc(slices.Clone(found.Changes), held)
	found.Violations = slices.DeleteFunc(slices.Clone(found.Violations), held)
	return found
}

// lostRound judges lost attempts against the baseline of their round, which
// lies where their sidecars say.
func (h *history) lostRound(ctx context.Context, host Host, lost *past) judgement {
	sidecar := lost.sidecarOrNew()
	if b := sidecar.Boundary; b != nil && b.Kind == boundary.Overlay && sidecar.WritePolicy.SourcePolicy.Mode == writepolicy.SourceReadonly {
		// What it changed lay in its overlay, which nobody kept.
		return judgement{mutation: MutationNone, audit: run.Audit{Verdict: "clean", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}}
	}
	if !lost.ran() {
		return judgement{mutation: MutationNone, audit: run.Audit{Verdict: "not-needed", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}}
	}
	if sidecar.BaselinePath == "" {
		return failedAudit(errors.New("no baseline was kept to audit it against"))
	}
	found, own, err := h.compareRound(ctx, host, sidecar)
	if err != nil {
		return failedAudit(err)
	}
	kind := ""
	if sidecar.Boundary != nil {
		kind = sidecar.Boundary.Kind
	}
	return share(found, own, kind)
}

func (h *history) compareRound(ctx context.Context, host Host, sidecar run.Attempt) (audit.Findings, writepolicy.Policy, error) {
	own, err := writepolicy.FromRun(sidecar.WritePolicy)
	if err != nil {
		return audit.Findings{}, own, err
	}
	before, err := audit.ReadFile(run.Abs(h.manifest.ProjectRoot, sidecar.BaselinePath))
	if err != nil {
		return audit.Findings{}, own, err
	}
	policies, err := h.roundOf(sidecar.BaselinePath, before.PolicyDigests)
	if err != nil {
		return audit.Findings{}, own, err
	}
	scope, err := audit.ScopeOf(policies, host.Environ)
	if err != nil {
		return audit.Findings{}, own, err
	}
	found, err := compare(ctx, scope, before, policies, h.ownPaths(host).has)
	return found, own, err
}

// ownPaths are what dispatchers wrote for the jobs of a run, and the lead
// since: only the names are known any more.
func (h *history) ownPaths(host Host) *ownPaths {
	var tasks []*task
	for _, id := range h.record.order {
		tasks = append(tasks, &task{job: h.record.entries[id].job, manifest: &h.manifest})
	}
	own := ownPathsOf(tasks)
	own.share(run.Abs(h.manifest.ProjectRoot, h.manifest.JournalPath))
	own.manifest(h.manifest)
	for _, t := range tasks {
		if path := t.job.ErrorsSidecarPath; path != "" {
			own.shareNumbered(run.Abs(t.job.ProjectRoot, path) + ".old-")
		}
		known := h.attempts[t.job.JobID]
		next := len(known) + 1 // killed while it was written, it is no attempt yet
		own.begun(attemptPaths(t.job.ProjectRoot, t.job.PromptPath, next), next)
		for _, p := range known {
			own.past(p)
			for _, path := range p.homes(host) {
				own.folder(path)
			}
		}
	}
	return own
}

// roundOf finds the policies of a round, in the order of its baseline. A job
// of the round that never got a sidecar is known by its job line.
func (h *history) roundOf(baseline string, digests []string) ([]writepolicy.Policy, error) {
	known := map[string]*run.WritePolicy{}
	for _, id := range h.record.order {
		job := h.record.entries[id].job
		known[job.WritePolicyDigest] = job.WritePolicy
		for _, p := range h.attempts[id] {
			if p.sidecar != nil {
				known[p.sidecar.WritePolicyDigest] = p.sidecar.WritePolicy
			}
		}
	}
	policies := make([]writepolicy.Policy, len(digests))
	for i, sum := range digests {
		policy, err := writepolicy.FromRun(known[sum])
		if err != nil {
			return nil, fmt.Errorf("%s: policy %s: %w", baseline, sum, err)
		}
		policies[i] = policy
	}
	return policies, nil
}

// openAudit takes the baseline for a wrapped command, where it has a policy
// that no overlay holds alone.
func (w *wrapping) openAudit(ctx context.Context) (func(context.Context) judgement, error) {
	unknown := func(context.Context) judgement { return judgement{mutation: MutationUnknown} }
	if w.order.Policy == nil {
		return unknown, nil
	}
	policy, err := writepolicy.Load(*w.order.Policy)
	if err != nil {
		return nil, err
	}
	kind := w.box.Record().Kind
	a := &attempt{box: w.box, policy: policy, own: w.own}
	settle := func() {
		a.end.Report = w.report
		a.openBoundary()
		w.keptBack = a.keptBack()
	}
	if kind == boundary.Overlay && policy.SourcePolicy.Mode == writepolicy.SourceReadonly {
		return func(context.Context) judgement {
			settle()
			return a.byCall()
		}, nil
	}
	policies := []writepolicy.Policy{policy}
	scope, err := audit.ScopeOf(policies, w.host.Environ)
	if err != nil {
		return nil, err
	}
	before, err := audit.Take(ctx, scope)
	if err != nil {
		return nil, err
	}
	w.own.attempt(w.files)
	return func(ctx context.Context) judgement {
		settle()
		if a.boxErr != nil && a.keptBack() == nil {
			return failedAudit(a.boxErr)
		}
		found, err := compare(ctx, scope, before, policies, w.own.has)
		if err != nil {
			return failedAudit(err)
		}
		return a.withCall(share(found, policy, kind))
	}, nil
}
