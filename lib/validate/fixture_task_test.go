package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"okstra/lib/converge"
	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// The other runs of the task, from its first requirement to its hand-off.

// twoSources is a grouping with one finding that two workers have made.
func twoSources(claim string, ids ...string) string {
	var b strings.Builder
	b.WriteString("# Grouping\n\n## Roster\n")
	role := "analyser"
	if strings.HasPrefix(ids[0], "v:") {
		role, ids = "verifier", append([]string{ids[0][2:]}, ids[1:]...)
	}
	for _, id := range ids {
		fmt.Fprintf(&b, "- %s: analysis (%s)\n", id, role)
	}
	fmt.Fprintf(&b, "- report-writer: report-writer (report-writer)\n- lead: lead (leader)\n\n## Groups\n### G-001 %s\nTickets: PAY-12\nOrigin: %s\nOrigin Evidence: internal/http/retry.go:31-58\nDiscovered By: %s\nSource Items: %s#F-001, %s#F-001\n",
		claim, ids[0], strings.Join(ids[:2], ", "), ids[0], ids[1])
	return b.String()
}

const oneItem = "### F-001 %s\n- Tickets: PAY-12\n- Evidence: internal/http/retry.go:31-58\n"

// simple is a run whose findings all have two sources: no round is asked.
func simple(s *story, claim string, m run.Manifest) converge.State {
	var ids []string
	for _, x := range s.seats {
		if x.audience == run.AudienceAnalysis {
			ids = append(ids, x.id)
			s.result(x.id, body(fmt.Sprintf(oneItem, claim)))
		}
	}
	if s.seat(ids[0]).role == run.RoleVerifier {
		ids[0] = "v:" + ids[0]
	}
	s.result("report-writer", body())
	return s.converge(m, twoSources(claim, ids...))
}

// course dispatches the seats of a run and says so.
func (s *story) course(purposes map[string]string, extra ...string) {
	s.files[s.f.ErrorsLog()] = nil
	delete(s.files, s.f.ErrorsLog())
	s.say("phase-1-intake reading task bundle")
	s.say(extra...)
	var collected []string
	for _, x := range s.seats {
		purpose := purposes[x.role]
		s.calls = append(s.calls, call{
			seat: x.id, purpose: purpose, minute: 2, planned: []string{"go.mod", "internal/http/retry.go", "internal/http/retry_test.go"},
			changed: []run.Change{{Path: "internal/http/retry.go", Surface: "tree", Change: "modified", Class: "planned"}},
		})
		if x.role != run.RoleReportWriter {
			s.say("phase-4-dispatch " + x.role + " " + x.id)
			collected = append(collected, "phase-5-collect "+x.role+" "+x.id+" completed")
		}
	}
	s.say(collected...)
	for _, c := range s.calls {
		s.dispatch(c)
	}
	s.say("phase-batch-cleanup batch closed", "phase-6-synthesis dispatching report writer")
}

// complete writes the report before and after the dispatches, which look at it.
func (s *story) complete(report map[string]any, purposes map[string]string, extra ...string) {
	s.finish(report)
	delete(s.files, s.f.EventsLog())
	s.course(purposes, extra...)
	s.finish(report)
}

var analysisPurposes = map[string]string{run.RoleAnalyser: "analysis", run.RoleReportWriter: "report-writer"}

func tickets() []any {
	return []any{row("ticket", "PAY-12", "status", "covered", "refs", []string{"E-001"})}
}

func discoveryRun(t *testing.T, p project) {
	s := newStory(t, p, discovery, "001", "2026-09-08T08:00:00Z", append(analysts()[:2], writer())...)
	state := simple(s, "Deadlines are not part of the API", s.manifest())
	r := s.report(state)
	r["verdictCard"] = card("Two requirements", "not-applicable", "proceed", "analyse the error")
	r["ticketCoverage"] = tickets()
	r["missingInformation"] = []any{row("id", "M-001", "statement", "the gateway's own deadline", "impact", "decides the default")}
	r["requirementsDiscovery"] = row("workCategory", "bugfix", "routing", row("nextPhase", "pending-routing-decision", "rationale", "the cause is not known"),
		"requirements", []any{
			row("id", "Q-001", "statement", "a request ends with its deadline", "source", "PAY-12", "priority", "high"),
			row("id", "Q-002", "statement", "attempts are counted", "source", "PAY-12", "priority", "low"),
		}, "missingInputs", []string{"M-001"})
	s.complete(r, analysisPurposes)
}

// planVotes are the verdicts of the planning run, by round, item and worker.
var planVotes = []map[string]map[string]string{
	{"P-005": {"scope-b": "DISAGREE c", "scope-c": "DISAGREE c"}},
	{"P-005": {"scope-c": "DISAGREE e"}},
}

