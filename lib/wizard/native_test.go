package wizard

import (
	"slices"
	"strings"
	"testing"
)

// toExtras leads to the group of extras.
var toExtras = []string{"__new__", "pay", "checkout-timeouts", "error-analysis", "bugfix", "TASK.md", "HEAD"}

// Behaviour 34.
func TestAGroupThatDoesNotFitIsWalkedOneQuestionAtATime(t *testing.T) {
	m := Machine{&project{language: "ja"}} // four languages to choose from: more than Codex shows
	s := walk(t, m, begin(t, m, "codex", singleSelect, questionSet), toExtras...)
	var steps []string
	for _, answer := range []string{"defaults", "no", "ja", "skip"} {
		if s.Screen.Interaction.Kind != nativeSingle {
			t.Fatalf("%s is asked as %s", s.Screen.Step, s.Screen.Interaction.Kind)
		}
		steps = append(steps, s.Screen.Step)
		s = walk(t, m, s, answer)
	}
	if want := []string{"defaults_or_custom", "critic_pick", "report_language_pick", "directive_pick"}; !slices.Equal(steps, want) {
		t.Errorf("asked %v, want %v", steps, want)
	}
	for id, want := range map[string]string{"defaults_or_custom": "defaults", "critic_pick": "no", "report_language_pick": "ja", "directive_pick": "skip"} {
		if s.Answers[id] != want {
			t.Errorf("%s: %q, want %q", id, s.Answers[id], want)
		}
	}
}

func TestAGroupThatFitsIsAskedInOneCall(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "codex", singleSelect, questionSet), toExtras...)
	if s.Screen.Kind != KindGroup || s.Screen.Interaction.Kind != nativeGroup || s.Screen.Interaction.Function != "request_user_input" {
		t.Fatalf("screen %+v", s.Screen)
	}
	result, err := m.Answer(s, `{"directive_pick":"Nothing"}`, "")
	if err != nil || !slices.Equal(result.Unanswered, []string{"defaults_or_custom", "report_language_pick"}) {
		t.Fatalf("unanswered %v, %v", result.Unanswered, err)
	}
	if s = result.State; s.Screen.Kind != KindGroup || len(s.Screen.Questions) != 2 || s.Answers["directive_pick"] != skip {
		t.Errorf("what was left open is %+v", s.Screen)
	}
}

