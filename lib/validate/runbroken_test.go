package validate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const brokenDir = "../../testdata/run-broken"

// brokenEdits make testdata/run-broken from the sound error analysis: faults of
// many kinds at once, for scripts and for people who want to see findings.
const brokenEdits = `
drop logs/events.jsonl analysis.batch.closed
append logs/events.jsonl {"runId":
set state/team-state-$x.json /workers/3/status null
set state/team-state-$x.json /usageSummary/unmatchedModels ["kimi-k3"]
set state/convergence-$x.json /findings/1/classification "partial-consensus"
set reports/final-report-$x.data.json /verdictCard/verdictToken "accepted"
set reports/final-report-$x.data.json /errorAnalysis/hypotheses/0/evidenceRefs ["E-009"]
set reports/final-report-$x.data.json /reviewer "nobody"
remove worker-results/scope-b-worker-audit-$x.md
halve state/convergence-input-$x.json
`

func runBroken(t *testing.T) project {
	e := &editor{t: t, files: runOK(t)}
	e.choose("error-analysis")
	for line := range strings.Lines(brokenEdits) {
		if line = strings.TrimSpace(line); line != "" {
			e.edit(line)
		}
	}
	kept := project{}
	for name, content := range e.files {
		if strings.HasPrefix(name, e.dir+"/") || !strings.Contains(name, "/runs/") {
			kept[name] = content
		}
	}
	return kept
}

func TestTheBrokenProjectInTestdataIsCurrent(t *testing.T) {
	want := runBroken(t)
	if os.Getenv("UPDATE_SCRIPTS") == "1" {
		if err := os.RemoveAll(filepath.Join(brokenDir, ".okstra")); err != nil {
			t.Fatal(err)
		}
		want.write(t, brokenDir)
	}
	if diff := cmp.Diff(want, readProject(t, brokenDir)); diff != "" {
		t.Errorf("UPDATE_SCRIPTS=1 writes it anew: %s", diff)
	}
}