func planningRun(t *testing.T, p project) {
	s := newStory(t, p, planning, "001", "2026-09-08T22:00:00Z", append(analysts(), writer())...)
	s.contracts = []string{activityContract}
	m := s.manifest()
	state := simple(s, "The loop needs the request's context", m)
	r := s.report(state)
	r["verdictCard"] = card("Two stages", "not-applicable", "proceed", "carry out stage 1")
	r["ticketCoverage"] = tickets()
	r["clarificationItems"] = []any{row("id", "C-001", "kind", "decision", "statement", "May go.mod change?", "expectedForm", "yes or no",
		"userInput", "yes", "status", "answered", "blocks", "approval", "originRefs", []string{"P-005"})}
	step := func(n int, action, files string) any {
		return row("step", n, "action", action, "files", files, "doneWhen", "the test passes")
	}
	plan := row(
		"options", []any{
			row("id", "O-001", "title", "Pass the context on", "summary", "stop the loop when the request ends", "tradeOffs", []string{"touches two files"}, "recommended", true),
			row("id", "O-002", "title", "Cap the attempts", "summary", "at most three", "tradeOffs", []string{}, "recommended", false),
		},
		"stages", []any{
			row("stage", 1, "title", "Retry loop", "dependsOn", []int{}, "effectiveSteps", 2, "stepwiseExecution", []any{
				step(1, "pass the context", "`internal/http/retry.go`<br>internal/http/retry_test.go"), step(2, "take the new module", "go.mod"),
			}, "exitCriteria", []string{"go test ./internal/http passes"}),
			row("stage", 2, "title", "Counting", "dependsOn", []int{1}, "effectiveSteps", 1, "stepwiseExecution", []any{
				step(1, "count attempts", "internal/http/retry.go, internal/metrics/attempts.go"),
			}, "exitCriteria", []string{"the counter is exported"}),
		},
		"validation", []any{row("id", "V-001", "check", "no attempt after cancel", "command", "go test ./internal/http", "stage", 1)},
		"rollback", []any{row("id", "B-001", "step", "revert the commits")},
		"requirementCoverage", []any{row("requirementId", "Q-001", "stages", []int{1}), row("requirementId", "Q-002", "stages", []int{2})},
		"approval", row("requested", true, "approved", true, "approvedAt", "2026-09-08T23:40:00Z"))
	body := s.planBody(plan)
	plan["planBodyVerification"] = body
	r["implementationPlanning"] = plan
	at := func(minute int) string { return s.at(minute) }
	event := func(kind string, minute int, e run.EventRow) {
		e.RunID, e.At, e.Kind, e.Contract, e.ID = s.f.Task.RunID(), at(minute), kind, activityContract, fmt.Sprintf("A-%03d", len(s.activity)+1)
		s.activity = append(s.activity, e)
	}
	for _, kind := range []string{"worker-dispatch", "worker-collect"} {
		for _, id := range []string{"scope-a", "scope-b", "scope-c"} {
			event(kind, 30, run.EventRow{AssignmentRef: run.AssignmentRef("analysis", id), Attempt: 1, Role: run.RoleAnalyser})
		}
	}
	event("verification", 40, run.EventRow{Round: 1})
	event("self-fix", 41, run.EventRow{Round: 1})
	event("verification", 50, run.EventRow{Round: 2})
	event("user-decision", 55, run.EventRow{Ref: "C-001"})
	s.finish(r)
	delete(s.files, s.f.EventsLog())
	s.course(analysisPurposes)
	for i := range planVotes {
		for _, id := range []string{"scope-a", "scope-b", "scope-c"} {
			s.dispatch(call{seat: id, purpose: fmt.Sprintf("plan-verify-r%d", i+1), minute: 40 + 10*i})
		}
	}
	s.say("phase-5.5.9-plan-verify round 1", "phase-batch-cleanup plan verification closed", "phase-5.5.9-plan-verify round 2")
	s.finish(r)
}

