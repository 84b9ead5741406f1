package dispatch

import (
	"context"
	"fmt"

	"okstra/lib/dispatch/boundary"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// contracts makes the write policies of jobs and attempts.
type contracts struct{ machine writepolicy.Machine }

// derive gives a job its write policy and what planning expects to be able to
// promise about it. A policy that the job line brings along must be the one
// that its own terms give; that of an implementer, which names the commit that
// it began from, must be sound.
func (c contracts) derive(ctx context.Context, job *run.Job, m *run.Manifest) error {
	if job.WritePolicy != nil && job.Role == run.RoleImplementer {
		return c.keep(job)
	}
	policy, enforcement, err := c.machine.Contract(ctx, writepolicy.Terms{
		Role: job.Role, ProjectRoot: job.ProjectRoot, Worktree: run.Abs(job.ProjectRoot, job.WorktreePath),
		ArtifactPaths: artifactPaths(*job, m, 1), Maximum: job.MaxBoundaryPrecision, PlannedPaths: job.PlannedPaths,
		ScratchRoots: job.ScratchRoots, GeneratedPaths: job.GeneratedPaths,
		AuxiliaryRoots: job.AuxiliaryRoots, ValidatedAuxiliaryRoots: job.AuxiliaryRoots,
	})
	if err != nil {
		return err
	}
	if job.WritePolicyDigest != "" && job.WritePolicyDigest != policy.Digest {
		return &PlanError{Problems: []error{fmt.Errorf("writePolicyDigest %s is not that of the job's own terms (expected %s)", job.WritePolicyDigest, policy.Digest)}}
	}
	job.WritePolicy, job.WritePolicyDigest, job.WriteEnforcement = &policy.WritePolicy, policy.Digest, &enforcement
	return nil
}

func (c contracts) keep(job *run.Job) error {
	policy, err := writepolicy.FromRun(job.WritePolicy)
	if err != nil {
		return err
	}
	if job.WritePolicyDigest != "" && job.WritePolicyDigest != policy.Digest {
		return &PlanError{Problems: []error{fmt.Errorf("writePolicyDigest %s is not that of writePolicy (expected %s)", job.WritePolicyDigest, policy.Digest)}}
	}
	enforcement, err := c.machine.Derive(policy, job.MaxBoundaryPrecision, job.Role)
	if err != nil {
		return err
	}
	job.WritePolicyDigest, job.WriteEnforcement = policy.Digest, &enforcement
	return nil
}

// forAttempt is the contract of one attempt: the job's policy with the errors
// sidecar of that attempt, and what the boundary in force allows to promise.
// Precision is earned: it is never more than the boundary gives.
func (c contracts) forAttempt(job run.Job, m *run.Manifest, n int, kind string) (run.Job, error) {
	policy := policyOfAttempt(job, m, n)
	checked, err := writepolicy.FromRun(&policy)
	if err != nil {
		return job, err
	}
	enforcement, err := c.machine.Derive(checked, writepolicy.Lower(job.MaxBoundaryPrecision, boundary.Precision(kind)), job.Role)
	if err != nil {
		return job, err
	}
	job.WritePolicy, job.WritePolicyDigest, job.WriteEnforcement = &policy, checked.Digest, &enforcement
	return job, nil
}

// policyOfAttempt is the job's policy with the errors sidecar of attempt n.
func policyOfAttempt(job run.Job, m *run.Manifest, n int) run.WritePolicy {
	policy := *job.WritePolicy
	if n > 1 {
		list := artifactPaths(job, m, n)
		for i, path := range list {
			list[i] = run.Rel(policy.ArtifactPolicy.AllowedRoot, run.Abs(job.ProjectRoot, path))
		}
		policy.ArtifactPolicy.AllowedPaths = list
	}
	return policy
}

// checkPolicy holds the policy in the sidecar of a past attempt against the one
// that its job was accepted with, and against the digest beside it.
func (p *past) checkPolicy(m *run.Manifest) error {
	if p.sidecar == nil || p.job.WritePolicy == nil {
		return nil
	}
	policy := policyOfAttempt(p.job, m, p.n)
	accepted, err := writepolicy.FromRun(&policy)
	if err != nil {
		return err
	}
	found, err := writepolicy.FromRun(p.sidecar.WritePolicy)
	if err != nil {
		return fmt.Errorf("write policy of %q: %w", p.files.Attempt, err)
	}
	for _, digest := range []string{found.Digest, p.sidecar.WritePolicyDigest} {
		if digest != accepted.Digest {
			return fmt.Errorf("write policy of %q is not the accepted one: %s (expected %s)", p.files.Attempt, digest, accepted.Digest)
		}
	}
	return nil
}

// plannedPaths are the paths that the approved plan gives to the run's stage.
func plannedPaths(m run.Manifest) ([]string, error) {
	doc, err := jsondoc.ReadFile(m.Folder().Abs(m.Folder().RunManifest()))
	if err != nil {
		return nil, err
	}
	return writepolicy.PlannedPaths(m.ProjectRoot, doc)
}
