package writepolicy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// The precisions with which a boundary can be held, in rising order.
const (
	PrecisionNone      = "none"
	PrecisionDirectory = "directory-boundary"
	PrecisionExact     = "exact-path"
)

// The modes of a policy.
const (
	SourceReadonly = "source-readonly"
	SourceMutation = "project-mutation"
	GitDisabled    = "disabled"
	GitFastForward = "fast-forward-descendant-chain"
)

var precisionRank = map[string]int{PrecisionNone: 0, PrecisionDirectory: 1, PrecisionExact: 2}

// Lower is the lower of two precisions. One that is unknown counts as none.
func Lower(a, b string) string {
	if precisionRank[a] < precisionRank[b] {
		b = a
	}
	if _, known := precisionRank[b]; !known {
		return PrecisionNone
	}
	return b
}

// Policy is a checked policy payload. Maximum is the precision that the
// assignment allows; it is no part of the payload, and PrecisionNone in a
// policy that was read.
type Policy struct {
	run.WritePolicy
	Maximum string
	// Digest covers the payload as it stands, git values of any type included.
	Digest string

	payload []byte
}

// Payload is the policy as JSON with exactly its four keys.
func (p Policy) Payload() json.RawMessage { return slices.Clone(p.payload) }

// Load checks a payload. The error is an *Error; what is broken first decides.
// Rule: docs/write-policy.md, "The payload".
func Load(doc jsondoc.Doc) (Policy, error) {
	value, err := doc.Value()
	if err != nil {
		return Policy{}, err
	}
	if err := checkPolicy(value); err != nil {
		return Policy{}, err
	}
	sum, err := digest.JSON(doc.Raw)
	if err != nil {
		return Policy{}, refuse("no-canonical-form", "writePolicy has no canonical form: %v", err)
	}
	p := Policy{Maximum: PrecisionNone, Digest: sum, payload: slices.Clone(doc.Raw)}
	p.WritePolicy = typed(value.(object))
	return p, nil
}

// FromRun is Load for a policy that stands in another document.
func FromRun(policy *run.WritePolicy) (Policy, error) {
	if policy == nil {
		return Policy{}, refuse("sections", "writePolicy is missing")
	}
	text, err := jsondoc.MarshalLine(policy)
	if err != nil {
		return Policy{}, err
	}
	doc, err := jsondoc.Parse("writePolicy", text)
	if err != nil {
		return Policy{}, err
	}
	return Load(doc)
}

// typed gives a checked payload as Go values. A git value that is no text is
// left empty: nothing follows from it but the digest.
func typed(o object) run.WritePolicy {
	artifact, source := o["artifactPolicy"].(object), o["sourcePolicy"].(object)
	git, auxiliary := o["gitPolicy"].(object), o["auxiliaryPolicy"].(object)
	text := func(o object, key string) string { s, _ := o[key].(string); return s }
	list := func(o object, key string) []string { l, _ := texts(o[key], key); return l }
	return run.WritePolicy{
		ArtifactPolicy: run.ArtifactPolicy{AllowedRoot: text(artifact, "allowedRoot"), AllowedPaths: list(artifact, "allowedPaths")},
		SourcePolicy: run.SourcePolicy{
			Mode: text(source, "mode"), AllowedRoot: text(source, "allowedRoot"),
			PlannedPaths: list(source, "plannedPaths"), ProtectedPaths: list(source, "protectedPaths"),
		},
		GitPolicy: run.GitPolicy{
			Mode: text(git, "mode"), WorktreeGitDir: text(git, "worktreeGitDir"), GitCommonDir: text(git, "gitCommonDir"),
			ExpectedBaseCommit: text(git, "expectedBaseCommit"), AllowedBranchRef: text(git, "allowedBranchRef"), CommitMode: text(git, "commitMode"),
		},
		AuxiliaryPolicy: run.AuxiliaryPolicy{
			ScratchRoots: list(auxiliary, "scratchRoots"), GeneratedPaths: list(auxiliary, "generatedPaths"), ExternalRoots: list(auxiliary, "externalRoots"),
		},
	}
}

