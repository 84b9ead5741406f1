package writepolicy

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"okstra/lib/gitrepo"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// Machine is where a policy's questions are asked: git in an environment, and
// relative paths from a directory.
type Machine struct {
	Environ []string
	Dir     string
}

// Request asks for a policy.
// Invocation and Assignment are JSON objects with keys of docs/write-policy.md;
// an absent key takes its default and a null does not. Worktree is nil for
// none.
type Request struct {
	Invocation json.RawMessage `json:"invocation"`
	Assignment json.RawMessage `json:"assignment"`
	Worktree   any             `json:"worktree"`
}

// Build makes a policy. The rules are tried in the order of the page and the
// first that is broken decides; the error is an *Error, or that of a context
// that ended.
// Rule: docs/write-policy.md, "Building".
func (m Machine) Build(ctx context.Context, r Request) (Policy, error) {
	invocation, err := asObject("invocation", r.Invocation)
	if err != nil {
		return Policy{}, err
	}
	assignment, err := asObject("assignment", r.Assignment)
	if err != nil {
		return Policy{}, err
	}
	return m.build(ctx, invocation, assignment, r.Worktree)
}

func asObject(name string, raw json.RawMessage) (object, error) {
	doc, err := jsondoc.Parse(name, raw)
	if err != nil {
		return nil, err
	}
	value, err := doc.Value()
	if err != nil {
		return nil, err
	}
	o, ok := value.(object)
	if !ok {
		return nil, refuse("request", "%s: %s (expected an object)", name, describe(value))
	}
	return o, nil
}

func (m Machine) build(ctx context.Context, invocation, assignment object, worktree any) (Policy, error) {
	b := builder{machine: m, ctx: ctx, invocation: invocation, assignment: assignment}
	for _, step := range []func() error{
		func() error { return b.roots(worktree) }, b.artifacts, b.source, b.git, b.external, b.auxiliary, b.capability,
	} {
		if err := step(); err != nil {
			return Policy{}, err
		}
	}
	p, err := FromRun(&b.policy)
	p.Maximum = b.maximum
	return p, err
}

// builder carries a policy through the steps of its making.
type builder struct {
	machine                Machine
	ctx                    context.Context
	invocation, assignment object

	policy  run.WritePolicy
	maximum string
}

func (b *builder) roots(worktree any) error {
	role, err := requiredText(b.invocation, "role")
	if err != nil {
		return err
	}
	project, err := requiredText(b.invocation, "projectRoot")
	if err != nil {
		return err
	}
	b.policy.ArtifactPolicy.AllowedRoot = b.machine.resolve(project)
	raw := any(project)
	if worktree != nil {
		raw = worktree
	}
	tree, ok := raw.(string)
	if info, err := os.Stat(tree); !ok || !strings.HasPrefix(tree, "/") || err != nil || !info.IsDir() {
		return refuse("worktree", "assigned worktree %s is no existing absolute directory", describe(raw))
	}
	b.policy.SourcePolicy = run.SourcePolicy{Mode: SourceReadonly, AllowedRoot: b.machine.resolve(tree)}
	if role == run.RoleImplementer {
		b.policy.SourcePolicy.Mode = SourceMutation
	}
	return nil
}

func (b *builder) artifacts() error {
	paths, err := relativePaths(or(b.invocation, "artifactPaths", []any{}), "artifactPaths")
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return refuse("artifacts-required", "artifactPaths is empty (expected the standard artifacts of the worker)")
	}
	b.policy.ArtifactPolicy.AllowedPaths = paths
	return nil
}

func (b *builder) source() error {
	var err error
	if b.policy.SourcePolicy.PlannedPaths, err = relativePaths(or(b.invocation, "plannedPaths", []any{}), "plannedPaths"); err != nil {
		return err
	}
	protected := or(b.invocation, "protectedPaths", []any{".okstra", ".git"})
	b.policy.SourcePolicy.ProtectedPaths, err = relativePaths(protected, "protectedPaths")
	return err
}

func (b *builder) git() error {
	if b.policy.SourcePolicy.Mode == SourceReadonly {
		b.policy.GitPolicy = run.GitPolicy{Mode: GitDisabled}
		return nil
	}
	repo := gitrepo.Open(b.policy.SourcePolicy.AllowedRoot, b.machine.Environ)
	var err error
	b.policy.GitPolicy, err = gitPolicy(b.ctx, repo, b.invocation)
	return err
}

func (b *builder) external() error {
	requested, err := b.machine.absoluteRoots(or(b.invocation, "auxiliaryRoots", []any{}), "auxiliaryRoots")
	if err != nil {
		return err
	}
	validated, err := b.machine.absoluteRoots(or(b.assignment, "validatedAuxiliaryRoots", []any{}), "validatedAuxiliaryRoots")
	if err != nil {
		return err
	}
	for _, root := range requested {
		if !slices.Contains(validated, root) {
			return refuse("root-not-validated", "auxiliaryRoots: %q is not among the roots that the adapter validated", root)
		}
	}
	b.policy.AuxiliaryPolicy.ExternalRoots = requested
	return nil
}

func (b *builder) auxiliary() error {
	var err error
	if b.policy.AuxiliaryPolicy.ScratchRoots, err = b.machine.absoluteRoots(or(b.invocation, "scratchRoots", []any{}), "scratchRoots"); err != nil {
		return err
	}
	b.policy.AuxiliaryPolicy.GeneratedPaths, err = relativePaths(or(b.invocation, "generatedPaths", []any{}), "generatedPaths")
	return err
}

func (b *builder) capability() error {
	capability, ok := b.assignment["workerWriteCapability"].(object)
	if !ok {
		return refuse("capability-required", "workerWriteCapability: %s (expected an object)", describe(b.assignment["workerWriteCapability"]))
	}
	maximum, _ := capability["maxBoundaryPrecision"].(string)
	if _, known := precisionRank[maximum]; !known {
		return refuse("capability", "workerWriteCapability.maxBoundaryPrecision: %s (expected %s, %s or %s)",
			describe(capability["maxBoundaryPrecision"]), PrecisionExact, PrecisionDirectory, PrecisionNone)
	}
	b.maximum = maximum
	return nil
}

// asRefusal makes an answer of git that stops the build an *Error; a context
// that ended stays what it is.
func asRefusal(err error, silent string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e, ok := errors.AsType[*gitrepo.MissingDirError](err); ok {
		return refuse("git-dir", "git points at %s, which does not exist", e.Path)
	}
	if e, ok := errors.AsType[*gitrepo.Error](err); ok && e.Stderr == "" && e.Exit >= 0 {
		return refuse("git", "%s", silent)
	}
	return refuse("git", "%v", err)
}
