package wizard

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func code(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

func opened(t *testing.T, m Machine, s State, step string) State {
	t.Helper()
	next, err := m.Goto(s, step)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// planned is a project whose task has a plan with three stages, of which the
// first is done.
func plannedProject() *project {
	return &project{
		tasks: []TaskFact{{ProjectID: "shop", Group: "pay", ID: "timeouts"}, {ProjectID: "shop", Group: "pay", ID: "refunds"}},
		plans: []PlanFact{{
			Path: "plan-002.md", DataDigest: "sha256:" + strings.Repeat("9", 64), CreatedAt: "2026-01-02T00:00:00Z",
			Stages: []StageFact{{Number: 1, Title: "schema", Done: true}, {Number: 2, Title: "token refresh", DependsOn: []int{1}}, {Number: 3, Title: "revocation list", DependsOn: []int{2}}},
		}, {
			Path: "plan-001.md", DataDigest: "sha256:" + strings.Repeat("8", 64), Approved: true,
			Stages: []StageFact{{Number: 1, Title: "schema"}, {Number: 2, Title: "everything"}},
		}},
		worktrees: []string{"pay/timeouts"},
	}
}

var implementation = []string{
	"pay/timeouts", "implementation", "plan-002.md", "yes", "=2,=3", "codex",
	`{"defaults_or_custom":"defaults","report_language_pick":"ko","directive_pick":"skip"}`, "pay/refunds",
}

// Behaviour 39.
func TestAnEditToTheSameValueDropsNothing(t *testing.T) {
	m := Machine{plannedProject()}
	full := walk(t, m, begin(t, m, "text"), implementation...)
	if full.Screen.Step != confirmStep {
		t.Fatalf("pending %s", full.Screen.Step)
	}
	for id, value := range full.Answers {
		s := opened(t, m, full, id)
		if s.Answers[id] != value {
			t.Errorf("%s: the old answer is gone while it is under change", id)
		}
		if r, _ := find(rows(m.view(&s)), id); r.multi {
			value = "=" + strings.ReplaceAll(value, ",", ",=")
		}
		if s = walk(t, m, s, value); !maps.Equal(s.Answers, full.Answers) || s.Screen.Step != confirmStep {
			t.Errorf("%s again: pending %s, answers %v", id, s.Screen.Step, s.Answers)
		}
	}
}

// Behaviour 39.
func TestAnEditToAnotherValueDropsExactlyTheDependents(t *testing.T) {
	m := Machine{plannedProject()}
	full := walk(t, m, begin(t, m, "text"), implementation...)
	for _, tt := range []struct {
		step, value string
		gone        []string
	}{
		{"task_type", "final-verification", []string{"approved_plan_pick", "approve_plan_confirm", "stage_pick", "executor", "defaults_or_custom", "report_language_pick"}},
		{"approved_plan_pick", "plan-001.md", []string{"approve_plan_confirm", "stage_pick"}},
		{"approve_plan_confirm", "no", []string{"approved_plan_pick", "approve_plan_confirm", "stage_pick"}},
		{"stage_pick", "=2", nil},
		{"executor", "claude", []string{"defaults_or_custom"}},
		{"report_language_pick", "none", nil},
		{"directive_pick", Custom, nil},
		{"related_tasks_pick", skip, nil},
		{"task_pick", "pay/refunds", []string{"task_type", "approved_plan_pick", "approve_plan_confirm", "stage_pick", "executor", "defaults_or_custom", "report_language_pick", "related_tasks_pick"}},
	} {
		s := walk(t, m, opened(t, m, full, tt.step), tt.value)
		want := maps.Clone(full.Answers)
		want[tt.step] = strings.TrimPrefix(tt.value, "=")
		for _, id := range tt.gone {
			delete(want, id)
		}
		if !maps.Equal(s.Answers, want) {
			t.Errorf("%s to %q:\n got %v\nwant %v", tt.step, tt.value, s.Answers, want)
		}
	}
}

// Behaviour 39: the same final decisions give the same state, in whatever order
// they were taken back and taken again.
func TestTheOrderOfEditsDoesNotMatter(t *testing.T) {
	m := Machine{plannedProject()}
	start := NewState("/srv/shop", "shop")
	start.HostRuntime = "text"
	start, err := m.Refresh(start)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range implementation {
		next, err := m.Answer(start, a, "")
		if err != nil {
			t.Fatal(err)
		}
		start = next.State
	}
	edits := []struct{ step, value string }{
		{"stage_pick", "=2"}, {"report_language_pick", "none"}, {"related_tasks_pick", skip}, {"executor", "claude"}, {"stage_pick", "all"},
	}
	rapid.Check(t, func(t *rapid.T) {
		s := start
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order") {
			s = editOf(t, m, s, edits[i].step, edits[i].value)
		}
		s = editOf(t, m, s, edits[4].step, edits[4].value)
		s = editOf(t, m, s, "task_type", "implementation")
		for !slices.Contains([]string{confirmStep, "done"}, s.Screen.Step) {
			next, err := m.Answer(s, `{"defaults_or_custom":"defaults"}`, "")
			if err != nil {
				next, err = m.Answer(s, "=defaults", "")
			}
			if err != nil {
				t.Fatal(err)
			}
			s = next.State
		}
		want := map[string]string{"stage_pick": all, "report_language_pick": none, "related_tasks_pick": skip, "executor": "claude", "defaults_or_custom": "defaults"}
		for id, value := range want {
			if s.Answers[id] != value {
				t.Fatalf("%s is %q, want %q", id, s.Answers[id], value)
			}
		}
		for id, value := range start.Answers {
			if _, edited := want[id]; !edited && s.Answers[id] != value {
				t.Fatalf("%s is %q, want %q", id, s.Answers[id], value)
			}
		}
	})
}

func editOf(t *rapid.T, m Machine, s State, step, value string) State {
	next, err := m.Goto(s, step)
	if err != nil {
		t.Fatal(err)
	}
	result, err := m.Answer(next, value, "")
	if err != nil {
		t.Fatal(err)
	}
	return result.State
}

// Behaviour 38.
func TestApprovingAPlanIsAPickLikeAnyOther(t *testing.T) {
	p := plannedProject()
	m := Machine{p}
	ask := func(plan PlanFact) State {
		p.plans[0] = plan
		return walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation", "plan-002.md")
	}
	plan := p.plans[0]
	s := ask(plan)
	if got := values(s.Screen.Options); s.Screen.Step != "approve_plan_confirm" || !slices.Equal(got, []string{"yes", "no"}) {
		t.Fatalf("%s offers %v", s.Screen.Step, got)
	}
	for _, o := range s.Screen.Options {
		if o.Description == "" {
			t.Errorf("option %q does not say what it does", o.Value)
		}
	}
	if again := walk(t, m, s, "no"); again.Screen.Step != "approved_plan_pick" {
		t.Errorf("no leads to %s, want the plan asked again", again.Screen.Step)
	}
	plan.OpenApproval, plan.Answered = []string{"C-001", "C-002"}, []string{"C-001"}
	s = ask(plan)
	if !slices.Equal(values(s.Screen.Options), []string{"yes", "yes_apply", "no"}) {
		t.Errorf("options %v", values(s.Screen.Options))
	}
	for _, answer := range []string{"yes", "yes_apply"} {
		_, err := m.Answer(s, answer, "")
		if code(err) != "approval-blocked" || !strings.Contains(err.Error(), "C-002") {
			t.Errorf("%s with an open item: %v", answer, err)
		}
	}
	plan.OpenApproval = []string{"C-001"}
	s = walk(t, m, ask(plan), "yes_apply")
	if s.Screen.Step != "stage_pick" {
		t.Errorf("pending %s", s.Screen.Step)
	}
	var in inputs
	r, _ := find(planRows, "approve_plan_confirm")
	r.input(m.view(&s), r, &in)
	if in.PlanApproval != "yes_apply" || !slices.Equal(in.PlanApplyItems, []string{"C-001"}) || in.PlanDigest != plan.DataDigest {
		t.Errorf("run inputs %+v", in)
	}
}

func TestWhatWasDecidedOnStaysWhatItWas(t *testing.T) {
	p := plannedProject()
	m := Machine{p}
	s := walk(t, m, begin(t, m, "text"), append(implementation, "proceed")...)
	digest := p.plans[0].DataDigest
	p.plans[0].DataDigest = "sha256:" + strings.Repeat("0", 64)
	doc, err := m.RunInputs(s)
	if err != nil || doc.Inputs.PlanDigest != digest {
		t.Errorf("plan digest %q, %v, want that of the decision", doc.Inputs.PlanDigest, err)
	}
}

func TestGoingBackStepByStepReachesTheFirstQuestion(t *testing.T) {
	p := &project{}
	m := Machine{p}
	full := walk(t, m, begin(t, m, "text"), newErrorAnalysis...)
	s, seen := full, []string{}
	for {
		next, err := m.Back(s)
		if err != nil {
			if code(err) != "cannot-go" {
				t.Fatal(err)
			}
			break
		}
		s = next
		seen = append(seen, s.Screen.Step)
	}
	want := []string{"directive_pick", "report_language_pick", "critic_pick", "defaults_or_custom", "base_ref_pick", "brief_path", "work_category", "task_type", "task_id", "task_group", "task_pick"}
	if !slices.Equal(seen, want) {
		t.Errorf("back shows\n%v, want\n%v", seen, want)
	}
	if !maps.Equal(s.Answers, full.Answers) {
		t.Error("going back lost an answer")
	}
	if s = walk(t, m, s, "__new__"); s.Screen.Step != confirmStep {
		t.Errorf("the first answer again leads to %s, want the confirmation", s.Screen.Step)
	}
}

func TestGotoNeedsAnAnswerThatIsShown(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "text"), implementation[:3]...)
	for _, step := range []string{"stage_pick", "task_key", "claude_model", confirmStep} {
		if _, err := m.Goto(s, step); code(err) != "cannot-go" {
			t.Errorf("goto %s: %v, want cannot-go", step, err)
		}
	}
	var unknown *UnknownStepError
	if _, err := m.Goto(s, "stage"); !errors.As(err, &unknown) || unknown.ExitStatus() != 2 || !strings.Contains(err.Error(), "stage_pick") {
		t.Errorf("goto a step that does not exist: %v", err)
	}
}

