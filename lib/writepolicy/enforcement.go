package writepolicy

import (
	"slices"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

var enforcementKeys = []string{"boundaryPrecision", "mutationAudit", "attribution", "auditedRoots", "observationCoverage", "unobservedWriteSurfaces"}

// enforcementEnums in the order in which they are checked.
var enforcementEnums = []struct {
	key    string
	values []string
}{
	{"boundaryPrecision", []string{PrecisionExact, PrecisionDirectory, PrecisionNone}},
	{"mutationAudit", []string{"none", "batch"}},
	{"attribution", []string{"call", "batch-unattributed"}},
	{"observationCoverage", []string{"complete", "scoped", "partial"}},
}

// LoadEnforcement checks an enforcement payload. The error is an *Error.
// Rule: docs/write-policy.md, "The enforcement payload".
func LoadEnforcement(doc jsondoc.Doc) (run.WriteEnforcement, error) {
	value, err := doc.Value()
	if err != nil {
		return run.WriteEnforcement{}, err
	}
	o, ok := value.(object)
	if !ok {
		return run.WriteEnforcement{}, refuse("enforcement-keys", "writeEnforcement: %s (expected an object)", describe(value))
	}
	if diff := exact(o, enforcementKeys); diff != "" {
		return run.WriteEnforcement{}, refuse("enforcement-keys", "writeEnforcement is incomplete: %s", diff)
	}
	got := make(map[string]string)
	for _, enum := range enforcementEnums {
		text, _ := o[enum.key].(string)
		if !slices.Contains(enum.values, text) {
			return run.WriteEnforcement{}, refuse("enforcement-"+enum.key, "writeEnforcement.%s: %s (expected %s)", enum.key, describe(o[enum.key]), strings.Join(enum.values, ", "))
		}
		got[enum.key] = text
	}
	e := run.WriteEnforcement{
		BoundaryPrecision: got["boundaryPrecision"], MutationAudit: got["mutationAudit"],
		Attribution: got["attribution"], ObservationCoverage: got["observationCoverage"],
	}
	if err := consistent(e); err != nil {
		return run.WriteEnforcement{}, err
	}
	if e.AuditedRoots, err = texts(o["auditedRoots"], "auditedRoots"); err != nil {
		return run.WriteEnforcement{}, err
	}
	for _, root := range e.AuditedRoots {
		if _, err := absoluteText(root, "auditedRoots"); err != nil {
			return run.WriteEnforcement{}, err
		}
	}
	if e.UnobservedWriteSurfaces, err = texts(o["unobservedWriteSurfaces"], "unobservedWriteSurfaces"); err != nil {
		return run.WriteEnforcement{}, err
	}
	return e, nil
}

// consistent refuses a promise that contradicts itself.
func consistent(e run.WriteEnforcement) error {
	type promise struct{ boundary, audit, attribution string }
	switch (promise{e.BoundaryPrecision, e.MutationAudit, e.Attribution}) {
	case promise{PrecisionExact, "none", "call"}:
		if e.ObservationCoverage != "complete" {
			return refuse("exact-coverage", "writeEnforcement: an exact boundary with coverage %q (expected complete)", e.ObservationCoverage)
		}
		return nil
	case promise{PrecisionNone, "none", "batch-unattributed"}:
		if e.ObservationCoverage != "partial" {
			return refuse("host-coverage", "writeEnforcement: a host session with coverage %q (expected partial)", e.ObservationCoverage)
		}
		return nil
	}
	switch {
	case e.MutationAudit != "batch" || e.Attribution != "batch-unattributed":
		return refuse("batch-attribution", "writeEnforcement: boundary %s with audit %s and attribution %s (expected batch and batch-unattributed)", e.BoundaryPrecision, e.MutationAudit, e.Attribution)
	case e.BoundaryPrecision == PrecisionExact || e.ObservationCoverage == "complete":
		return refuse("batch-coverage", "writeEnforcement: an audit of the batch with boundary %s and coverage %s (it cannot claim to be exact)", e.BoundaryPrecision, e.ObservationCoverage)
	}
	return nil
}