// planBody writes the plan-body state and its verdict files, and gives what the
// report says of them.
func (s *story) planBody(plan map[string]any) any {
	refs := []string{"/options/0", "/options/1", "/stages/0", "/stages/0/stepwiseExecution/0", "/stages/0/stepwiseExecution/1", "/stages/1", "/stages/1/stepwiseExecution/0", "/validation/0", "/rollback/0"}
	raw, err := jsondoc.Marshal(plan)
	if err != nil {
		s.t.Fatal(err)
	}
	doc, err := jsondoc.Parse("plan", raw)
	if err != nil {
		s.t.Fatal(err)
	}
	var items []any
	digests := map[string]string{}
	for i, ref := range refs {
		text, ok := doc.Lookup(ref)
		if !ok {
			s.t.Fatal(ref)
		}
		id := fmt.Sprintf("P-%03d", i+1)
		digests[id] = digest.Bytes(text)
		items = append(items, row("itemId", id, "ref", "/implementationPlanning"+ref, "digest", digests[id]))
	}
	voters := []string{"scope-a", "scope-b", "scope-c"}
	var rounds []any
	gates := []string{gateBlocked, gateDissent}
	for n, against := range planVotes {
		ids := sorted(digests)
		if n > 0 {
			ids = sorted(against)
		}
		asked, files, verdicts := map[string][]string{}, []any{}, []any{}
		for _, w := range voters {
			asked[w] = ids
			var text strings.Builder
			text.WriteString(fmt.Sprintf("# Plan verify\nRound: %d\nWorker: %s\n", n+1, w))
			for _, id := range ids {
				d := digests[id]
				if n == 0 && id == "P-005" {
					d = digest.Bytes([]byte("the step as it was"))
				}
				verdict, letter, _ := strings.Cut(against[id][w], " ")
				v := row("itemId", id, "workerId", w, "digest", d, "verdict", "AGREE", "letter", nil, "evidence", "", "reason", "")
				text.WriteString("\n## " + id + "\nVerdict: ")
				if verdict == "" {
					text.WriteString("AGREE\n")
				} else {
					v["verdict"], v["letter"], v["evidence"], v["reason"] = verdict, letter, "go.mod:3", "the module is not there yet"
					text.WriteString(verdict + "\nLetter: " + letter + "\nEvidence: go.mod:3\nReason: the module is not there yet\n")
				}
				verdicts = append(verdicts, v)
			}
			name := s.f.Verdicts(w, fmt.Sprintf("plan-verify-r%d", n+1))
			s.files[name] = []byte(text.String())
			files = append(files, row("workerId", w, "sha256", digest.Bytes([]byte(text.String()))))
		}
		slices.SortStableFunc(verdicts, func(a, b any) int { // as plan-body apply has them
			return cmp.Compare(a.(map[string]any)["itemId"].(string), b.(map[string]any)["itemId"].(string))
		})
		var fix any
		if n == 0 {
			fix = row("note", "the module's version is named now", "items", []string{"P-005"})
		}
		rounds = append(rounds, row("round", n+1, "asked", asked, "files", files, "verdicts", verdicts, "missing", []any{}, "selfFix", fix, "gate", gates[n]))
	}
	var seats []any
	for _, w := range voters {
		seats = append(seats, row("workerId", w, "sourceRoleExecutionRef", s.refs[w]))
	}
	s.put(s.f.PlanBody(), row("schemaVersion", "1.0", "kind", "okstra-plan-body", "task", s.f.Task,
		"config", row("enabled", true, "maxRounds", 2, "adversarial", true), "voters", seats, "items", items,
		"next", row("action", "done"), "rounds", rounds, "gate", gates[len(gates)-1]))
	var reported []any
	for _, id := range sorted(digests) {
		r := row("id", id, "ref", "/implementationPlanning"+refs[len(reported)], "agree", 3, "disagree", 0, "supplement", 0, "letters", []string{})
		if id == "P-005" {
			r["agree"], r["disagree"], r["letters"] = 2, 1, []string{"e"}
		}
		reported = append(reported, r)
	}
	return row("gate", gates[len(gates)-1], "rounds", len(rounds), "items", reported)
}

func verifiers() []seat {
	list := analysts()[:2]
	for i := range list {
		list[i].role = run.RoleVerifier
	}
	return list
}

func implementationRun(t *testing.T, p project) {
	seats := append([]seat{{id: "implementer", role: run.RoleImplementer, provider: "claude", model: "opus", status: "completed", tokens: []int64{3000, 120000, 0, 0, 14000}, cost: "0.9"}}, verifiers()...)
	s := newStory(t, p, building, "001", "2026-09-09T08:00:00Z", append(seats, writer())...)
	s.stage = new(1)
	s.inputs.ApprovedPlanPath = run.Folder{Task: run.NewTask("shop", "pay", "checkout-timeouts", planning, "001")}.Report()
	s.inputs.Stages, s.inputs.Executor = []run.StageChoice{{Number: 1}}, "claude"
	m := s.manifest()
	s.result("implementer", body())
	state := simple(s, "The loop ends with the request", m)
	s.put(s.f.Carry(1), run.StageCarry{SchemaVersion: "1.0", Kind: "okstra-stage-carry", Stage: 1, Result: "PASS", Commits: []string{"5f0c0c7"}})
	r := s.report(state)
	r["verdictCard"] = card("Stage 1 is done", "not-applicable", "proceed", "verify stage 1")
	r["ticketCoverage"] = tickets()
	r["implementation"] = row("stage", 1, "approvedPlanRef", s.inputs.ApprovedPlanPath,
		"commits", []any{row("sha", "5f0c0c7", "subject", "retry: end with the request", "files", []string{"internal/http/retry.go"})},
		"changedFiles", []any{row("path", "internal/http/retry.go", "planned", true)},
		"verification", []any{row("verifier", "scope-a", "result", "PASS", "checks", []string{"go test ./internal/http"})},
		"carry", row("persisted", true, "path", s.f.Carry(1)), "deviations", []string{})
	s.complete(r, map[string]string{run.RoleImplementer: "implementer", run.RoleVerifier: "verifier", run.RoleReportWriter: "report-writer"}, "phase-5-stage stage 1")
	s.line(s.f.EventsLog(), run.EventRow{RunID: s.f.Task.RunID(), At: s.at(60), Kind: "progress", Line: "PROGRESS: phase-5-stage-complete stage 1"})
}

