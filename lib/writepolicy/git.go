package writepolicy

import (
	"context"
	"strings"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
)

// gitPolicy says what an implementer may do to its repository: lead one branch
// on from one commit, in a chain without a merge.
func gitPolicy(ctx context.Context, repo gitrepo.Repo, invocation object) (run.GitPolicy, error) {
	p := run.GitPolicy{Mode: GitFastForward, CommitMode: GitFastForward}
	var err error
	if p.WorktreeGitDir, err = repo.GitDir(ctx); err != nil {
		return p, asRefusal(err, "git names no git directory for "+repo.Dir)
	}
	if p.GitCommonDir, err = repo.CommonDir(ctx); err != nil {
		return p, asRefusal(err, "git names no common git directory for "+repo.Dir)
	}
	if p.ExpectedBaseCommit, err = requiredText(invocation, "expectedBaseCommit"); err != nil {
		return p, err
	}
	if p.AllowedBranchRef, err = requiredText(invocation, "allowedBranchRef"); err != nil {
		return p, err
	}
	if err := repo.HasCommit(ctx, p.ExpectedBaseCommit); err != nil {
		return p, asRefusal(err, "expected base "+p.ExpectedBaseCommit+" is no commit")
	}
	branch, err := branchOf(ctx, repo)
	if err != nil {
		return p, err
	}
	if branch != p.AllowedBranchRef || !strings.HasPrefix(branch, "refs/heads/") {
		return p, refuse("branch", "allowedBranchRef %q is not the branch of the assigned worktree, %q", p.AllowedBranchRef, branch)
	}
	return p, nil
}

// branchOf is the branch of a working tree. git says nothing when HEAD is
// detached.
func branchOf(ctx context.Context, repo gitrepo.Repo) (string, error) {
	branch, err := repo.Branch(ctx)
	return branch, asRefusal(err, "git gave no branch for "+repo.Dir+": its HEAD is detached")
}

func headOf(ctx context.Context, repo gitrepo.Repo) (string, error) {
	head, err := repo.Head(ctx)
	return head, asRefusal(err, "git gave no commit for the HEAD of "+repo.Dir)
}
