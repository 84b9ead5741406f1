package audit

import (
	"slices"

	"okstra/lib/run"
)

// IsNeeded tells whether a batch needs an audit: when any of its jobs has a
// contract that promises one.
func IsNeeded(contracts []run.WriteEnforcement) bool {
	return slices.ContainsFunc(contracts, func(e run.WriteEnforcement) bool { return e.MutationAudit == "batch" })
}

// NeedsBaseline tells whether a round takes a snapshot before it starts.
// attempts are the numbers of the attempts of the round. A round with a retry
// takes a fresh one: its contracts belong to other attempts than those of the
// snapshot before, and what the peers of the first attempt changed has been
// judged by that attempt's own audit.
// Rule: docs/audit.md, "Rounds".
func NeedsBaseline(contracts []run.WriteEnforcement, have bool, attempts []int) bool {
	retried := slices.ContainsFunc(attempts, func(n int) bool { return n > 1 })
	return IsNeeded(contracts) && (!have || retried)
}

// The words for what an attempt changed.
const (
	MutationNone      = "none"
	MutationArtifact  = "artifact-only"
	MutationChanged   = "changed"
	MutationViolation = "violation"
)

// Mutation sums changes up: the most that happened. What cannot be put down to
// anybody does not count, nor does what was left in a scratch root.
func Mutation(changes []run.Change) string {
	rank := map[string]int{ClassArtifact: 1, ClassPlanned: 2, ClassGenerated: 2, ClassProtected: 3, ClassUnplanned: 3}
	most := 0
	for _, c := range changes {
		most = max(most, rank[c.Class])
	}
	return []string{MutationNone, MutationArtifact, MutationChanged, MutationViolation}[most]
}

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
