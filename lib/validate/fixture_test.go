package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/converge"
	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/render"
	"okstra/lib/run"
)

// The folder testdata/run-ok is made here, from values, so that its digests,
// votes, sums and rendered pages agree; UPDATE_SCRIPTS=1 writes it anew.

// project is the content of a project folder, by path.
type project map[string][]byte

const recordedRoot = "/srv/shop"

// seat is a worker of a run.
type seat struct {
	id, role, provider, model string
	audience                  string // "" for none
	status, reason            string
	tokens                    []int64 // input, cache read, 5m, 1h, output; nil for unavailable usage
	cost                      string
	why                       string // usage is unavailable because
	ran                       bool
}

// call is a dispatch of a worker, with the causes of attempts that failed.
type call struct {
	seat, purpose string
	minute        int
	failed        []string
	timeout       bool
	result        string // path of what it wrote, "" for none
	planned       []string
	changed       []run.Change
}

// story is a run that is being made up.
type story struct {
	t         *testing.T
	files     project
	f         run.Folder
	start     time.Time
	seats     []seat
	calls     []call
	events    []string
	stage     *int
	inputs    run.InputFields
	team      run.TeamState
	refs      map[string]string
	state     *converge.State
	contracts []string
	activity  []run.EventRow
}

func newStory(t *testing.T, files project, taskType, seq string, start string, seats ...seat) *story {
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		t.Fatal(err)
	}
	return &story{
		t: t, files: files, start: at, seats: seats, refs: map[string]string{"lead": "re-0001"},
		f: run.Folder{Root: recordedRoot, Task: run.NewTask("shop", "pay", "checkout-timeouts", taskType, seq)},
	}
}

func (s *story) at(minute int) string {
	return run.Stamp(s.start.Add(time.Duration(minute) * time.Minute))
}

func (s *story) put(path string, v any) {
	raw, err := jsondoc.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.files[path] = raw
}

