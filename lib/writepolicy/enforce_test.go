package writepolicy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/run"
)

func policyOf(role string, scratch, generated, external bool) Policy {
	p := Policy{WritePolicy: run.WritePolicy{
		ArtifactPolicy: run.ArtifactPolicy{AllowedRoot: "/nowhere/p"},
		SourcePolicy:   run.SourcePolicy{Mode: SourceReadonly, AllowedRoot: "/nowhere/p"},
		GitPolicy:      run.GitPolicy{Mode: GitDisabled},
	}}
	if role == run.RoleImplementer {
		p.SourcePolicy.Mode = SourceMutation
		p.GitPolicy = run.GitPolicy{Mode: GitFastForward, WorktreeGitDir: "/nowhere/p/.git"}
	}
	if scratch {
		p.AuxiliaryPolicy.ScratchRoots = []string{"/nowhere/s", "/nowhere/p/inside"}
	}
	if generated {
		p.AuxiliaryPolicy.GeneratedPaths = []string{"g"}
	}
	if external {
		p.AuxiliaryPolicy.ExternalRoots = []string{"/nowhere/e"}
	}
	return p
}

func TestW1EnforcementTable(t *testing.T) {
	leader := []string{SurfaceLeadSession, SurfaceOtherRefs, SurfaceObjectStore}
	git := []string{SurfaceOtherRefs, SurfaceObjectStore}
	for _, tt := range []struct {
		name, maximum, role            string
		scratch, generated, external   bool
		boundary, audit, attr, covered string
		unobserved                     []string
	}{
		{"clean read-only", "exact-path", "analyser", false, false, false, "exact-path", "none", "call", "complete", nil},
		{"W2 scratch", "exact-path", "analyser", true, false, false, "directory-boundary", "batch", "batch-unattributed", "scoped", nil},
		{"W2 generated", "exact-path", "verifier", false, true, false, "directory-boundary", "batch", "batch-unattributed", "scoped", nil},
		{"W2 external", "exact-path", "analyser", false, false, true, "directory-boundary", "batch", "batch-unattributed", "partial", []string{SurfaceToolCache}},
		{"implementer, exact", "exact-path", "implementer", false, false, false, "directory-boundary", "batch", "batch-unattributed", "partial", git},
		{"implementer, directory", "directory-boundary", "implementer", false, false, false, "directory-boundary", "batch", "batch-unattributed", "partial", git},
		{"clean, directory", "directory-boundary", "analyser", false, false, false, "directory-boundary", "batch", "batch-unattributed", "scoped", nil},
		{"clean, none", "none", "analyser", false, false, false, "none", "batch", "batch-unattributed", "partial", []string{SurfaceOutsideRoots}},
		{"implementer and external, none", "none", "implementer", false, false, true, "none", "batch", "batch-unattributed", "partial", []string{SurfaceOutsideRoots, SurfaceToolCache, SurfaceOtherRefs, SurfaceObjectStore}},
		{"W3 leader, exact", "exact-path", "leader", false, false, false, "none", "none", "batch-unattributed", "partial", leader},
		{"W3 leader, none", "none", "leader", true, true, true, "none", "none", "batch-unattributed", "partial", leader},
		{"W3 leader, invalid", "total", "leader", false, false, false, "none", "none", "batch-unattributed", "partial", leader},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policy := policyOf(tt.role, tt.scratch, tt.generated, tt.external)
			got, err := Machine{}.Derive(policy, tt.maximum, tt.role)
			if err != nil {
				t.Fatal(err)
			}
			want := run.WriteEnforcement{
				BoundaryPrecision: tt.boundary, MutationAudit: tt.audit, Attribution: tt.attr,
				ObservationCoverage: tt.covered, UnobservedWriteSurfaces: tt.unobserved, AuditedRoots: []string{"/nowhere/p"},
			}
			if tt.unobserved == nil {
				want.UnobservedWriteSurfaces = []string{}
			}
			if tt.scratch {
				want.AuditedRoots = append(want.AuditedRoots, "/nowhere/s", "/nowhere/p/inside")
			}
			if tt.role == "implementer" {
				want.AuditedRoots = append(want.AuditedRoots, "/nowhere/p/.git")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := LoadEnforcement(parse(t, string(text))); err != nil {
				t.Errorf("what was derived is refused: %v", err)
			}
		})
	}
	_, err := Machine{}.Derive(policyOf("analyser", false, false, false), "total", "analyser")
	wantCode(t, err, "enforcement-capability", "total")
}

