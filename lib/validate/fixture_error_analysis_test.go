package validate

import (
	"testing"

	"okstra/lib/converge"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/translate"
)

func analysts() []seat {
	return []seat{
		{id: "scope-a", role: run.RoleAnalyser, audience: run.AudienceAnalysis, provider: "claude", model: "opus", status: "completed", tokens: []int64{1200, 90000, 8000, 4000, 2500}, cost: "0.2035"},
		{id: "scope-b", role: run.RoleAnalyser, audience: run.AudienceAnalysis, provider: "codex", model: "gpt-5.6-sol", status: "completed", tokens: []int64{61200, 402300, 0, 0, 9120}, cost: "0.78075"},
		{id: "scope-c", role: run.RoleAnalyser, audience: run.AudienceAnalysis, provider: "kimi", model: "kimi-k3", status: "completed", tokens: []int64{10000, 30000, 0, 0, 2000}, cost: "0.069"},
	}
}

func writer() seat {
	return seat{id: "report-writer", role: run.RoleReportWriter, audience: run.AudienceReportWriter, provider: "claude", model: "opus", status: "completed", tokens: []int64{900, 20000, 0, 0, 6000}, cost: "0.1645"}
}

// taskFiles are the documents that all runs of the task share.
func taskFiles(t *testing.T) project {
	p := project{}
	s := newStory(t, p, "error-analysis", "002", "2026-09-08T19:30:00Z")
	s.put(s.f.TaskManifest(), run.TaskManifest{
		SchemaVersion: "1.0", Kind: "okstra-task-manifest", TaskKey: "shop:pay:checkout-timeouts", ProjectID: "shop", TaskGroup: "pay",
		TaskID: "checkout-timeouts", Title: "Checkout times out under load", WorkCategory: "bugfix", BriefPath: s.f.TaskDir() + "/brief.md",
		RelatedTasks: []string{}, CreatedAt: "2026-09-08T18:00:00Z",
	})
	p[s.f.TaskDir()+"/brief.md"] = []byte("# Checkout times out under load\n\nPAY-12: customers wait until the gateway gives up.\n")
	return p
}

// errorAnalysis is a run with four analysers, of whom one fails once and one
// is lost for good, two rounds of re-verification, a report and a translation.
func errorAnalysis(t *testing.T, p project) {
	seats := append([]seat{
		{id: "translator", role: run.RoleTranslator, provider: "kimi", model: "kimi-k3", status: "completed", why: "the translator leaves no transcript", ran: true},
	}, analysts()...)
	seats = append(seats, seat{
		id: "scope-d", role: run.RoleAnalyser, audience: run.AudienceAnalysis, provider: "grok", model: "grok-4.7",
		status: "timeout", reason: "no output for 900 s", why: "no grok session in the window", ran: true,
	}, writer())
	s := newStory(t, p, "error-analysis", "002", "2026-09-08T19:30:00Z", seats...)
	m := s.manifest("ko")
	s.result("scope-a", body("### F-001 Retry loop ignores the request deadline\n- Tickets: PAY-12\n- Evidence: internal/http/retry.go:31-58\n\nThe loop sleeps and retries without looking at ctx.Done().\n"))
	s.result("scope-b", body(
		"### F-001 Error text drops the upstream status\n- Tickets:\n- Evidence: internal/http/client.go:77\n",
		"### F-002 Pool size is read before the config file is loaded\n- Tickets:\n- Evidence: cmd/api/main.go:20\n\nPrinted value was 0 on a cold start.\n"))
	s.result("scope-c", body("### F-001 Retries outlive the request\n- Tickets: PAY-12\n- Evidence: internal/http/retry.go:44\n"))
	s.result("report-writer", body())
	state := s.converge(m, groupingText,
		map[string]string{
			"scope-a": "## G-002\nVerdict: AGREE\nEvidence: cmd/api/main.go:20\n",
			"scope-c": "## G-002\nVerdict: DISAGREE\nBasis: refuted\nEvidence: cmd/api/main.go:14-19\nReason: the file is loaded by init() in config.go before main runs\n",
		},
		map[string]string{
			"scope-a": "## G-002\nVerdict: DISAGREE\nBasis: refuted\nEvidence: config/config.go:9\nReason: init() runs first, as the other side says\n",
			"scope-c": "## G-002\nVerdict: DISAGREE\nBasis: refuted\nEvidence: cmd/api/main.go:14-19\nReason: the file is loaded by init() in config.go before main runs\n",
		})
	report := errorReport(t, s, state)
	s.finish(report) // once for the files that dispatches look at, once with the ledger
	s.calls = []call{
		{seat: "scope-a", purpose: "analysis", minute: 2},
		{seat: "scope-b", purpose: "analysis", minute: 2, failed: []string{"stream-cut"}},
		{seat: "scope-c", purpose: "analysis", minute: 2},
		{seat: "scope-d", purpose: "analysis", minute: 2, timeout: true},
		{seat: "scope-a", purpose: "reverify-r1", minute: 20},
		{seat: "scope-c", purpose: "reverify-r1", minute: 20},
		{seat: "scope-d", purpose: "reverify-r1", minute: 20, timeout: true},
		{seat: "scope-a", purpose: "reverify-r2", minute: 30},
		{seat: "scope-c", purpose: "reverify-r2", minute: 30},
		{seat: "scope-d", purpose: "reverify-r2", minute: 30, timeout: true},
		{seat: "report-writer", purpose: "report-writer", minute: 40},
		{seat: "translator", purpose: "translator-ko", minute: 50},
	}
	s.files[s.f.EventsLog()], s.files[s.f.ErrorsLog()] = nil, nil
	s.files[s.f.Translator("translator", "ko")] = []byte("## T-001\n재시도가 요청보다 오래 남는다\n")
	for _, c := range s.calls {
		s.dispatch(c)
	}
	s.line(s.f.EventsLog(), run.EventRow{RunID: "shop:pay:checkout-timeouts:error-analysis:001", At: "2026-09-07T10:00:00Z", Kind: "progress", Line: "PROGRESS: phase-4-dispatch analyser scope-a"})
	s.say("phase-1-intake reading task bundle", "phase-2-plan four analysers", "phase-3-team okstra-checkout-timeouts",
		"phase-4-dispatch analyser scope-a", "phase-4-dispatch analyser scope-b", "phase-4-dispatch analyser scope-c", "phase-4-dispatch analyser scope-d",
		"phase-5-collect analyser scope-a completed", "phase-5-collect analyser scope-c completed", "phase-5-collect analyser scope-d timeout",
		"phase-5-collect analyser scope-b completed", "phase-batch-cleanup analysis batch closed",
		"phase-5.5-convergence round 1", "phase-batch-cleanup verification batch closed",
		"phase-5.5-convergence round 2", "phase-batch-cleanup verification batch closed",
		"phase-6-synthesis dispatching report writer", "phase-7-teardown", "complete")
	s.finish(report)
	translation(t, s, "ko")
}