func (s *story) line(path string, v any) {
	raw, err := jsondoc.MarshalLine(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.files[path] = append(s.files[path], raw...)
}

//go:fix inline
func pointer[T any](v T) *T { return new(v) }

func (s *story) seat(id string) seat {
	for _, x := range s.seats {
		if x.id == id {
			return x
		}
	}
	s.t.Fatalf("no seat %q", id)
	return seat{}
}

// manifest writes run manifest, run inputs and active run context.
func (s *story) manifest(translations ...string) run.Manifest {
	f := s.f
	m := run.Manifest{
		SchemaVersion: "1.0", Kind: "okstra-run-manifest", RunID: f.Task.RunID(), Task: f.Task, ProjectRoot: recordedRoot,
		CreatedAt: s.at(0), Status: "completed", ReportLanguage: "en", Translations: append([]string{}, translations...),
		Host:             run.Host{Runtime: "codex", EntryMode: "current-session"},
		TaskManifestPath: f.TaskManifest(), ActiveRunContextPath: f.ActiveRunContext(), TeamStatePath: f.TeamState(),
		ReportDataPath: f.ReportData(), ReportPath: f.Report(), JournalPath: f.Journal(),
		EventsLogPath: f.EventsLog(), ErrorsLogPath: f.ErrorsLog(),
	}
	if f.Task.TaskType != handoff {
		m.ConvergenceInputPath, m.ConvergenceStatePath = new(f.ConvergenceInput()), new(f.Convergence())
	}
	if f.Task.TaskType == planning {
		m.PlanBodyStatePath = new(f.PlanBody())
	}
	lead := run.RoleExecution{
		Role: run.RoleLeader, Audience: pointer(run.AudienceLead), WorkerID: "lead", ParticipantRef: "participant:lead",
		RoleExecutionRef: "re-0001", Provider: "codex", Model: new("gpt-5.6-sol"), ModelExecutionValue: new("gpt-5.6-sol"),
	}
	m.RoleExecutions = append(m.RoleExecutions, lead)
	for i, x := range s.seats {
		row := run.RoleExecution{
			Role: x.role, WorkerID: x.id, ParticipantRef: run.ParticipantRef(x.id), RoleExecutionRef: run.RoleExecutionRef(i + 2),
			SourceRoleExecutionRef: new("re-0001"), Provider: x.provider, Model: new(x.model), ModelExecutionValue: new(x.model),
		}
		if x.audience != "" {
			row.Audience = new(x.audience)
		}
		s.refs[x.id] = row.RoleExecutionRef
		m.RoleExecutions = append(m.RoleExecutions, row)
	}
	if s.contracts != nil {
		m.Contracts = s.contracts
	}
	s.put(f.RunManifest(), m)
	s.writeInputs(translations)
	c := run.Context{SchemaVersion: "1.0", Kind: "okstra-active-run-context", Run: run.ContextRun{
		RunID: f.Task.RunID(), TaskType: f.Task.TaskType, RunSeq: f.Task.RunSeq, Stage: s.stage,
	}}
	c.SourceArtifacts.RunInputsPath, c.SourceArtifacts.RunManifestPath = f.RunInputs(), f.RunManifest()
	c.SourceArtifacts.BriefPath = f.TaskDir() + "/brief.md"
	s.put(f.ActiveRunContext(), c)
	return m
}

func (s *story) writeInputs(translations []string) {
	in := s.inputs
	task := s.f.Task
	in.ProjectRoot, in.ProjectID, in.TaskGroup, in.TaskID, in.TaskKey = recordedRoot, task.ProjectID, task.TaskGroup, task.TaskID, task.TaskKey
	in.TaskType, in.Host = task.TaskType, run.Host{Runtime: "codex", EntryMode: "current-session"}
	in.BriefPath, in.ReportLanguage = s.f.TaskDir()+"/brief.md", "en"
	in.Models = map[string]string{}
	in.Workers = []string{}
	for _, x := range s.seats {
		in.Models[x.id] = x.provider + "/" + x.model
		if x.audience == run.AudienceAnalysis {
			in.Workers = append(in.Workers, x.id)
		}
	}
	in.Translations = append([]string{}, translations...)
	for _, list := range []*[]string{&in.PlanApplyItems, &in.AnalysisTargets, &in.RelatedTasks} {
		*list = []string{}
	}
	if in.Stages == nil {
		in.Stages = []run.StageChoice{}
	}
	if in.HandoffStages == nil {
		in.HandoffStages = []run.StageChoice{}
	}
	in.DesignPrep = []run.DesignDecision{}
	s.put(s.f.RunInputs(), run.Inputs{SchemaVersion: "1.0", Kind: "okstra-run-inputs", Ready: true, Inputs: in})
}

// result writes a worker's result and its audit file.
func (s *story) result(id, body string) string {
	x := s.seat(id)
	path := s.f.Result(id)
	key := strings.ReplaceAll(s.f.Task.TaskKey, ":", "-")
	title := map[string]string{
		run.RoleAnalyser: "Analyser", run.RoleVerifier: "Verifier", run.RoleImplementer: "Implementer", run.RoleReportWriter: "Report Writer",
	}[x.role]
	s.files[path] = fmt.Appendf(nil, `---
title: "OKSTRA %s Result - %s"
id: %s
aliases: ["%s-%s"]
tags: ["worker-result", "%s"]
taskType: %s
workerId: %s
task-id: %s
---

%s`, title, s.f.Task.TaskKey, key, key, s.f.Task.TaskType, s.f.Task.TaskType, s.f.Task.TaskType, id, s.f.Task.TaskID, body)
	s.files[run.AuditOf(path)] = fmt.Appendf(nil, "# Audit %s %s %s\n\n## 0. Reading Confirmation\n- internal/http/retry.go: read, lines 1-120\n- docs/limits.md: not found\n",
		id, s.f.Task.TaskType, s.f.Task.RunSeq)
	return path
}

// body is the five sections of a result with items in the first.
func body(items ...string) string {
	first := "None."
	if len(items) > 0 {
		first = strings.TrimSpace(strings.Join(items, "\n"))
	}
	var out strings.Builder
	out.WriteString("## 1. Findings\n\n" + first + "\n")
	for i, name := range []string{"Missing Information", "Safe Assumptions", "Uncertain Points", "Recommended Next Actions"} {
		out.WriteString(fmt.Sprintf("\n## %d. %s\n\nNone.\n", i+2, name))
	}
	return out.String()
}

func (s *story) policy(x seat, c call, n int) *run.WritePolicy {
	paths := []string{c.result}
	if strings.Contains(c.result, "-worker-") {
		paths = append(paths, run.AuditOf(c.result))
	}
	paths = append(paths, s.f.WorkerErrors(x.id, n))
	if x.role == run.RoleReportWriter {
		paths = append(paths, s.f.ReportData(), s.f.Report())
	}
	p := &run.WritePolicy{
		ArtifactPolicy:  run.ArtifactPolicy{AllowedRoot: recordedRoot, AllowedPaths: paths},
		SourcePolicy:    run.SourcePolicy{Mode: "source-readonly", AllowedRoot: recordedRoot, PlannedPaths: []string{}, ProtectedPaths: []string{".okstra", ".git"}},
		GitPolicy:       run.GitPolicy{Mode: "disabled"},
		AuxiliaryPolicy: run.AuxiliaryPolicy{ScratchRoots: []string{}, GeneratedPaths: []string{}, ExternalRoots: []string{}},
	}
	if x.role == run.RoleImplementer {
		tree := "/home/u/.okstra/worktrees/shop/pay/checkout-timeouts-stage-1"
		p.SourcePolicy = run.SourcePolicy{Mode: "project-mutation", AllowedRoot: tree, PlannedPaths: c.planned, ProtectedPaths: []string{".okstra", ".git"}}
		chain := "fast-forward-descendant-chain"
		p.GitPolicy = run.GitPolicy{
			Mode: chain, WorktreeGitDir: recordedRoot + "/.git/worktrees/checkout-timeouts-stage-1", GitCommonDir: recordedRoot + "/.git",
			ExpectedBaseCommit: "5f0c0c7e0d3b7a1b1f2a3c4d5e6f708192a3b4c5", AllowedBranchRef: "refs/heads/fix-checkout-timeouts-stage-1", CommitMode: chain,
		}
	}
	return p
}

func (s *story) enforcement(p *run.WritePolicy) *run.WriteEnforcement {
	if p.SourcePolicy.Mode == "source-readonly" {
		return &run.WriteEnforcement{
			BoundaryPrecision: "exact-path", MutationAudit: "none", Attribution: "call", AuditedRoots: []string{recordedRoot},
			ObservationCoverage: "complete", UnobservedWriteSurfaces: []string{},
		}
	}
	return &run.WriteEnforcement{
		BoundaryPrecision: "directory-boundary", MutationAudit: "batch", Attribution: "batch-unattributed",
		AuditedRoots:        []string{p.SourcePolicy.AllowedRoot, recordedRoot, p.GitPolicy.WorktreeGitDir},
		ObservationCoverage: "partial", UnobservedWriteSurfaces: []string{"other-stage-refs", "shared-git-object-store"},
	}
}

// dispatch writes prompt, status files, sidecars, journal and ledger rows of a
// call.
func (s *story) dispatch(c call) {
	x := s.seat(c.seat)
	if c.result == "" {
		c.result = s.f.Result(x.id)
		if !strings.Contains("analysis implementer verifier report-writer", c.purpose) {
			c.result = s.f.Verdicts(x.id, c.purpose)
		}
	}
	prompt := s.f.Prompt(x.id, c.purpose)
	ref := run.AssignmentRef(c.purpose, x.id)
	jobID := s.f.Task.RunID() + "/" + ref
	for n := 1; n <= len(c.failed)+1; n++ {
		outcome, cause, class, mutation, exit := "completed", "ok", "completed", "artifact-only", new(0)
		switch {
		case n <= len(c.failed):
			outcome, cause, class, mutation, exit = "failed", c.failed[n-1], "failed-no-mutation", "none", new(1)
		case c.timeout:
			outcome, cause, class, mutation, exit = "timeout", "idle", "failed-no-mutation", "none", nil
		case x.role == run.RoleImplementer:
			mutation = "changed"
		}
		s.attempt(x, c, prompt, jobID, ref, n, outcome, cause, class, mutation, exit)
	}
}

func (s *story) attempt(x seat, c call, prompt, jobID, ref string, n int, outcome, cause, class, mutation string, exit *int) {
	p := s.policy(x, c, n)
	sum, err := digest.Value(p)
	if err != nil {
		s.t.Fatal(err)
	}
	given := run.PromptOfAttempt(prompt, n)
	s.files[given] = fmt.Appendf(nil, "**Project Root:** %s\n**Assignment:** %s\n\nRead the brief and report what you find.\n", recordedRoot, ref)
	session := fmt.Sprintf("00000000-0000-4000-8000-%012d", len(s.team.WorkerDispatches)+len(s.files))
	from, to := s.at(c.minute+8*(n-1)), s.at(c.minute+8*(n-1)+7)
	e := s.enforcement(p)
	done := outcome == "completed"
	state, limit := "exited", ""
	if outcome == "timeout" {
		state, limit = "timeout", "idle"
	}
	s.put(run.StatusPath(given), run.Status{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-status", State: state, Provider: x.provider, Model: x.model, ModelExecutionValue: x.model,
		Attempt: n, Owner: &run.Process{PID: 41800, StartTicks: 881200, BootID: "6f1c2b1e-7a0f-4e58-8f5e-0a3f0c6f1a22"},
		Process: &run.Process{PID: 41822, StartTicks: 881214}, Argv: []string{x.provider}, Cwd: recordedRoot, SessionID: session,
		StartedAt: from, FirstOutputAt: from, LastProgressAt: to, EndedAt: to, ExitCode: exit, Limit: limit, KillVerified: true,
		StdoutPath: run.StdoutPath(given), StderrPath: run.StderrPath(given), LogPath: run.LogPath(given), StdoutBytes: 8123, Usage: json.RawMessage("null"),
	})
	boundary := &run.Boundary{
		Kind: "overlay", ABI: new(7), SelfTest: "passed", Requested: []string{"overlay", "landlock"},
		LeavesOpen: []string{"cli-home", "network"}, Attribution: "call", Mutations: []run.Mutation{},
	}
	audit := &run.Audit{Verdict: "clean", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}
	if x.role == run.RoleImplementer {
		audit.Attribution, audit.Changes = "batch-unattributed", c.changed
		boundary.Kind, boundary.LeavesOpen, boundary.Attribution, boundary.Mutations = "landlock", []string{"cli-home", "metadata", "network"}, "batch", nil
	} else if done {
		boundary.Mutations = append(boundary.Mutations, run.Mutation{Path: c.result, Change: "created", Class: "artifact", CopiedOut: true})
	}
	sidecar := run.AttemptPath(prompt, n)
	a := run.Attempt{
		SchemaVersion: "1.0", Kind: "okstra-dispatch-attempt", JobID: jobID, Attempt: n, Round: n, PromptPath: given, StatusPath: run.StatusPath(given),
		SessionID: session, Placement: run.Placement{Cwd: recordedRoot, OnDirtyTree: "keep"}, WritePolicy: p, WritePolicyDigest: sum, WriteEnforcement: e,
		Boundary: boundary, Audit: audit, Outcome: &outcome, Cause: &cause, ResultClass: &class, Mutation: &mutation, Warnings: []string{},
		Artifact: &run.Artifact{Path: c.result, Present: done, NewerThanStart: done}, Evidence: &run.Evidence{},
	}
	if x.role == run.RoleImplementer {
		a.BaselinePath = s.f.AuditSnapshot(n)
		s.put(a.BaselinePath, map[string]any{
			"schemaVersion": "1.0", "kind": "okstra-mutation-snapshot", "root": p.SourcePolicy.AllowedRoot, "artifactRoot": recordedRoot,
			"policyDigests": []string{sum}, "git": nil,
			"columns": []string{"path", "type", "mode", "uid", "gid", "size", "mtimeNs", "ctimeNs", "ino", "digest"},
			"roots":   []any{map[string]any{"root": p.SourcePolicy.AllowedRoot, "rows": []any{}, "unreadable": []any{}}},
		})
	}
	if content, ok := s.files[c.result]; ok && done {
		a.Artifact.Bytes, a.Artifact.Digest = int64(len(content)), digest.Bytes(content)
	}
	s.put(sidecar, a)
	s.line(s.f.Journal(), run.Result{
		SchemaVersion: "1.0", Kind: "okstra-result", JobID: jobID, AssignmentRef: ref, WorkerID: x.id, Role: x.role, Provider: x.provider, Model: x.model,
		Attempt: n, Outcome: &outcome, Cause: &cause, ResultClass: &class, Mutation: &mutation, ExitCode: exit, WallMs: 420000, SessionID: session,
		Boundary: boundary.Kind, ResultPath: c.result, PromptPath: given, StatusPath: run.StatusPath(given), AttemptPath: sidecar,
		LogPath: run.LogPath(given), Warnings: []string{},
	})
	row, err := json.Marshal(run.LedgerRow{
		SchemaVersion: "2.0", AssignmentRef: ref, RoleExecutionRef: s.refs[x.id], Role: x.role, Provider: x.provider, Model: x.model,
		ModelExecutionValue: x.model, Attempt: n, PromptPath: given, ResultPath: c.result, AttemptPath: sidecar, SessionID: session,
		DispatchedAt: from, EndedAt: to, Outcome: &outcome, Cause: &cause, ResultClass: &class, Mutation: &mutation, ExitCode: exit,
		WritePolicyDigest: sum, BoundaryKind: boundary.Kind, WriteEnforcement: e,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ledger := strings.TrimSuffix(string(s.team.WorkerDispatches), "]")
	if ledger == "" || ledger == "[" {
		ledger = "["
	} else {
		ledger += ","
	}
	s.team.WorkerDispatches = json.RawMessage(ledger + string(row) + "]")
	if !done {
		s.line(s.f.ErrorsLog(), run.ErrorRow{
			RunID: s.f.Task.RunID(), At: to, ErrorType: "cli-failure", Phase: "phase-4-dispatch", Source: "observed", AssignmentRef: ref,
			Role: x.role, Attempt: n, Outcome: outcome, Cause: cause, Command: x.provider, ExitCode: exit, Message: "ended early", LogPath: run.LogPath(given),
		})
	}
}

// say adds the lead's checkpoints, a minute apart.
func (s *story) say(lines ...string) { s.events = append(s.events, lines...) }

// finish writes the team state, the events log and the rendered report.
func (s *story) finish(report map[string]any) {
	ended := s.at(90)
	team := s.team
	team.SchemaVersion, team.Kind, team.RunID, team.TaskType = "2.0", "okstra-team-state", s.f.Task.RunID(), s.f.Task.TaskType
	team.ProjectRoot, team.RunManifestPath, team.HostRuntime, team.EntryMode = recordedRoot, s.f.RunManifest(), "codex", "current-session"
	team.StartedAt, team.EndedAt = s.at(0), ended
	team.Team, team.TeamCreate = &run.Team{TeamName: "okstra-checkout-timeouts"}, &run.TeamCreate{Attempted: true, Status: "ok"}
	usage, summary := s.usage()
	team.Lead = run.Lead{
		Role: run.RoleLeader, Agent: "Codex lead", Provider: "codex", Model: new("gpt-5.6-sol"),
		SessionID: "0199aa10-0000-7000-8000-000000000001", Usage: usage["lead"],
	}
	for _, x := range s.seats {
		w := run.Worker{
			WorkerID: x.id, Role: x.role, Agent: run.AgentName(x.id), Provider: x.provider, Model: new(x.model), ModelExecutionValue: new(x.model),
			Status: new(x.status), Reason: x.reason, Usage: usage[x.id],
		}
		for _, c := range s.calls {
			if c.seat == x.id && w.PromptPath == "" {
				w.PromptPath = s.f.Prompt(x.id, c.purpose)
			}
		}
		if x.status == "completed" && x.role != run.RoleTranslator {
			w.ResultPath = s.f.Result(x.id)
		}
		team.Workers = append(team.Workers, w)
	}
	if len(team.WorkerDispatches) == 0 {
		team.WorkerDispatches = json.RawMessage("[]")
	}
	if team.Workers == nil {
		team.Workers = []run.Worker{}
	}
	team.UsageSummary = summary
	team.PhaseTimeline = json.RawMessage(`{"source": "lead-events", "phases": []}`)
	s.put(s.f.TeamState(), team)
	for i, line := range s.events {
		s.line(s.f.EventsLog(), run.EventRow{RunID: s.f.Task.RunID(), At: s.at(i + 1), Kind: "progress", Line: "PROGRESS: " + line})
	}
	for _, row := range s.activity {
		s.line(s.f.EventsLog(), row)
	}
	report["schemaVersion"], report["kind"], report["usageSummary"] = "2.0", "okstra-final-report", summary
	raw := ordered(s.t, report)
	s.files[s.f.ReportData()] = raw
	doc, err := jsondoc.Parse("report", raw)
	if err != nil {
		s.t.Fatal(err)
	}
	page, err := render.Markdown(doc)
	if err != nil {
		s.t.Fatal(err)
	}
	s.files[s.f.Report()] = page
}

// ordered writes a report with its keys in the order of the schema.
func ordered(t *testing.T, report map[string]any) []byte {
	order := []string{
		"schemaVersion", "kind", "header", "verdictCard", "clarificationItems", "executionStatus", "consensus", "differences", "evidence",
		"missingInformation", "risks", "nextSteps", "followUpTasks", "ticketCoverage", "usageSummary",
	}
	for _, key := range sorted(blocks) {
		order = append(order, blocks[key])
	}
	var b bytes.Buffer
	b.WriteString("{")
	for _, key := range order {
		v, ok := report[key]
		if !ok {
			continue
		}
		raw, err := jsondoc.MarshalLine(v)
		if err != nil {
			t.Fatal(err)
		}
		if b.Len() > 1 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:%s", key, bytes.TrimSpace(raw))
	}
	b.WriteString("}")
	out, err := jsondoc.Marshal(json.RawMessage(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// write puts a project into a folder.
func (p project) write(t *testing.T, dir string) {
	t.Helper()
	for _, name := range sorted(p) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, p[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// clone is a copy whose files can be changed.
func (p project) clone() project {
	out := make(project, len(p))
	for name, content := range p {
		out[name] = append([]byte(nil), content...)
	}
	return out
}

// readProject reads a folder.
func readProject(t testing.TB, dir string) project {
	p := project{}
	err := filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(at)
		rel, _ := filepath.Rel(dir, at)
		p[filepath.ToSlash(rel)] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