func TestAnAnswerUnderChangeIsShownAsItStands(t *testing.T) {
	m := Machine{plannedProject()}
	for _, tt := range []struct {
		host      string
		functions []string
		multi     bool
		stages    string
	}{
		{"text", nil, true, "✓ Stage 2: token refresh"},
		{"codex", []string{singleSelect}, false, "✓ Stage 2: token refresh"},
		{"claude-code", []string{singleSelect, multiSelect}, true, "✓ Stage 2: token refresh"},
	} {
		full := walk(t, m, begin(t, m, "text"), implementation...)
		full.HostRuntime, full.AvailableFunctions = tt.host, tt.functions
		s := opened(t, m, full, "stage_pick")
		if got := s.Screen.Options[0].Label; got != tt.stages || s.Screen.IsMulti() != tt.multi {
			t.Errorf("%s: first stage %q, several %v", tt.host, got, s.Screen.IsMulti())
		}
		s = opened(t, m, full, "executor")
		i := slices.IndexFunc(s.Screen.Options, func(o Option) bool { return o.Value == "codex" })
		if got := s.Screen.Options[i].Label; got != "Codex (current)" {
			t.Errorf("%s: executor %q, want the current one marked", tt.host, got)
		}
		if next := walk(t, m, s, "Codex (current)"); next.Screen.Step != confirmStep {
			t.Errorf("%s: the marked label leads to %s", tt.host, next.Screen.Step)
		}
	}
	s := walk(t, m, begin(t, m, "text"), newErrorAnalysis[:3]...)
	if s = opened(t, m, s, "task_id"); !strings.Contains(s.Screen.Detail, "checkout-timeouts") {
		t.Errorf("detail %q, want the text as it stands", s.Screen.Detail)
	}
}