// The exact keys of a payload, in the order in which they are written.
var (
	policyKeys    = []string{"artifactPolicy", "sourcePolicy", "gitPolicy", "auxiliaryPolicy"}
	artifactKeys  = []string{"allowedRoot", "allowedPaths"}
	sourceKeys    = []string{"mode", "allowedRoot", "plannedPaths", "protectedPaths"}
	gitKeys       = []string{"mode", "worktreeGitDir", "gitCommonDir", "expectedBaseCommit", "allowedBranchRef", "commitMode"}
	auxiliaryKeys = []string{"scratchRoots", "generatedPaths", "externalRoots"}
)

// exact says how the keys of an object differ from the wanted ones; "" if they
// do not.
func exact(o object, want []string) string {
	var missing, more []string
	for _, key := range want {
		if _, ok := o[key]; !ok {
			missing = append(missing, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(want, key) {
			more = append(more, fmt.Sprintf("%q", key))
		}
	}
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "missing "+strings.Join(missing, ", "))
	}
	if len(more) > 0 {
		parts = append(parts, "unexpected "+strings.Join(more, ", "))
	}
	return strings.Join(parts, "; ")
}

func checkPolicy(value any) error {
	o, ok := value.(object)
	if !ok {
		return refuse("sections", "writePolicy: %s (expected an object with the sections %s)", describe(value), strings.Join(policyKeys, ", "))
	}
	if diff := exact(o, policyKeys); diff != "" {
		return refuse("sections", "writePolicy: %s (expected exactly the four sections %s)", diff, strings.Join(policyKeys, ", "))
	}
	sections := make(map[string]object, len(policyKeys))
	for _, name := range policyKeys {
		section, ok := o[name].(object)
		if !ok {
			return refuse("section-type", "%s: %s (expected an object)", name, describe(o[name]))
		}
		sections[name] = section
	}
	for _, check := range []func() error{
		func() error { return checkArtifact(sections["artifactPolicy"]) },
		func() error { return checkSource(sections["sourcePolicy"]) },
		func() error { return checkGit(sections["gitPolicy"]) },
		func() error { return checkAuxiliary(sections["auxiliaryPolicy"]) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func checkArtifact(o object) error {
	if diff := exact(o, artifactKeys); diff != "" {
		return refuse("artifact-keys", "artifactPolicy is incomplete: %s", diff)
	}
	if _, err := absoluteText(o["allowedRoot"], "artifactPolicy.allowedRoot"); err != nil {
		return err
	}
	_, err := relativePaths(o["allowedPaths"], "artifactPolicy.allowedPaths")
	return err
}

func checkSource(o object) error {
	if mode, _ := o["mode"].(string); mode != SourceReadonly && mode != SourceMutation {
		return refuse("source-mode", "sourcePolicy.mode: %s (expected %s or %s)", describe(o["mode"]), SourceReadonly, SourceMutation)
	}
	if diff := exact(o, sourceKeys); diff != "" {
		return refuse("source-keys", "sourcePolicy is incomplete: %s", diff)
	}
	if _, err := absoluteText(o["allowedRoot"], "sourcePolicy.allowedRoot"); err != nil {
		return err
	}
	for _, key := range []string{"plannedPaths", "protectedPaths"} {
		if _, err := relativePaths(o[key], "sourcePolicy."+key); err != nil {
			return err
		}
	}
	return nil
}

func checkGit(o object) error {
	switch mode, _ := o["mode"].(string); mode {
	case GitDisabled:
		if len(o) != 1 {
			return refuse("git-disabled", "a disabled gitPolicy grants nothing: %s", exact(o, []string{"mode"}))
		}
	case GitFastForward:
		if diff := exact(o, gitKeys); diff != "" {
			return refuse("git-keys", "gitPolicy of a project mutation is incomplete: %s", diff)
		}
	default:
		return refuse("git-mode", "gitPolicy.mode: %s (expected %s or %s)", describe(o["mode"]), GitDisabled, GitFastForward)
	}
	return nil
}

func checkAuxiliary(o object) error {
	if diff := exact(o, auxiliaryKeys); diff != "" {
		return refuse("auxiliary-keys", "auxiliaryPolicy is incomplete: %s", diff)
	}
	if _, err := relativePaths(o["generatedPaths"], "auxiliaryPolicy.generatedPaths"); err != nil {
		return err
	}
	for _, key := range []string{"scratchRoots", "externalRoots"} {
		label := "auxiliaryPolicy." + key
		roots, err := texts(o[key], label)
		if err != nil {
			return err
		}
		for _, root := range roots {
			if _, err := absoluteText(root, label); err != nil {
				return err
			}
		}
	}
	return nil
}
