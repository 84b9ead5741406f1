package writepolicy

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
)

// Terms is what a dispatcher knows about one attempt. Worktree is "" for none.
// Artifact paths are absolute, or relative to the project root.
type Terms struct {
	Role                    string
	ProjectRoot             string
	Worktree                string
	ArtifactPaths           []string
	Maximum                 string
	PlannedPaths            []string
	ScratchRoots            []string
	GeneratedPaths          []string
	AuxiliaryRoots          []string
	ValidatedAuxiliaryRoots []string
}

// Contract is the one way in which dispatchers get a policy and what can be
// promised about it: the same terms give the same digest, whoever asks.
// Rule: docs/write-policy.md, "One contract".
func (m Machine) Contract(ctx context.Context, t Terms) (Policy, run.WriteEnforcement, error) {
	root := m.resolve(t.ProjectRoot)
	artifacts := make([]string, len(t.ArtifactPaths))
	for i, p := range t.ArtifactPaths {
		relative, err := artifactPath(root, p)
		if err != nil {
			return Policy{}, run.WriteEnforcement{}, err
		}
		artifacts[i] = relative
	}
	source := root
	if t.Worktree != "" {
		source = m.resolve(t.Worktree)
	}
	invocation := object{
		"role": t.Role, "projectRoot": root,
		"artifactPaths": list(artifacts), "plannedPaths": list(t.PlannedPaths), "protectedPaths": []any{".okstra", ".git"},
		"generatedPaths": list(t.GeneratedPaths), "scratchRoots": list(t.ScratchRoots), "auxiliaryRoots": list(t.AuxiliaryRoots),
	}
	if t.Role == run.RoleImplementer {
		repo := gitrepo.Open(source, m.Environ)
		head, err := headOf(ctx, repo)
		if err != nil {
			return Policy{}, run.WriteEnforcement{}, err
		}
		branch, err := branchOf(ctx, repo)
		if err != nil {
			return Policy{}, run.WriteEnforcement{}, err
		}
		invocation["expectedBaseCommit"], invocation["allowedBranchRef"] = head, branch
	}
	assignment := object{
		"workerWriteCapability":   object{"maxBoundaryPrecision": t.Maximum},
		"validatedAuxiliaryRoots": list(t.ValidatedAuxiliaryRoots),
	}
	policy, err := m.build(ctx, invocation, assignment, source)
	if err != nil {
		return Policy{}, run.WriteEnforcement{}, err
	}
	enforcement, err := m.Derive(policy, t.Maximum, t.Role)
	return policy, enforcement, err
}

func list(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// artifactPath makes an artifact's path relative to the root, by its names
// alone: the file need not exist yet. A link on the way is refused, because
// the artifact would land where no rule has looked.
func artifactPath(root, p string) (string, error) {
	absolute := p
	if !strings.HasPrefix(p, "/") {
		absolute = root + "/" + p
	}
	names, above := components(lexical(absolute)), components(root)
	switch {
	case len(names) < len(above), !slices.Equal(names[:len(above)], above), strings.HasPrefix(lexical(absolute), "//"):
		return "", refuse("artifact-outside", "artifact path %q is outside the project root %s", p, root)
	case len(names) == len(above):
		return "", refuse("artifact-file", "artifact path %q names the project root (expected a file)", p)
	}
	names = names[len(above):]
	for i := range names {
		at := filepath.Join(slices.Concat([]string{root}, names[:i+1])...)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return "", refuse("artifact-link", "artifact path %q leads through the link %s", p, at)
		}
	}
	return strings.Join(names, "/"), nil
}

// components are the names of a lexical path.
func components(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}