const groupingText = `# Grouping for run checkout-timeouts

## Roster
- scope-a: analysis (analyser)
- scope-b: analysis (analyser)
- scope-c: analysis (analyser)
- scope-d: analysis (analyser)
- report-writer: report-writer (report-writer)
- lead: lead (leader)

## Groups
### G-001 Retry loop ignores the request deadline
Tickets: PAY-12
Origin: scope-a
Origin Evidence: internal/http/retry.go:31-58
Discovered By: scope-a, scope-c
Source Items: scope-a#F-001, scope-c#F-001
### G-002 Pool size is read before the config file is loaded
Tickets:
Origin: scope-b
Origin Evidence: cmd/api/main.go:20
Discovered By: scope-b
Source Items: scope-b#F-002
Captured Evidence: printed value was 0 on a cold start
  while the file holds 16
`

func errorReport(t *testing.T, s *story, state converge.State) map[string]any {
	r := s.report(state)
	r["verdictCard"] = card("The retry loop outlives its request", "not-applicable", "proceed", "plan the change")
	r["ticketCoverage"] = []any{row("ticket", "PAY-12", "status", "covered", "refs", []string{"E-001"})}
	r["clarificationItems"] = []any{row("id", "C-001", "kind", "decision", "statement", "Which deadline applies?", "expectedForm", "a duration",
		"userInput", "", "status", "open", "blocks", "next-phase", "originRefs", []string{"H-001"})}
	r["errorAnalysis"] = row(
		"symptoms", []any{row("id", "S-001", "statement", "checkout answers after 90 s", "trigger", "upstream is slow")},
		"hypotheses", []any{row("id", "H-001", "cause", "the retry loop ignores the context", "evidenceRefs", []string{"E-001"}, "confidence", "high", "status", "supported")},
		"reproduction", row("status", "partial", "gap", "only with an artificial delay"),
		"validationPath", []string{"cancel the request and count attempts"})
	return r
}

func card(conclusion, token, direction, next string) map[string]any {
	return row("finalConclusion", conclusion, "verdictToken", token, "direction", direction, "approvalRequired", false, "nextStep", next)
}

// row makes an object from keys and values.
func row(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// report is what all reports have in common.
func (s *story) report(state converge.State) map[string]any {
	task := s.f.Task
	r := map[string]any{
		"header": row("taskKey", task.TaskKey, "projectId", task.ProjectID, "taskGroup", task.TaskGroup, "taskId", task.TaskID,
			"taskType", task.TaskType, "runSeq", task.RunSeq, "reportLanguage", "en", "generatedAt", s.at(45)),
		"clarificationItems": []any{}, "consensus": []any{}, "differences": []any{}, "evidence": []any{}, "missingInformation": []any{},
		"risks": []any{}, "nextSteps": []any{row("id", "N-001", "action", "plan the change", "phase", "implementation-planning")}, "followUpTasks": []any{},
	}
	status := []any{row("role", "leader", "workerId", "lead", "status", "completed", "model", "gpt-5.6-sol")}
	for _, x := range s.seats {
		if x.role == run.RoleTranslator {
			continue
		}
		e := row("role", x.role, "workerId", x.id, "status", x.status, "model", x.model)
		if x.reason != "" {
			e["reason"] = x.reason
		} else {
			e["resultPath"] = s.f.Result(x.id)
		}
		status = append(status, e)
	}
	r["executionStatus"] = status
	if state.Final() {
		sum, err := converge.Summarise(state)
		if err != nil {
			s.t.Fatal(err)
		}
		r["consensus"], r["differences"], r["evidence"] = sum.Consensus, sum.Differences, sum.Evidence
	}
	return r
}

// translation writes a sidecar that says the same in other words.
func translation(t *testing.T, s *story, lang string) {
	doc, err := jsondoc.Parse(s.f.ReportData(), s.files[s.f.ReportData()])
	if err != nil {
		t.Fatal(err)
	}
	report, err := translate.NewReport(s.f.ReportData(), doc)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := translate.ParseLang(lang)
	if err != nil {
		t.Fatal(err)
	}
	var answers []translate.Answer
	for _, item := range report.Items {
		answers = append(answers, translate.Answer{ID: item.ID, Text: item.Source, State: translate.StateTranslated, Origin: translate.OriginMarkdown})
	}
	sidecar, err := report.Sidecar(tag.String(), answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.put(translate.SidecarPath(s.f.ReportData(), tag), sidecar)
}
