package wizard

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheConfirmationTellsDecisionsNotClicks(t *testing.T) {
	p := plannedProject()
	p.plans[0].Path = ".okstra/tasks/pay/timeouts/runs/implementation-planning/reports/final-report-implementation-planning-002.md"
	m := Machine{p}
	answers := append([]string{}, implementation...)
	answers[2] = p.plans[0].Path
	s := walk(t, m, begin(t, m, "codex"), answers...)
	want := `Task: shop / pay / timeouts (existing)
Task type: implementation
Plan: final-report-implementation-planning-002.md, to be approved now
Stages: 2, 3 (one run each)
Executor: codex/sol
Verifiers: claude/opus, codex/sol
Report: codex/sol, also in ko by codex/sol
Directive: none
Related tasks: pay/refunds
`
	if got := m.Confirmation(s).Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Screen.Detail != want {
		t.Errorf("the question's detail is\n%s", s.Screen.Detail)
	}
}

func TestTheConfirmationTellsWhatWillHappenAndWarns(t *testing.T) {
	p := &project{providers: twoProviders[:1]}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "text"), toExtras...)
	s = walk(t, m, s, `{"defaults_or_custom":"defaults","report_language_pick":"none","directive_pick":"skip"}`)
	if s.Screen.Step != "workers" {
		t.Fatalf("pending %s, want the workers: one provider is too few", s.Screen.Step)
	}
	if _, err := m.Answer(s, "claude", ""); code(err) != "too-few" {
		t.Errorf("one analyser: %v", err)
	}
	s = walk(t, m, s, "claude, claude-2", "no")
	got := m.Confirmation(s)
	if len(got.Then) != 1 || !strings.Contains(got.Then[0], ".okstra/tasks/pay/checkout-timeouts") {
		t.Errorf("then %v", got.Then)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "Claude Code is the only provider") {
		t.Errorf("warnings %v", got.Warnings)
	}
	if text := got.Text(); !strings.Contains(text, "Analysers: claude/opus, claude/opus, a second session\n") {
		t.Errorf("text\n%s", text)
	}
}

func TestDesignItemsAreWalked(t *testing.T) {
	p := plannedProject()
	p.decisions = []DesignItem{{"C-001", "Which store?"}, {"C-002", ""}, {"C-003", "How long?"}}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "text"), "pay/timeouts", "implementation-planning", "keep", "drop", Custom, "a day", `{"defaults_or_custom":"defaults","report_language_pick":"none","directive_pick":"skip"}`, "no", "skip", "proceed")
	doc, err := m.RunInputs(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(doc.Inputs.DesignPrep); got != "[{C-001 keep } {C-002 drop } {C-003 note a day}]" {
		t.Errorf("design items %s", got)
	}
	if got := m.Confirmation(s).Text(); !strings.Contains(got, "Design item C-002: Drop it\nNote on design item C-003: a day\n") {
		t.Errorf("confirmation\n%s", got)
	}
}

