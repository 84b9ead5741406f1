package validate

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/run"
)

// The behaviours that the specification numbers and that no file of
// testdata/rules shows alone. T18, T19, T21 and T35 are in stream_test.go.

// judgedWith damages a sound project and gives the codes found in a run.
func judgedWith(t *testing.T, edits string) string {
	t.Helper()
	var codes []string
	for line := range strings.Lines(damaged(t, edits, false)) {
		codes = append(codes, strings.Split(line, "\t")[1])
	}
	return strings.Join(codes, " ")
}

const (
	teamPath   = "state/team-state-$x.json"
	eventsPath = "logs/events.jsonl"
)

func TestT20BothCleanupsAreNeeded(t *testing.T) {
	for _, tt := range []struct{ edit, want string }{
		{"drop " + eventsPath + " analysis.batch.closed", "progress-cleanup-before-convergence"},
		{"move " + eventsPath + " 17 18", "progress-cleanup-stale"},
	} {
		if got := judgedWith(t, tt.edit); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.edit, got, tt.want)
		}
	}
}

func TestT22ALineWithoutTheRoleIsNone(t *testing.T) {
	if got := judgedWith(t, "replace "+eventsPath+" dispatch.analyser.scope-b => dispatch scope-b"); got != "progress-dispatch-missing" {
		t.Error(got)
	}
}

func TestT23TeardownAndCompleteAreNotAskedFor(t *testing.T) {
	if got := judgedWith(t, "drop "+eventsPath+` phase-7-teardown|complete"`); got != "" {
		t.Error(got)
	}
}

func TestT24LinesOutsideTheWindowDoNotCount(t *testing.T) {
	if got := judgedWith(t, "replace "+eventsPath+" 2026-09-08T => 2026-09-07T"); got != "progress-no-evidence" {
		t.Error(got)
	}
	// The sound project has such lines in front, of an earlier run.
	if !strings.Contains(string(runOK(t)[".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/logs/events.jsonl"]), "2026-09-07T") {
		t.Error("no line of an earlier run in the sound project")
	}
}

