package dispatch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/run"
)

// Rubbish in the place of what a run's prompts ask for does not pass in
// silence: what converge refuses whole is no artifact, what costs items or
// votes is a warning.
func TestRubbishDoesNotPassForAResult(t *testing.T) {
	const result = "---\ntitle: \"OKSTRA Analyser Result - shop:pay:slow\"\nid: shop-pay-slow\naliases: [\"shop-pay-slow-error-analysis\"]\n" +
		"tags: [\"worker-result\", \"error-analysis\"]\ntaskType: error-analysis\nworkerId: w\ntask-id: slow\n---\n\n" +
		"## 1. Findings\n\nNone.\n\n## 2. A\n\nx\n\n## 3. B\n\nx\n\n## 4. C\n\nx\n\n## 5. D\n\nx\n"
	const verdicts = "# Reverify\nRound: 1\nWorker: w\n\n## G-001\nVerdict: AGREE\n"
	for _, tt := range []struct {
		name, purpose, text string
		want                ArtifactState
		warning             string // a part of it
	}{
		{"a result", "analysis", result, ArtifactGood, ""},
		{"prose for a result", "analysis", "I have looked at everything.\n", ArtifactGood, "(and 5 more)"},
		{"a result with an empty section", "verifier", strings.Replace(result, "None.\n", "", 1), ArtifactGood, "section 1 is empty"},
		{"a reading confirmation in the result", "implementer", result + "\n## 0. Reading Confirmation\n", ArtifactGood, "audit file"},
		{"the report writer's", "report-writer", "done\n", ArtifactGood, "line 1"},
		{"verdicts", "reverify-r1", verdicts, ArtifactGood, ""},
		{"verdicts with the burden of proof", "critic-gap", verdicts + "Evidence: a.go:1\n", ArtifactGood, ""},
		{"prose for verdicts", "reverify-r1", "I agree with all of it.\n", ArtifactInvalid, "(and "},
		{"verdicts of nobody", "critic-gap", strings.Replace(verdicts, "Worker: w\n", "", 1), ArtifactInvalid, "Worker"},
		{"no verdict", "reverify-r2", "# Reverify\nRound: 2\nWorker: w\n", ArtifactGood, "no verdict"},
		{"a verdict that is none", "reverify-r1", strings.Replace(verdicts, "AGREE", "MAYBE", 1), ArtifactGood, "MAYBE"},
		{"a letter on a plan's item", "plan-verify-r1", "# Plan verification\nRound: 1\nWorker: w\n\n## P-001\nVerdict: DISAGREE\nLetter: a\nEvidence: a.go:1\nReason: no\n", ArtifactGood, ""},
		{"a critic without gaps", "critic", "# Critic\nWorker: w\n\nNone.\n", ArtifactGood, ""},
		{"prose for a critic", "critic", "All is well.\n", ArtifactInvalid, "line "},
		{"a translation is read with its source", "translator-ko", "x\n", ArtifactGood, ""},
		{"more than is read", "analysis", strings.Repeat("## x\n", mostForm/5+1), ArtifactGood, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "r.md"), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			job := run.Job{ProjectRoot: dir, ResultPath: "r.md", AssignmentRef: "assignment:" + tt.purpose + ":w", Role: run.RoleAnalyser}
			start := time.Now().Add(-time.Minute)
			got, _, warning, _ := inspectAll(dir, promises(job, &run.Manifest{}), begun{time: start}, nobodys)
			if got != tt.want || !strings.Contains(warning, tt.warning) || (warning == "") != (tt.warning == "") {
				t.Errorf("%s with %q, want %s with %q", got, warning, tt.want, tt.warning)
			}
			if got, _, warning, _ := inspectAll(dir, promises(job, nil), begun{time: start}, nobodys); got != ArtifactGood || warning != "" {
				t.Errorf("without a run: %s with %q; nobody asked for a form", got, warning)
			}
		})
	}
}