func verificationRun(t *testing.T, p project) {
	s := newStory(t, p, verification, "001", "2026-09-09T12:00:00Z", append(verifiers(), writer())...)
	s.stage = new(1)
	s.inputs.ApprovedPlanPath = run.Folder{Task: run.NewTask("shop", "pay", "checkout-timeouts", planning, "001")}.Report()
	s.inputs.Stages = []run.StageChoice{{Number: 1}}
	state := simple(s, "No attempt after the deadline", s.manifest())
	r := s.report(state)
	r["verdictCard"] = card("Stage 1 holds", "accepted", "proceed", "hand stage 1 off")
	r["ticketCoverage"] = tickets()
	r["finalVerification"] = row("scope", "stage", "stages", []int{1},
		"coverage", []any{row("requirementId", "Q-001", "status", "covered", "artifact", "internal/http/retry_test.go")},
		"acceptanceBlockers", []any{},
		"residualRisks", []any{row("id", "W-001", "statement", "cold-start order not measured", "origin", "verifier")},
		"readOnlyCommands", []any{row("command", "go test ./internal/http/...", "exitCode", 0, "summary", "42 passed")})
	s.complete(r, map[string]string{run.RoleVerifier: "verifier", run.RoleReportWriter: "report-writer"})
	s.line(s.f.Consumers(), run.StageConsumer{
		SchemaVersion: "1.0", Kind: "okstra-stage-consumer", RunID: s.f.Task.RunID(), At: s.at(95), Stage: run.StageChoice{Number: 1},
		Status: "verified", VerdictToken: new("accepted"), ReportDataPath: s.f.ReportData(),
	})
}

func handoffRun(t *testing.T, p project) {
	s := newStory(t, p, handoff, "001", "2026-09-09T15:00:00Z")
	s.inputs.HandoffStages = []run.StageChoice{{Number: 1}}
	s.manifest()
	r := s.report(converge.State{})
	verified := run.Folder{Task: run.NewTask("shop", "pay", "checkout-timeouts", verification, "001")}
	r["verdictCard"] = card("Stage 1 is pushed", "not-applicable", "stop", "review the pull request")
	r["releaseHandoff"] = row("mode", "stage-group", "stages", []int{1}, "action", "commit-and-pr", "baseBranch", "main", "messageHandling", "use-as-is",
		"commands", []any{
			row("argv", []string{"git", "push", "origin", "fix-checkout-timeouts-stage-1"}, "exitCode", 0),
			row("argv", []string{"gh", "pr", "create", "--base", "main"}, "exitCode", 0),
		}, "prUrl", "https://example.com/shop/pull/7", "verificationRef", verified.ReportData())
	s.say("phase-1-intake reading task bundle")
	s.finish(r)
	s.line(s.f.Consumers(), run.StageConsumer{
		SchemaVersion: "1.0", Kind: "okstra-stage-consumer", RunID: s.f.Task.RunID(), At: s.at(20), Stage: run.StageChoice{Number: 1},
		Status: "taken", ReportDataPath: s.f.ReportData(),
	})
}

func improvementRun(t *testing.T, p project) {
	s := newStory(t, p, "improvement-discovery", "001", "2026-09-10T08:00:00Z", append(analysts()[:2], writer())...)
	state := simple(s, "Attempts are nowhere counted", s.manifest())
	r := s.report(state)
	r["verdictCard"] = card("One candidate", "not-applicable", "proceed", "decide about it")
	r["ticketCoverage"] = tickets()
	r["improvementDiscovery"] = row("candidates", []any{row("id", "I-001", "title", "Count attempts", "lens", "operations", "evidenceRefs", []string{"E-001"},
		"impact", "medium", "effort", "low", "priority", 1)}, "routing", row("nextPhase", "pending-routing-decision", "rationale", "small and useful"))
	s.complete(r, analysisPurposes)
}