func TestT25ASessionThatBeganBeforeTheRunCounts(t *testing.T) {
	dir := t.TempDir()
	p := runOK(t)
	const base = ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/"
	var spoken strings.Builder
	spoken.WriteString(`{"type":"assistant","timestamp":"2026-09-08T09:00:00Z","message":{"role":"assistant","content":"PROGRESS: phase-6-synthesis of an earlier run"}}` + "\n")
	for line := range strings.Lines(string(p[base+eventsPath])) {
		if strings.Contains(line, ":002\"") {
			at, text := between(line, `"at":"`, `"`), between(line, `"line":"`, `"`)
			spoken.WriteString(`{"type":"assistant","timestamp":"` + at + `","message":{"role":"assistant","content":"` + text + `"}}` + "\n")
		}
	}
	delete(p, base+eventsPath)
	p.write(t, dir)
	transcript := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(transcript, []byte(spoken.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	result := Run(filepath.Join(dir, base+"manifests/run-manifest-error-analysis-002.json"), Options{
		Evidence: "claude", Transcripts: func(string, string) []string { return []string{transcript} },
	})
	for _, f := range result.Findings {
		t.Errorf("%s: %s", f.Code, f.Message)
	}
}

func between(s, from, to string) string {
	_, rest, _ := strings.Cut(s, from)
	text, _, _ := strings.Cut(rest, to)
	return text
}

func TestT26EveryRowOfTheLedgerIsLookedAt(t *testing.T) {
	got := damaged(t, "remove prompts/scope-c-reverify-r2-$x.md.status.json\nremove prompts/scope-b-analysis-$x.md.attempt-1.json", false)
	for _, want := range []string{"/workerDispatches/9/promptPath", "/workerDispatches/1/attemptPath"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not found in:\n%s", want, got)
		}
	}
}

func TestT27AWorkerWithoutAnIdHasNoRows(t *testing.T) {
	s := &subject{opened: map[opening]*artifact{}, team: made(t, "team-state", `{"workers": [{"workerId": null, "role": "analyser", "usage": null}],
	 "workerDispatches": [{"assignmentRef": "assignment:analysis:scope-a", "attempt": 1}, {"assignmentRef": "::"}, {}]}`)}
	s.readRoster()
	s.readLedger()
	if n := len(s.roster[0].dispatches); n != 0 {
		t.Errorf("a worker without an id has %d rows", n)
	}
	if s.worker("") != nil {
		t.Error("no id names a worker")
	}
}

func TestT28AnUnavailableBlockIsNoZero(t *testing.T) {
	for _, tt := range []struct{ name, block, want string }{
		{"unavailable with a reason", `{"source": "unavailable", "reason": "outside the window", "durationMs": 1, "cliExecutionStatus": "exited"}`, ""},
		{"a zero", `{"source": "codex-rollout", "totalTokens": 0, "cliExecutionStatus": "exited"}`, "usage-zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := usageCodes(t, `{"workers": [{"workerId": "scope-a", "role": "analyser", "usage": `+tt.block+`}], "workerDispatches": []}`); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// usageCodes judges the usage of a team state alone.
func usageCodes(t *testing.T, team string) string {
	t.Helper()
	s := &subject{opened: map[opening]*artifact{}, manifest: made(t, "run-manifest", `{}`), team: made(t, "team-state", team)}
	s.readRoster()
	s.readLedger()
	var codes []string
	for _, r := range usageRules {
		j := judge{subject: s, rule: r}
		r.check(&j)
		for range j.out {
			codes = append(codes, r.Code)
		}
	}
	return strings.Join(codes, " ")
}

func TestT29WhatIsUnattributedIsCountedOnce(t *testing.T) {
	summary := func(worker string) string {
		return `{"workers": [], "workerDispatches": [{"assignmentRef": "assignment:analysis:scope-a"}], "usageSummary": {
		 "leadTotalTokens": 10, "workerTotalTokens": ` + worker + `, "grandTotalTokens": ` + worker + `1,
		 "unattributed": {"tokens": 30, "billableEquivalentTokens": 3, "costUsd": 0.5},
		 "roles": [{"role": "leader", "totalTokens": 10}, {"role": "analyser", "workerId": "scope-a", "totalTokens": 70}]}}`
	}
	if got := usageCodes(t, strings.Replace(summary("100"), "1001", "110", 1)); got != "" {
		t.Errorf("a total with its fold: %s", got)
	}
	if got := usageCodes(t, strings.Replace(summary("130"), "1301", "140", 1)); got != "usage-total" {
		t.Errorf("a session that is counted twice: %s", got)
	}
}

func TestT30AWorkerThatRanIsNeverCalledNotInvoked(t *testing.T) {
	if got := judgedWith(t, "delete "+teamPath+" /workers/4/usage/cliExecutionStatus"); got != "usage-reason" {
		t.Error(got)
	}
}

func TestT31OnlyTheFirstWorkerOfANameIsReplaced(t *testing.T) {
	const want = "worker-results/report-writer-worker-audit-error-analysis-002.md"
	if got := run.AuditOf("worker-results/report-writer-worker-error-analysis-002.md"); got != want {
		t.Error(got)
	}
	if got := run.AuditOf("w/a-worker-b-worker-c.md"); got != "w/a-worker-audit-b-worker-c.md" {
		t.Error(got)
	}
	if got := damaged(t, "remove worker-results/report-writer-worker-audit-$x.md", false); !strings.Contains(got, want) {
		t.Error(got)
	}
}

func TestT32TheReadingConfirmationBelongsToTheAuditFile(t *testing.T) {
	confirmed := []byte("# Audit\n\n## 0. Reading Confirmation\n- a.go: read\n")
	if got := grouping.CheckAudit("a.md", confirmed); len(got) != 0 {
		t.Error(got)
	}
	if got := judgedWith(t, `replace worker-results/scope-a-worker-$x.md ^##.1\. => ## 0. Reading Confirmation\n- a.go: read\n\n## 1.`); got != "result-changed result-reading-confirmation" {
		t.Error(got)
	}
}

// T36: the example documents validate, and each required key is missed at its
// pointer. That is lib/schema's own test on the same examples; here it is made
// sure that a run's documents are held against those schemas.
func TestT36EveryDocumentOfARunIsHeldAgainstItsSchema(t *testing.T) {
	for _, name := range []string{
		"manifests/run-inputs-$x.json", "state/active-run-context-$x.json", "state/team-state-$x.json", "state/convergence-input-$x.json",
		"state/convergence-$x.json", "reports/final-report-$x.data.json", "reports/final-report-$x.translation.ko.json",
		"prompts/scope-a-analysis-$x.md.status.json", "prompts/scope-a-analysis-$x.md.attempt-1.json",
		"/.okstra/tasks/pay/checkout-timeouts/task-manifest.json",
	} {
		got := damaged(t, "delete "+name+" /schemaVersion", false)
		if !strings.Contains(got, "error\tdoc-schema\t") || !strings.Contains(got, "\t/schemaVersion\t") {
			t.Errorf("%s without its version: %s", name, got)
		}
	}
}

func TestALeadThatWroteTheReportMustShowTheFailedWriter(t *testing.T) {
	const failed = `set state/team-state-$x.json /workerDispatches/11/outcome "failed"
set state/team-state-$x.json /workers/5/status "error"
set state/team-state-$x.json /workers/5/resultPath ""
set reports/final-report-$x.data.json /executionStatus/5/status "error"
set reports/final-report-$x.data.json /executionStatus/5/reason "stream cut"
render
`
	logged := `append logs/errors.jsonl {"runId":"shop:pay:checkout-timeouts:error-analysis:002","at":"2026-09-08T20:30:00Z","errorType":"cli-failure","phase":"phase-6-synthesis","source":"observed","assignmentRef":"assignment:report-writer:report-writer","role":"report-writer","attempt":1,"outcome":"failed","cause":"stream-cut","command":"claude","exitCode":1,"message":"cut","logPath":""}`
	if got := judgedWith(t, failed); !strings.Contains(got, "team-writer-fallback") {
		t.Errorf("a failure that is not logged: %s", got)
	}
	if got := judgedWith(t, failed+logged); strings.Contains(got, "team-writer-fallback") {
		t.Errorf("a failure that is logged: %s", got)
	}
}

func TestPlannedPathCells(t *testing.T) {
	for _, tt := range []struct{ cell, want string }{
		{"`internal/http/retry.go`<br>internal/http/retry_test.go, go.mod", "internal/http/retry.go internal/http/retry_test.go go.mod"},
		{"<br>, ", ""},
		{" a ,,b<br><br>`c d`", "a b c d"},
	} {
		if got := strings.Join(cellPaths(tt.cell), " "); got != tt.want {
			t.Errorf("cellPaths(%q) = %q, want %q", tt.cell, got, tt.want)
		}
	}
}

func TestForbiddenCommandsOfAHandOff(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"git push origin fix", ""},
		{"git push --force-with-lease origin fix", "a force-push"},
		{"git push -uf origin fix", "a force-push"},
		{"git push origin +fix", "a force-push"},
		{"git push origin :fix", ""},
		{"git push origin main", "a push to the base branch"},
		{"git -C /srv/shop push origin HEAD:refs/heads/main", "a push to the base branch"},
		{"git push origin fix:mainline", ""},
		{"git push --no-verify origin fix", "around the hooks"},
		{"git commit -nm done", "around the hooks"},
		{"git -c core.hooksPath=/dev/null commit -m done", "around the hooks"},
		{"git commit -m done", ""},
		{"gh release create v1", "the publishing of a release"},
		{"/usr/bin/npm publish", "the publishing of a release"},
		{"gh pr create --base main", ""},
		{"", ""},
	} {
		if got := forbidden(strings.Fields(tt.command), "main"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.command, got, tt.want)
		}
	}
}

func TestGatesOfAPlan(t *testing.T) {
	item := func(agree, disagree int) planItem { return planItem{agree: agree, disagree: disagree} }
	for _, tt := range []struct {
		name  string
		items []planItem
		want  string
	}{
		{"all agree", []planItem{item(3, 0)}, gatePassed},
		{"dissent", []planItem{item(2, 1)}, gateDissent},
		{"two of three, one missing", []planItem{item(2, 0)}, gatePassed},
		{"one of three", []planItem{item(1, 0)}, gateAborted},
		{"one to one of three", []planItem{item(1, 1)}, gateAborted},
		{"rejected", []planItem{item(1, 2)}, gateBlocked},
		{"blocked is asked before aborted", []planItem{item(0, 0), item(1, 2)}, gateBlocked},
		{"nothing to vote on", nil, gatePassed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := gateOf(tt.items, 3); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestFingerprintsAreStableAndEqualOnesAreNumbered(t *testing.T) {
	two := []finding.Finding{{Code: "a", Artifact: "x", Anchor: "/e/E-001"}, {Code: "a", Artifact: "x", Anchor: "/e/E-001"}}
	fingerprint(two)
	if two[0].Fingerprint == two[1].Fingerprint {
		t.Error("equal findings have one fingerprint")
	}
	moved := []finding.Finding{{Code: "a", Artifact: "x", Anchor: "/e/E-001", Line: 90, Pointer: "/e/7", Message: "other words"}}
	fingerprint(moved)
	if moved[0].Fingerprint != two[0].Fingerprint {
		t.Error("a finding that moved has another fingerprint")
	}
}

func TestRunsAreGivenInTheOrderOfTheirManifests(t *testing.T) {
	manifests, err := Find(okDir)
	if err != nil {
		t.Fatal(err)
	}
	var many []string
	for range 5 {
		many = append(many, manifests...)
	}
	i := 0
	for r := range All(t.Context(), many, Options{}) {
		if !strings.HasSuffix(many[i], r.Run) {
			t.Fatalf("result %d is of %s", i, r.Run)
		}
		if i++; i == 20 {
			break // a reader that has seen enough
		}
	}
}

func TestATruncatedDocumentIsFoundWithItsPlaceAndHidesNothing(t *testing.T) {
	sound := project{}
	for name, content := range runOK(t) {
		if strings.HasPrefix(name, truncatedRun) || !strings.Contains(name, "/runs/") {
			sound[name] = content
		}
	}
	audit := truncatedRun + "worker-results/scope-b-worker-audit-error-analysis-002.md"
	delete(sound, audit)
	parts := []int{1, 3, 7}
	if testing.Short() {
		parts = parts[1:2]
	}
	w := borrow(t)
	manifest := truncatedRun + "manifests/run-manifest-error-analysis-002.json"
	for name, content := range sound {
		if filepath.Ext(name) != ".json" {
			continue
		}
		for _, part := range parts {
			cut := maps.Clone(sound)
			cut[name] = content[:len(content)*part/8]
			if err := w.show(cut, nil); err != nil {
				t.Fatal(err)
			}
			r := Run(w.path(manifest), Options{})
			located, other := false, false
			for _, f := range r.Findings {
				located = located || f.Code == "doc-syntax" && f.Artifact == name && f.Line > 0
				other = other || f.Code == "result-audit"
			}
			if !located || !other || (r.Unusable != nil) != (name == manifest) {
				t.Errorf("%s cut to %d/8: located %v, the other fault %v, unusable %v", name, part, located, other, r.Unusable)
			}
		}
	}
}

const truncatedRun = ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/"
