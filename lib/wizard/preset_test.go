package wizard

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func preset(t *testing.T, m Machine, presets map[string]string) (State, error) {
	t.Helper()
	s := NewState("/srv/shop", "shop")
	s.HostRuntime = "text"
	return m.Preset(s, presets)
}

func TestPresetsAnswerAheadOfTheirQuestions(t *testing.T) {
	m := Machine{&project{}}
	s, err := preset(t, m, map[string]string{
		"task_type": "error-analysis", "report_language_pick": "none", "directive_pick": "skip", "defaults_or_custom": "defaults", "critic_pick": "no",
	})
	if err != nil {
		t.Fatal(err)
	}
	s = walk(t, m, s, "__new__", "pay", "timeouts", "bugfix", "TASK.md", "HEAD")
	if s.Screen.Step != confirmStep {
		t.Errorf("pending %s, want the confirmation: the rest was preset", s.Screen.Step)
	}
	s = walk(t, m, opened(t, m, s, "task_type"), "requirements-discovery")
	if _, kept := s.Answers["defaults_or_custom"]; kept {
		t.Error("a preset outlives a change of what it depends on, want it to be an ordinary answer")
	}
}

func TestAPresetFallsWhenItTurnsOutWrong(t *testing.T) {
	m := Machine{&project{}}
	s, err := preset(t, m, map[string]string{"task_type": "implementation"})
	if err != nil {
		t.Fatal(err)
	}
	s = walk(t, m, s, "__new__")
	if _, kept := s.Answers["task_type"]; kept {
		t.Error("a new task is to be implemented")
	}
}

func TestPresetsOfModelsAreDefaults(t *testing.T) {
	m := Machine{&project{}}
	s, err := preset(t, m, map[string]string{"lead_model": "claude/sonnet", "codex_model": "codex/sol", "claude_model": "claude/sonnet"})
	if err != nil {
		t.Fatal(err)
	}
	s = walk(t, m, s, newErrorAnalysis...)
	s = walk(t, m, s, "proceed")
	doc, err := m.RunInputs(s)
	if err != nil {
		t.Fatal(err)
	}
	want := "map[claude:claude/sonnet codex:codex/sol lead:claude/sonnet report-writer:claude/sonnet translator:claude/sonnet]"
	if got := fmt.Sprint(doc.Inputs.Models); got != want {
		t.Errorf("models %s, want %s", got, want)
	}
}

func TestPresetsOfTypedAnswersAndListsInAnyOrder(t *testing.T) {
	p := plannedProject()
	m := Machine{p}
	s, err := preset(t, m, map[string]string{
		"stage_pick": "auto", "approve_plan_confirm": "yes", "approved_plan_pick": "plan-002.md", "task_type": "implementation",
		"task_key": "pay/timeouts", "task_pick": Custom, "executor": "Codex",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Answers["stage_pick"] != all || s.Screen.Kind != KindGroup {
		t.Errorf("answers %v, pending %s", s.Answers, s.Screen.Step)
	}
}

func TestWrongPresets(t *testing.T) {
	m := Machine{plannedProject()}
	for _, tt := range []struct {
		name, step, value, code string
	}{
		{"no choice", "task_pick", "pay/nothing", "no-match"},
		{"no choice, ahead", "report_language_pick", "xx", "no-match"},
		{"not known yet", "stage_pick", "2", "preset-early"},
		{"bad text", "directive", "-\x00", "bad-answer"},
		{"not installed", "executor", "kimi", "no-match"},
		{"another provider's model", "codex_model", "claude/opus", "no-match"},
	} {
		if _, err := preset(t, m, map[string]string{tt.step: tt.value}); code(err) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
	}
	var unknown *UnknownStepError
	if _, err := preset(t, m, map[string]string{"directve": "x"}); !errors.As(err, &unknown) {
		t.Errorf("unknown step: %v", err)
	}
	_, err := preset(t, m, map[string]string{"task_pick": "pay/timeouts", "work_category": "bugfix"})
	if code(err) != "preset-unused" || !strings.Contains(err.Error(), "a new task") {
		t.Errorf("a question that is not asked: %v", err)
	}
}