func TestTogglesOfAnAnswerUnderChangeStartFromIt(t *testing.T) {
	m := Machine{plannedProject()}
	full := walk(t, m, begin(t, m, "text"), implementation...)
	full.HostRuntime, full.AvailableFunctions = "codex", []string{singleSelect}
	s := walk(t, m, opened(t, m, full, "stage_pick"), "3", doneValue)
	if s.Answers["stage_pick"] != "2" || s.Screen.Step != confirmStep {
		t.Errorf("stages %q, pending %s", s.Answers["stage_pick"], s.Screen.Step)
	}
	if len(s.PickerSelected) != 0 || len(s.PickerOffsets) != 0 {
		t.Errorf("navigation is left over: %v %v", s.PickerSelected, s.PickerOffsets)
	}
}

// Toggles of a question that was never answered belong to what it offered.
func TestTogglesFallWithWhatTheyDependOn(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation", "plan-002.md", "yes", "2")
	if !slices.Equal(s.PickerSelected["stage_pick"], []string{"2"}) {
		t.Fatalf("selected %v", s.PickerSelected)
	}
	s = walk(t, m, opened(t, m, s, "approved_plan_pick"), "plan-001.md")
	if s.Screen.Step != "stage_pick" || len(s.PickerSelected["stage_pick"]) != 0 {
		t.Errorf("pending %s with %v ticked, want nothing of the other plan", s.Screen.Step, s.PickerSelected)
	}
}

func TestEditingFromTheConfirmation(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "text"), append(implementation, "edit")...)
	if s.Screen.Step != editStep {
		t.Fatalf("pending %s", s.Screen.Step)
	}
	last := s.Screen.Options[len(s.Screen.Options)-1]
	if last.Value != "related_tasks_pick" || last.Description != "pay/refunds" {
		t.Errorf("last option %+v, want the newest question with its answer", last)
	}
	s = walk(t, m, s, "=directive_pick")
	if s.Screen.Step != "directive_pick" || s.Editing == nil {
		t.Fatalf("pending %s", s.Screen.Step)
	}
	s = walk(t, m, s, Custom, "be careful")
	if s.Screen.Step != confirmStep || s.Answers["directive"] != "be careful" {
		t.Errorf("pending %s, answers %v", s.Screen.Step, s.Answers)
	}
}
