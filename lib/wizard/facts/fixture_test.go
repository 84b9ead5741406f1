package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"okstra/lib/gitrepo"
	"okstra/lib/provider"
)

// git answers with a real repository.
type git struct {
	t    *testing.T
	repo gitrepo.Repo
}

func (g git) Head() (string, error)             { return g.repo.Head(g.t.Context()) }
func (g git) Commit(ref string) (string, error) { return g.repo.Commit(g.t.Context(), ref) }
func (g git) DefaultBranch() string             { return "main" }

// fixture is a project in a folder of its own.
type fixture struct {
	t        *testing.T
	root     string
	home     string
	path     []string // commands that are installed
	env      map[string]string
	warnings []string
}

func newFixture(t *testing.T) *fixture {
	return &fixture{t: t, root: t.TempDir(), home: t.TempDir(), path: []string{"claude", "codex"}, env: map[string]string{}}
}

// project reads the fixture as a call of the program does.
func (f *fixture) project() *Project {
	f.warnings = nil
	return &Project{
		Root: f.root, OkstraHome: f.home, Catalogue: provider.Builtin,
		Git:       git{f.t, gitrepo.Open(f.root, os.Environ())},
		Installed: func(command string) bool { return slices.Contains(f.path, command) },
		Getenv:    func(name string) string { return f.env[name] },
		Warn:      func(text string) { f.warnings = append(f.warnings, text) },
	}
}

func (f *fixture) write(path, text string) string {
	f.t.Helper()
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(f.root, path)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	return full
}

func (f *fixture) link(target, path string) {
	f.t.Helper()
	if err := os.Symlink(target, filepath.Join(f.root, path)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) wantWarnings(fragments ...string) {
	f.t.Helper()
	if len(f.warnings) != len(fragments) {
		f.t.Errorf("%d warnings, want %d: %q", len(f.warnings), len(fragments), f.warnings)
		return
	}
	for _, want := range fragments {
		if !slices.ContainsFunc(f.warnings, func(text string) bool { return strings.Contains(text, want) }) {
			f.t.Errorf("no warning about %q: %q", want, f.warnings)
		}
	}
}

// task writes a task manifest. The title is the inside of a JSON string.
func (f *fixture) task(group, id, title string) {
	f.t.Helper()
	f.write(fmt.Sprintf(".okstra/tasks/%s/%s/task-manifest.json", group, id), fmt.Sprintf(
		`{"schemaVersion": "1.0", "kind": "okstra-task-manifest", "taskKey": "shop:%s:%s", "projectId": "shop", "taskGroup": %s, "taskId": %s,
 "title": "%s", "workCategory": "bugfix", "briefPath": "", "relatedTasks": [], "createdAt": "2026-01-01T00:00:00Z", "approvedPlan": null}`, "g", "t", strconv.Quote(group), strconv.Quote(id), title))
}

// ran writes the manifest of a run.
func (f *fixture) ran(ref, taskType, seq, at string) {
	f.t.Helper()
	f.write(fmt.Sprintf(".okstra/tasks/%s/runs/%s/manifests/run-manifest-%s-%s.json", ref, taskType, taskType, seq),
		fmt.Sprintf(`{"schemaVersion": "1.0", "kind": "okstra-run-manifest", "task": {"createdAt": "never"}, "createdAt": %q}`, at))
}

// planText is a valid planning report. Its clarification items and approval
// come as JSON texts.
const planText = `{"schemaVersion": "2.0", "kind": "okstra-final-report",
 "header": {"taskKey": "shop:pay:timeouts", "projectId": "shop", "taskGroup": "pay", "taskId": "timeouts", "taskType": "implementation-planning", "runSeq": "001", "reportLanguage": "en", "generatedAt": "%s"},
 "verdictCard": {"finalConclusion": "Two stages", "verdictToken": "not-applicable", "direction": "proceed", "approvalRequired": true, "nextStep": "approve"},
 "clarificationItems": %s,
 "executionStatus": [{"role": "analyser", "workerId": "claude", "status": "completed", "model": "opus"}],
 "consensus": [], "differences": [], "evidence": [], "missingInformation": [], "risks": [], "nextSteps": [{"id": "N-001", "action": "go on", "phase": "implementation"}], "followUpTasks": [], "usageSummary": null,
 "implementationPlanning": {
  "options": [{"id": "O-001", "title": "a", "summary": "b", "tradeOffs": [], "recommended": true}, {"id": "O-002", "title": "c", "summary": "d", "tradeOffs": [], "recommended": false}],
  "stages": [
   {"stage": 1, "title": "Retry\u001b[31m loop", "dependsOn": [], "effectiveSteps": 1, "stepwiseExecution": [{"step": 1, "action": "a", "files": "a.go", "doneWhen": "b"}], "exitCriteria": ["c"]},
   {"stage": 2, "title": "%s", "dependsOn": [1], "effectiveSteps": 1, "stepwiseExecution": [{"step": 1, "action": "a", "files": "b.go", "doneWhen": "b"}], "exitCriteria": ["c"]}],
  "validation": [{"id": "V-001", "check": "a"}], "rollback": [{"id": "B-001", "step": "a"}], "requirementCoverage": [], "planBodyVerification": null,
  "approval": {"requested": true, "approved": %v}}}`

func (f *fixture) plan(seq, at, items string, approved bool) string {
	f.t.Helper()
	base := ".okstra/tasks/pay/timeouts/runs/implementation-planning/reports/final-report-implementation-planning-" + seq
	f.write(base+".md", "# Plan\n")
	f.write(base+".data.json", fmt.Sprintf(planText, at, items, strings.Repeat("Counting ", 20), approved))
	return base + ".md"
}
