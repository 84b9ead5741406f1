package run

import (
	"encoding/json"
	"strings"
	"testing"
)

var folder = Folder{Root: "/srv/shop", Task: NewTask("shop", "pay", "checkout-timeouts", "error-analysis", "002")}

func TestWhereArtifactsLie(t *testing.T) {
	const r = ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/"
	for _, tt := range []struct{ got, want string }{
		{folder.TaskManifest(), ".okstra/tasks/pay/checkout-timeouts/task-manifest.json"},
		{folder.Consumers(), ".okstra/tasks/pay/checkout-timeouts/consumers.jsonl"},
		{folder.RunManifest(), r + "manifests/run-manifest-error-analysis-002.json"},
		{folder.RunInputs(), r + "manifests/run-inputs-error-analysis-002.json"},
		{folder.ActiveRunContext(), r + "state/active-run-context-error-analysis-002.json"},
		{folder.TeamState(), r + "state/team-state-error-analysis-002.json"},
		{folder.Grouping(), r + "state/grouping-error-analysis-002.md"},
		{folder.ConvergenceInput(), r + "state/convergence-input-error-analysis-002.json"},
		{folder.Convergence(), r + "state/convergence-error-analysis-002.json"},
		{folder.PlanBody(), r + "state/plan-body-error-analysis-002.json"},
		{folder.AuditSnapshot(3), r + "state/audit-error-analysis-002-r3.json"},
		{folder.Prompt("scope-a", "analysis"), r + "prompts/scope-a-analysis-error-analysis-002.md"},
		{folder.Result("scope-a"), r + "worker-results/scope-a-worker-error-analysis-002.md"},
		{folder.WorkerErrors("scope-a", 1), r + "worker-results/scope-a-worker-errors.json"},
		{folder.WorkerErrors("scope-a", 2), r + "worker-results/scope-a-worker-errors.attempt-2.json"},
		{folder.Verdicts("scope-a", "reverify-r1"), r + "worker-results/scope-a-reverify-r1-error-analysis-002.md"},
		{folder.Critic("scope-a"), r + "worker-results/scope-a-critic-error-analysis-002.md"},
		{folder.Translator("translator", "ko"), r + "worker-results/translator-translator-ko-error-analysis-002.md"},
		{folder.ReportData(), r + "reports/final-report-error-analysis-002.data.json"},
		{folder.Report(), r + "reports/final-report-error-analysis-002.md"},
		{folder.Translation("ko"), r + "reports/final-report-error-analysis-002.translation.ko.json"},
		{folder.Carry(2), r + "carry/stage-2.json"},
		{folder.Journal(), r + "logs/dispatch-error-analysis-002.jsonl"},
		{folder.EventsLog(), r + "logs/events.jsonl"},
		{folder.ErrorsLog(), r + "logs/errors.jsonl"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestSidecarsOfAnAttempt(t *testing.T) {
	const first = "R/prompts/scope-b-analysis-error-analysis-002.md"
	for _, tt := range []struct{ got, want string }{
		{PromptOfAttempt(first, 1), first},
		{PromptOfAttempt(first, 2), "R/prompts/scope-b-analysis-error-analysis-002.attempt-2.md"},
		{StatusPath(PromptOfAttempt(first, 2)), "R/prompts/scope-b-analysis-error-analysis-002.attempt-2.md.status.json"},
		{AttemptPath(first, 2), "R/prompts/scope-b-analysis-error-analysis-002.md.attempt-2.json"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// A purpose is a part of file names: none leads out of its folder.
func TestPurposes(t *testing.T) {
	for _, tt := range []struct {
		purpose string
		ok      bool
	}{
		{"analysis", true},
		{"critic-gap", true},
		{"reverify-r12", true},
		{"plan-verify-r1", true},
		{"report-writer", true},
		{"report-writer-2", true},
		{"translator-pt-BR", true},
		{"", false},
		{"reverify-r0", false},
		{"reverify", false},
		{"report-writer-", false},
		{"report-writer-0", false},
		{"report-writer-1", false},
		{"report-writer--1", false},
		{"report-writer-02", false},
		{"report-writer-xx", false},
		{"report-writer-2\n", false},
		{"report-writer-/../../x", false},
		{"translator-../x", false},
	} {
		if err := CheckPurpose(tt.purpose); (err == nil) != tt.ok {
			t.Errorf("CheckPurpose(%q) = %v, want ok %v", tt.purpose, err, tt.ok)
		}
	}
}

func TestAuditNameReplacesOnlyTheFirstWorker(t *testing.T) {
	const result = "a-worker-b/report-writer-worker-x-worker-001.md"
	if got, want := AuditOf(result), "a-worker-b/report-writer-worker-audit-x-worker-001.md"; got != want {
		t.Errorf("AuditOf(%q) = %q, want %q", result, got, want)
	}
}

func TestPathsOutsideTheProjectStayAbsolute(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/srv/shop/a/b", "a/b"},
		{"/srv/shop", "."},
		{"/srv/other", "/srv/other"},
		{"/srv/shop..x", "/srv/shop..x"},
		{"/srv/shop/..x", "..x"},
	} {
		if got := Rel("/srv/shop", tt.path); got != tt.want {
			t.Errorf("Rel(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestRootAbove(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/srv/shop/.okstra/tasks/x.json", "/srv/shop"},
		{"/srv/shop/.okstra", "/srv/shop"},
		{"/srv/shop/x.json", ""},
		{"/", ""},
	} {
		if got := RootAbove(tt.path); got != tt.want {
			t.Errorf("RootAbove(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for _, tt := range []struct {
		value  string
		worker bool
		ok     bool
	}{
		{"checkout-timeouts", false, true},
		{"Shop_1.2", false, true},
		{strings.Repeat("a", 64), false, true},
		{strings.Repeat("a", 65), false, false},
		{"", false, false},
		{".a", false, false},
		{"a/b", false, false},
		{"a.", false, false},
		{"a.lock", false, false},
		{"..", false, false},
		{"a\nb", false, false},
		{"scope-a", true, true},
		{"claude-2", true, true},
		{"Claude", true, false},
		{"a-worker-b", true, false},
		{"a-worker", true, true},
	} {
		check := CheckSegment
		if tt.worker {
			check = CheckWorkerID
		}
		if err := check(tt.value); (err == nil) != tt.ok {
			t.Errorf("check of %q (worker %v): %v, want ok %v", tt.value, tt.worker, err, tt.ok)
		}
	}
}

func TestTaskCheckNamesTheField(t *testing.T) {
	good := folder.Task
	for _, tt := range []struct {
		name string
		edit func(*Task)
		want string
	}{
		{"good", func(*Task) {}, ""},
		{"group", func(t *Task) { t.TaskGroup = "../x" }, "taskGroup"},
		{"type", func(t *Task) { t.TaskType = "testing" }, "taskType"},
		{"seq", func(t *Task) { t.RunSeq = "2" }, "runSeq"},
		{"key", func(t *Task) { t.TaskKey = "a:b:c" }, "taskKey"},
	} {
		task := good
		tt.edit(&task)
		err := task.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Check() = %v, want an error that names %q", tt.name, err, tt.want)
		}
	}
}

func TestStageChoice(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want StageChoice
		ok   bool
	}{
		{`2`, StageChoice{Number: 2}, true},
		{`"all"`, StageChoice{Word: "all"}, true},
		{`"whole-task"`, StageChoice{Word: "whole-task"}, true},
		{`0`, StageChoice{}, false},
		{`-1`, StageChoice{}, false},
		{`"2"`, StageChoice{}, false},
		{`1.5`, StageChoice{}, false},
	} {
		var got StageChoice
		err := json.Unmarshal([]byte(tt.raw), &got)
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v, ok %v", tt.raw, got, err, tt.want, tt.ok)
		}
		if tt.ok {
			if back, _ := json.Marshal(got); string(back) != tt.raw {
				t.Errorf("%s comes back as %s", tt.raw, back)
			}
		}
	}
}

func TestPurpose(t *testing.T) {
	for _, tt := range []struct{ ref, want string }{
		{"assignment:reverify-r1:scope-a", "reverify-r1"},
		{"assignment:analysis:x:y", "x"},
		{"analysis:x", ""},
		{"", ""},
	} {
		if got := Purpose(tt.ref); got != tt.want {
			t.Errorf("Purpose(%q) = %q, want %q", tt.ref, got, tt.want)
		}
	}
}