const exactly = `{"boundaryPrecision":"exact-path","mutationAudit":"none","attribution":"call","auditedRoots":["/r"],"observationCoverage":"complete","unobservedWriteSurfaces":[]}`

func TestW1EnforcementRefusals(t *testing.T) {
	with := func(pairs ...string) string {
		text := exactly
		for i := 0; i < len(pairs); i += 2 {
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	for _, tt := range []struct{ name, text, code, word string }{
		{"no object", `[]`, "enforcement-keys", "[]"},
		{"missing key", with(`"auditedRoots":["/r"],`, ``), "enforcement-keys", "auditedRoots"},
		{"one key too many", with(`{`, `{"x":1,`), "enforcement-keys", "x"},
		{"boundary", with("exact-path", "total"), "enforcement-boundaryPrecision", "total"},
		{"audit", with(`"none"`, `"some"`), "enforcement-mutationAudit", "some"},
		{"attribution", with(`"call"`, `"job"`), "enforcement-attribution", "job"},
		{"coverage", with(`"complete"`, `"full"`), "enforcement-observationCoverage", "full"},
		{"enums in their order", with("exact-path", "total", `"call"`, `"job"`), "enforcement-boundaryPrecision", "total"},
		{"boundary is no text", with(`"exact-path"`, `3`), "enforcement-boundaryPrecision", "3"},
		{"exact but scoped", with(`"complete"`, `"scoped"`), "exact-coverage", "scoped"},
		{"host session complete", with(`"exact-path"`, `"none"`, `"call"`, `"batch-unattributed"`), "host-coverage", "complete"},
		{"no audit, directory", with(`"exact-path"`, `"directory-boundary"`), "batch-attribution", "call"},
		{"audit of the batch by call", with(`"none"`, `"batch"`), "batch-attribution", "call"},
		{"exact with an audit", with(`"none"`, `"batch"`, `"call"`, `"batch-unattributed"`, `"complete"`, `"scoped"`), "batch-coverage", "exact-path"},
		{"audit of the batch complete", with(`"exact-path"`, `"directory-boundary"`, `"none"`, `"batch"`, `"call"`, `"batch-unattributed"`), "batch-coverage", "complete"},
		{"root relative", with(`["/r"]`, `["r"]`), "not-absolute", "auditedRoots"},
		{"root empty", with(`["/r"]`, `[""]`), "empty-text", "auditedRoots"},
		{"roots null", with(`["/r"]`, `null`), "not-an-array", "auditedRoots"},
		{"surface empty", with(`[]`, `[""]`), "empty-text", "unobservedWriteSurfaces"},
		{"surfaces a text", with(`[]`, `"x"`), "not-an-array", "unobservedWriteSurfaces"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := LoadEnforcement(parse(t, tt.text))
			wantCode(t, err, tt.code, tt.word)
			if e.BoundaryPrecision != "" {
				t.Error("a refused payload left something behind")
			}
		})
	}
	for _, tt := range []struct{ name, text string }{
		{"exact with unobserved surfaces", with(`[]`, `["x"]`)},
		{"no roots", with(`["/r"]`, `[]`)},
		{"no boundary, audited, scoped", with(`"exact-path"`, `"none"`, `"mutationAudit":"none"`, `"mutationAudit":"batch"`, `"call"`, `"batch-unattributed"`, `"complete"`, `"scoped"`)},
		{"host session", with(`"exact-path"`, `"none"`, `"call"`, `"batch-unattributed"`, `"complete"`, `"partial"`)},
	} {
		if _, err := LoadEnforcement(parse(t, tt.text)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestLowerPrecision(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"exact-path", "directory-boundary", "directory-boundary"},
		{"none", "exact-path", "none"},
		{"exact-path", "exact-path", "exact-path"},
		{"exact-path", "nonsense", "none"},
		{"nonsense", "nonsense", "none"},
	} {
		if got := Lower(tt.a, tt.b); got != tt.want {
			t.Errorf("Lower(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}