func TestPlansOfInteraction(t *testing.T) {
	group := groupOf("")
	group.Interaction = nil
	narrow := pickOf(false, "1", "2")
	narrow.Step = "y"
	small := Screen{Step: "group:x", Kind: KindGroup, Questions: []Screen{pickOf(false, "1", "2"), narrow}}
	apart := small
	apart.Questions = slices.Clone(small.Questions)
	apart.Questions[1].Label = "And which?"
	comma := pickOf(true, "1", "2")
	comma.Options[0].Label = "one, two"
	twins := pickOf(true, "1", "2")
	twins.Options[1].Label = twins.Options[0].Label
	for _, tt := range []struct {
		name      string
		host      string
		functions []string
		screen    Screen
		want      string
	}{
		{"ended", "codex", Functions, Screen{Kind: KindDone}, ""},
		{"text", "claude-code", Functions, Screen{Kind: KindText}, hostText},
		{"group in one call", "claude-code", Functions, apart, nativeGroup},
		{"group whose questions read alike", "claude-code", Functions, small, nativeSingle},
		{"group with a question that does not fit", "claude-code", Functions, group, nativeSingle},
		{"group without a picker", "claude-code", nil, apart, sequentialGroup},
		{"group with the group function alone", "claude-code", []string{questionSet}, apart, nativeGroup},
		{"group of one", "claude-code", Functions, Screen{Kind: KindGroup, Questions: []Screen{narrow}}, nativeSingle},
		{"group on a host without groups", "acp", Functions, apart, nativeSingle},
		{"several in one call", "claude-code", Functions, pickOf(true, "1", "2"), nativeMulti},
		{"several, too many", "claude-code", Functions, pickOf(true, numbers(5)...), nativeSingle},
		{"several, a comma in a label", "claude-code", Functions, comma, nativeSingle},
		{"several, equal labels", "claude-code", Functions, twins, nativeSingle},
		{"several, too few", "claude-code", Functions, pickOf(true, "1"), nativeSingle},
		{"several on a host that cannot", "codex", Functions, pickOf(true, "1", "2"), nativeSingle},
		{"several, not declared", "claude-code", []string{singleSelect}, pickOf(true, "1", "2"), nativeSingle},
		{"one", "codex", Functions, pickOf(false, numbers(9)...), nativeSingle},
		{"one, nothing declared", "codex", nil, pickOf(false, "1", "2"), numbered},
		{"a function that the host does not have", "text", Functions, pickOf(false, "1", "2"), numbered},
	} {
		s := NewState("/", "p")
		s.HostRuntime, s.AvailableFunctions = tt.host, tt.functions
		p, err := newPlanner(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.kind(tt.screen); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestAsynchronousQuestionsOnlyChangeTheFunction(t *testing.T) {
	m := Machine{&project{}}
	s := NewState("/srv/shop", "shop")
	s.HostRuntime, s.AvailableFunctions, s.AsyncQuestions = "codex", []string{singleSelect}, true
	s, err := m.Refresh(s)
	if err != nil || *s.Screen.Interaction != (Interaction{nativeSingle, "request_user_input_async"}) {
		t.Errorf("%+v, %v", s.Screen.Interaction, err)
	}
	s.HostRuntime = "claude-code"
	if s, err = m.Refresh(s); err != nil || s.Screen.Interaction.Function != "AskUserQuestion" {
		t.Errorf("%+v, %v", s.Screen.Interaction, err)
	}
}

func TestAHostWhosePickerIsTooNarrowIsRefused(t *testing.T) {
	for _, raw := range []string{
		`[{"id":"x","semanticFunctions":["native_single_select"],"limits":{"options":2}}]`, `[{`,
	} {
		if _, err := parseHosts([]byte(raw)); err == nil {
			t.Errorf("%s is taken", raw)
		}
	}
	if _, err := FindHost("nobody"); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("unknown host: %v", err)
	}
}

// Behaviour 35.
func TestAPickWithNothingButTypingIsSkippedToItsText(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "__new__")
	if s.Screen.Step != "task_group" || s.Answers["task_group_pick"] != Custom {
		t.Fatalf("pending %s, answers %v", s.Screen.Step, s.Answers)
	}
	s = walk(t, m, s, "pay")
	if s = opened(t, m, s, "task_group_pick"); s.Screen.Step != "task_group" {
		t.Errorf("goto the pick opens %s, want the text behind it", s.Screen.Step)
	}
	m = Machine{&project{tasks: []TaskFact{{Group: "pay", ID: "1"}}}}
	if s = walk(t, m, begin(t, m, "codex", singleSelect), "__new__"); s.Screen.Step != "task_group_pick" {
		t.Errorf("pending %s, want the pick: there is something to choose", s.Screen.Step)
	}
}

// Behaviour 32, and a value of another page.
func TestPagesAndTogglesSurviveRestartsPerStep(t *testing.T) {
	p := plannedProject()
	for n := range 6 {
		p.plans[0].Stages = append(p.plans[0].Stages, StageFact{Number: n + 4, Title: "more"})
	}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation", "plan-002.md", "yes")
	s = walk(t, m, s, "next choices", "next choices", "4", "=7")
	if got := s.PickerSelected["stage_pick"]; !slices.Equal(got, []string{"4", "7"}) {
		t.Errorf("selected %v, want a value of another page taken too", got)
	}
	if s.PickerOffsets["stage_pick"] != 2 || !strings.Contains(s.Screen.Label, "(3–3/9)") {
		t.Errorf("offset %d, label %q: a toggle moved the page", s.PickerOffsets["stage_pick"], s.Screen.Label)
	}
	before := s.Screen
	result, err := m.Answer(s, pagePrefix+"99", "")
	if code(err) != "invalid-page" || same(result.State, s) != "" {
		t.Errorf("a page that does not exist: %v", err)
	}
	if again := s.Screen; again.Label != before.Label {
		t.Error("the screen moved")
	}
	s.PickerSelected["stage_pick"] = append(s.PickerSelected["stage_pick"], "vanished")
	s = walk(t, m, s, pagePrefix+"0")
	if i := slices.IndexFunc(s.Screen.Options, func(o Option) bool { return o.Value == doneValue }); s.Screen.Options[i].Label != "finish (2)" {
		t.Errorf("%q, want what vanished not to be counted", s.Screen.Options[i].Label)
	}
	s = walk(t, m, s, "2", "3", "finish (4)")
	if s.Answers["stage_pick"] != "2,3,4,7" {
		t.Errorf("stages %q, want prompt order", s.Answers["stage_pick"])
	}
}

func TestAChoiceThatVanishedSinceItWasShown(t *testing.T) {
	p := plannedProject()
	m := Machine{p}
	s := begin(t, m, "codex", singleSelect)
	p.tasks = p.tasks[1:]
	if _, err := m.Answer(s, "pay/timeouts", ""); code(err) != "option-gone" {
		t.Errorf("a task that went: %v", err)
	}
	p = plannedProject()
	m = Machine{p}
	s = walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation", "plan-002.md", "yes")
	p.plans[0].Stages = p.plans[0].Stages[:1]
	if _, err := m.Answer(s, "2", ""); code(err) != "option-gone" {
		t.Errorf("a stage that went: %v", err)
	}
}

// A token taken twice flips once.
func TestATogglesTokenIsGoodForOneTime(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation", "plan-002.md", "yes")
	token := s.Screen.Token
	once, err := m.Answer(s, "2", token)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := m.Answer(once.State, "2", token)
	if code(err) != "stale" || !slices.Equal(twice.State.PickerSelected["stage_pick"], []string{"2"}) {
		t.Errorf("the second one: %v, selected %v", err, twice.State.PickerSelected)
	}
}

// A session may go on at a host that shows more at once.
func TestAWiderHostShowsTheWholePickAgain(t *testing.T) {
	p := &project{tasks: []TaskFact{{Group: "a", ID: "1"}, {Group: "a", ID: "2"}}}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "next choices")
	if s.PickerOffsets["task_pick"] != 2 {
		t.Fatalf("offset %v", s.PickerOffsets)
	}
	s, err := m.Declare(s, "claude-code", []string{singleSelect})
	if err != nil || len(s.Screen.Options) != 4 {
		t.Errorf("%v, %v, want all four", values(s.Screen.Options), err)
	}
}