func TestModelsAreChosenOneByOne(t *testing.T) {
	p := plannedProject()
	p.saved = map[string]string{"codex": "codex/sol"}
	m := Machine{p}
	s := NewState("/srv/shop", "shop")
	s.HostRuntime, s.HostEntryMode, s.AvailableFunctions = "codex", External, []string{singleSelect}
	s, err := m.Refresh(s)
	if err != nil {
		t.Fatal(err)
	}
	s = walk(t, m, s, "pay/timeouts", "implementation-planning", custom, "claude", "codex", "claude-2", doneValue)
	var asked []string
	for range 20 {
		if !isModelStep(s.Screen.Step) {
			break
		}
		asked = append(asked, s.Screen.Step)
		switch s.Screen.Step {
		case "lead_model":
			s = walk(t, m, s, "claude/sonnet") // on another page
		case "claude-2_model":
			s = walk(t, m, s, Custom)
		case "claude-2_model_text":
			if _, err := m.Answer(s, "codex/sol", ""); code(err) != "unknown-model" {
				t.Errorf("a model of another provider: %v", err)
			}
			s = walk(t, m, s, "claude/SONNET")
		default:
			s = walk(t, m, s, keep)
		}
	}
	want := "lead_model claude_model codex_model claude-2_model claude-2_model_text report_writer_model"
	if got := strings.Join(asked, " "); got != want {
		t.Errorf("asked %s\nwant %s", got, want)
	}
	s = walk(t, m, s, "yes")
	if s.Screen.Step != criticModelStep {
		t.Fatalf("pending %s", s.Screen.Step)
	}
	var offered []string
	for range 3 {
		for _, o := range s.Screen.Options {
			if !isNavigation(o.Value) {
				offered = append(offered, o.Value)
			}
		}
		s = walk(t, m, s, s.Screen.Options[len(s.Screen.Options)-1].Value)
		if s.PickerOffsets[criticModelStep] == 0 {
			break
		}
	}
	if got := strings.Join(offered, " "); got != "keep claude/opus codex/sol claude/sonnet" {
		t.Errorf("the critic may be %s, want what the workers run", got)
	}
	s = walk(t, m, s, "claude/sonnet", "ko", keep, skip, skip, doneValue, "proceed")
	doc, err := m.RunInputs(s)
	if err != nil {
		t.Fatal(err)
	}
	in := doc.Inputs
	if got := fmt.Sprint(in.Models); got != "map[claude:claude/opus claude-2:claude/sonnet codex:codex/sol lead:claude/sonnet report-writer:claude/sonnet translator:claude/sonnet]" {
		t.Errorf("models %s", got)
	}
	if in.Critic != "claude/sonnet" || fmt.Sprint(in.Workers) != "[claude codex claude-2]" {
		t.Errorf("critic %s, workers %v", in.Critic, in.Workers)
	}
}

func TestNothingToDoIsRefusedWhereItIsChosen(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "text"), "pay/timeouts")
	if _, err := m.Answer(s, "release-handoff", ""); code(err) != "nothing-to-hand-off" {
		t.Errorf("hand-off of nothing: %v", err)
	}
	s = walk(t, m, s, "final-verification")
	if _, err := m.Answer(s, "plan-001.md", ""); code(err) != "nothing-to-do" {
		t.Errorf("verification of nothing: %v", err)
	}
	p := plannedProject()
	p.plans[1].Stages = []StageFact{{Number: 1, Done: true}}
	m = Machine{p}
	s = walk(t, m, begin(t, m, "text"), "pay/timeouts", "implementation")
	if _, err := m.Answer(s, "plan-001.md", ""); code(err) != "nothing-to-do" {
		t.Errorf("implementation of nothing: %v", err)
	}
	s = walk(t, m, begin(t, m, "text"), "pay/timeouts", "final-verification", "plan-001.md")
	if got := strings.Join(values(s.Screen.Options), ","); got != "1,all,whole-task" {
		t.Errorf("stages %s, want the whole task too: every stage is implemented", got)
	}
	if s = walk(t, m, s, "auto"); s.Answers["stage_pick"] != wholeTask {
		t.Errorf("auto is %q", s.Answers["stage_pick"])
	}
}

func TestAStageThatWaitsForAnotherNeedsThatToo(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "text"), implementation[:4]...)
	if got := s.Screen.Options[0].Description + s.Screen.Options[1].Description; got != "Ready: stage 1 is done.Waits for stage 2; runs after it." {
		t.Errorf("descriptions %q", got)
	}
	for answer, want := range map[string]string{"=3": "stage-blocked", "all, =2": "exclusive-choice", "-": "too-few"} {
		if _, err := m.Answer(s, answer, ""); code(err) != want {
			t.Errorf("%q: %v, want %s", answer, err, want)
		}
	}
	if s = walk(t, m, s, "=3, =2"); s.Answers["stage_pick"] != "2,3" {
		t.Errorf("stages %q", s.Answers["stage_pick"])
	}
}
