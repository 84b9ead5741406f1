package writepolicy

import (
	"slices"

	"okstra/lib/run"
)

// What no audit of a worker's tree can see.
const (
	SurfaceLeadSession  = "lead-session-host-writes"
	SurfaceOtherRefs    = "other-stage-refs"
	SurfaceObjectStore  = "shared-git-object-store"
	SurfaceOutsideRoots = "provider-process-outside-audited-roots"
	SurfaceToolCache    = "shared-tool-cache"
)

// Derive says what can be promised about a policy when the boundary can be
// held with the precision maximum. It never promises more than the policy's
// paths let a boundary hold.
//
//	                 clean read-only     anything else
//	exact-path       exact-path          directory-boundary
//	directory-…      directory-boundary  directory-boundary
//	none             none                none
//
// where clean means: no scratch, generated or external path. The lead's own
// session is held by nobody, whatever the maximum.
// Rule: docs/write-policy.md, "Enforcement".
func (m Machine) Derive(p Policy, maximum, role string) (run.WriteEnforcement, error) {
	if role == run.RoleLeader {
		return run.WriteEnforcement{
			BoundaryPrecision: PrecisionNone, MutationAudit: "none", Attribution: "batch-unattributed",
			AuditedRoots: m.auditedRoots(p), ObservationCoverage: "partial",
			UnobservedWriteSurfaces: []string{SurfaceLeadSession, SurfaceOtherRefs, SurfaceObjectStore},
		}, nil
	}
	rank, known := precisionRank[maximum]
	if !known {
		return run.WriteEnforcement{}, refuse("enforcement-capability", "worker write capability %q (expected %s, %s or %s)", maximum, PrecisionExact, PrecisionDirectory, PrecisionNone)
	}
	e := run.WriteEnforcement{
		BoundaryPrecision: PrecisionNone, MutationAudit: "batch", Attribution: "batch-unattributed",
		AuditedRoots: m.auditedRoots(p), ObservationCoverage: "scoped", UnobservedWriteSurfaces: []string{},
	}
	switch aux := p.AuxiliaryPolicy; {
	case rank == precisionRank[PrecisionExact] && p.SourcePolicy.Mode == SourceReadonly &&
		len(aux.ExternalRoots)+len(aux.ScratchRoots)+len(aux.GeneratedPaths) == 0:
		e.BoundaryPrecision, e.MutationAudit, e.Attribution, e.ObservationCoverage = PrecisionExact, "none", "call", "complete"
		return e, nil
	case rank >= precisionRank[PrecisionDirectory]:
		e.BoundaryPrecision = PrecisionDirectory
	default:
		e.UnobservedWriteSurfaces = append(e.UnobservedWriteSurfaces, SurfaceOutsideRoots)
	}
	if len(p.AuxiliaryPolicy.ExternalRoots) > 0 {
		e.UnobservedWriteSurfaces = append(e.UnobservedWriteSurfaces, SurfaceToolCache)
	}
	if p.SourcePolicy.Mode == SourceMutation {
		e.UnobservedWriteSurfaces = append(e.UnobservedWriteSurfaces, SurfaceOtherRefs, SurfaceObjectStore)
	}
	if len(e.UnobservedWriteSurfaces) > 0 {
		e.ObservationCoverage = "partial"
	}
	return e, nil
}

// auditedRoots are the roots that the audit looks at. One that lies inside
// another stays: it is a root of its own right. The directory that all
// worktrees of a repository share is not among them.
func (m Machine) auditedRoots(p Policy) []string {
	roots := slices.Concat(
		[]string{p.SourcePolicy.AllowedRoot, p.ArtifactPolicy.AllowedRoot},
		p.AuxiliaryPolicy.ScratchRoots,
	)
	if dir := p.GitPolicy.WorktreeGitDir; dir != "" {
		roots = append(roots, dir)
	}
	var out []string
	for _, root := range roots {
		if resolved := m.resolve(root); !slices.Contains(out, resolved) {
			out = append(out, resolved)
		}
	}
	return out
}
