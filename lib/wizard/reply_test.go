package wizard

import (
	"slices"
	"testing"
)

func TestATypedTextAnswersThePickAndTheTextBehindIt(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "claude-code", Functions...), toExtras[:6]...)
	if s.Screen.Step != "base_ref_pick" {
		t.Fatalf("pending %s", s.Screen.Step)
	}
	result, err := m.Reply(s, []Entry{{Step: "base_ref_pick", Texts: []string{"release/2"}}}, true, s.Screen.Token, "")
	if err != nil || !result.Typed || result.Echo != "Start from: release/2" {
		t.Fatalf("%q, typed %v, %v", result.Echo, result.Typed, err)
	}
	if a := result.State.Answers; a["base_ref_pick"] != Custom || a["base_ref_text"] != "release/2" {
		t.Errorf("answers %v", a)
	}
	if _, err := m.Reply(s, []Entry{{Step: "base_ref_pick", Texts: []string{"nowhere"}}}, true, "", ""); code(err) != "bad-ref" {
		t.Errorf("a typed text that is refused: %v", err)
	}
	result, err = m.Reply(s, []Entry{{Step: "base_ref_pick", Texts: []string{"head"}, Typed: true}}, false, "", "")
	if err != nil || result.Typed || result.State.Answers["base_ref_pick"] != "HEAD" {
		t.Errorf("a typed text that is a choice: %v, answers %v", err, result.State.Answers)
	}
	if _, err := m.Reply(s, []Entry{{Step: "base_ref_pick", Texts: []string{"other"}}}, false, "", ""); code(err) != "no-match" {
		t.Errorf("an unknown text where nobody can type: %v", err)
	}
}

func TestATypedTextNeedsAStepThatOffersTyping(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "claude-code", Functions...), toExtras[:3]...)
	_, err := m.Reply(s, []Entry{{Step: "task_type", Texts: []string{"just fix it"}, Typed: true}}, true, "", "")
	if code(err) != "no-match" {
		t.Errorf("%v, want no-match: a task type cannot be typed", err)
	}
	_, err = m.Reply(s, []Entry{{Step: "task_type", Other: true, Texts: []string{"Other"}}}, true, "", "")
	if code(err) != "no-match" {
		t.Errorf("%v, want no-match", err)
	}
}

func TestWantingToTypeAsksForTheText(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts")
	s = opened(t, m, s, "task_pick")
	result, err := m.Reply(s, []Entry{{Step: "task_pick", Other: true}}, false, "", "")
	if err != nil || result.State.Screen.Step != "task_key" {
		t.Errorf("pending %s, %v", result.State.Screen.Step, err)
	}
}

func TestARepliesGroupMayBeTypedInPart(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "claude-code", Functions...), toExtras...)
	if s.Screen.Kind != KindGroup {
		t.Fatalf("screen %+v", s.Screen)
	}
	result, err := m.Reply(s, []Entry{
		{Step: "directive_pick", Texts: []string{"mind the\nlimits"}},
		{Step: "defaults_or_custom", Texts: []string{"Defaults"}},
	}, true, "", "")
	if err != nil || !result.Typed || !slices.Equal(result.Unanswered, []string{"report_language_pick"}) {
		t.Fatalf("%+v, %v", result, err)
	}
	if result.Echo != "Roster: Defaults · Directive: mind the limits" {
		t.Errorf("echo %q", result.Echo)
	}
	if a := result.State.Answers; a["directive"] != "mind the\nlimits" || a["defaults_or_custom"] != "defaults" {
		t.Errorf("answers %v", a)
	}
}

func TestRepliesWithSeveralChoices(t *testing.T) {
	m := Machine{plannedProject()}
	s := walk(t, m, begin(t, m, "claude-code", Functions...), "pay/timeouts", "implementation", "plan-002.md", "yes")
	for _, e := range []Entry{
		{Step: "stage_pick", Texts: []string{"Stage 3: revocation list, Stage 2: token refresh"}, Joined: true},
		{Step: "stage_pick", Texts: []string{"3", "2"}, Exact: true},
	} {
		result, err := m.Reply(s, []Entry{e}, true, "", "")
		if err != nil || result.State.Answers["stage_pick"] != "2,3" {
			t.Errorf("%v: %v, %v", e, result.State.Answers, err)
		}
	}
	_, err := m.Reply(s, []Entry{{Step: "stage_pick", Texts: []string{"Stage 2: token refresh"}, Exact: true}}, false, "", "")
	if code(err) != "no-match" {
		t.Errorf("a label where only values count: %v", err)
	}
	s = walk(t, m, s, "2,3")
	_, err = m.Reply(s, []Entry{{Step: "executor", Texts: []string{"codex", "claude"}}}, false, "", "")
	if code(err) != "bad-answer" {
		t.Errorf("two answers to one question: %v", err)
	}
}

func TestRepliesToNothingAndToOldScreens(t *testing.T) {
	m := Machine{&project{}}
	s := begin(t, m, "claude-code", Functions...)
	if _, err := m.Reply(s, nil, true, "", ""); code(err) != "empty" {
		t.Errorf("no entry: %v", err)
	}
	_, err := m.Reply(s, []Entry{{Step: "task_pick", Texts: []string{"a new task"}}}, true, "task_pick@0", `{"the":"reply"}`)
	if code(err) != "stale" || !slices.Equal(err.(*Refusal).Candidates, []string{`{"the":"reply"}`}) {
		t.Errorf("stale: %v", err)
	}
	done := walk(t, m, begin(t, m, "text"), append(newErrorAnalysis, "proceed")...)
	result, err := m.Reply(done, []Entry{{Step: "confirm", Texts: []string{"abort"}}}, true, "", "")
	if err != nil || result.Echo != "" || same(result.State, done) != "" {
		t.Errorf("a reply to a finished state: %+v, %v", result.Echo, err)
	}
}
