package audit

import (
	"fmt"
	"path/filepath"

	"okstra/lib/writepolicy"
)

// chain tells why the commits from a policy's base to a tip are no chain that
// the policy allows, "" if they are. Paths of the commits that were not
// planned become changes of their own, unless the tree shows them already.
//
// The commits are allowed when they lead from the base to the tip with one
// parent each:
//
//	base ── c1 ── c2 ── tip        allowed
//	base ── c1 ──┬── tip           a merge: c1's child has two parents
//	      other ─┘
//	older ── tip                   the base is not behind the tip
func (j *judge) chain(p *writepolicy.Policy, tip string) (fault string, err error) {
	if tip == "" {
		return "the branch is gone", nil
	}
	base, err := j.repo.Commit(j.ctx, p.GitPolicy.ExpectedBaseCommit)
	if err != nil {
		return "", fmt.Errorf("expected base %s: %w", p.GitPolicy.ExpectedBaseCommit, err)
	}
	descends, err := j.repo.IsAncestor(j.ctx, base, tip)
	if err != nil {
		return "", err
	}
	if !descends {
		return fmt.Sprintf("the tip does not descend from the base %.8s", base), nil
	}
	commits, err := j.repo.Commits(j.ctx, base, tip)
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		if len(c.Parents) != 1 {
			return fmt.Sprintf("commit %.8s has %d parents", c.ID, len(c.Parents)), nil
		}
	}
	touched, err := j.repo.Touched(j.ctx, commits)
	if err != nil {
		return "", err
	}
	for _, path := range touched {
		full := filepath.Join(p.SourcePolicy.AllowedRoot, path)
		class := Class([]writepolicy.Policy{*p}, full)
		if class == ClassPlanned || class == ClassGenerated || j.seen[full] && IsViolation(class) {
			continue
		}
		if !IsViolation(class) { // an artifact does not belong into a commit
			class = ClassUnplanned
		}
		j.add(j.display(full), SurfaceRef, Modified, class, "in the commits of "+p.GitPolicy.AllowedBranchRef)
	}
	return "", nil
}
