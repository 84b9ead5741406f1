package run

import "encoding/json"

// WritePolicy is what a worker may write. The payload has exactly these keys.
// Rule: docs/write-policy.md.
type WritePolicy struct {
	ArtifactPolicy  ArtifactPolicy  `json:"artifactPolicy"`
	SourcePolicy    SourcePolicy    `json:"sourcePolicy"`
	GitPolicy       GitPolicy       `json:"gitPolicy"`
	AuxiliaryPolicy AuxiliaryPolicy `json:"auxiliaryPolicy"`
}

// ArtifactPolicy names the artifacts, relative to AllowedRoot.
type ArtifactPolicy struct {
	AllowedRoot  string   `json:"allowedRoot"`
	AllowedPaths []string `json:"allowedPaths"`
}

// SourcePolicy names the sources, relative to AllowedRoot.
type SourcePolicy struct {
	Mode           string   `json:"mode"`
	AllowedRoot    string   `json:"allowedRoot"`
	PlannedPaths   []string `json:"plannedPaths"`
	ProtectedPaths []string `json:"protectedPaths"`
}

// GitPolicy has its mode alone when that is "disabled", else all six keys.
type GitPolicy struct {
	Mode               string `json:"mode"`
	WorktreeGitDir     string `json:"worktreeGitDir"`
	GitCommonDir       string `json:"gitCommonDir"`
	ExpectedBaseCommit string `json:"expectedBaseCommit"`
	AllowedBranchRef   string `json:"allowedBranchRef"`
	CommitMode         string `json:"commitMode"`
}

// MarshalJSON writes exactly the keys that the mode has: one that is empty
// stays, or a policy would leave with another digest than it came with.
func (p GitPolicy) MarshalJSON() ([]byte, error) {
	if p.Mode == "disabled" {
		return json.Marshal(map[string]string{"mode": p.Mode})
	}
	type whole GitPolicy
	return json.Marshal(whole(p))
}

// AuxiliaryPolicy names what else may change.
type AuxiliaryPolicy struct {
	ScratchRoots   []string `json:"scratchRoots"`
	GeneratedPaths []string `json:"generatedPaths"`
	ExternalRoots  []string `json:"externalRoots"`
}

// WriteEnforcement is what the runner can truthfully promise about a policy.
type WriteEnforcement struct {
	BoundaryPrecision       string   `json:"boundaryPrecision"`
	MutationAudit           string   `json:"mutationAudit"`
	Attribution             string   `json:"attribution"`
	AuditedRoots            []string `json:"auditedRoots"`
	ObservationCoverage     string   `json:"observationCoverage"`
	UnobservedWriteSurfaces []string `json:"unobservedWriteSurfaces"`
}
