package audit

import (
	"slices"

	"okstra/lib/run"
)

// Audit is the findings as the audit of an attempt.
func (f Findings) Audit(attribution string) run.Audit {
	a := run.Audit{Verdict: "clean", Attribution: attribution, Changes: f.Changes, Violations: f.Violations}
	if len(f.Violations) > 0 {
		a.Verdict = "violation"
	}
	return a
}

// SurfaceUnreadable is the unobserved surface of a tree with entries that
// could not be read.
const SurfaceUnreadable = "unreadable-entries"

// Observed is an enforcement as it turned out: where entries could not be
// read, coverage is partial and the surface is named.
func Observed(e run.WriteEnforcement, f Findings) run.WriteEnforcement {
	if len(f.Unobserved) == 0 || e.MutationAudit != "batch" {
		return e
	}
	e.ObservationCoverage = "partial"
	e.UnobservedWriteSurfaces = append(slices.Clone(e.UnobservedWriteSurfaces), SurfaceUnreadable)
	return e
}
