package main

import (
	"context"

	"okstra/lib/gitrepo"
)

// repository answers the wizard's questions about refs for one call.
type repository struct {
	ctx  context.Context
	repo gitrepo.Repo
}

// Head is the commit that is checked out.
func (r repository) Head() (string, error) { return r.repo.Head(r.ctx) }

// Commit is the full commit that a ref names.
func (r repository) Commit(ref string) (string, error) { return r.repo.Commit(r.ctx, ref) }

// DefaultBranch is the branch that the remote calls its default, else a branch
// with one of the usual names, else "".
func (r repository) DefaultBranch() string {
	if name, err := r.repo.Line(r.ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"); err == nil {
		return name
	}
	for _, name := range []string{"main", "master"} {
		if _, err := r.repo.Ask(r.ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name); err == nil {
			return name
		}
	}
	return ""
}
