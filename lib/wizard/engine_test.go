package wizard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func begin(t *testing.T, m Machine, host string, functions ...string) State {
	t.Helper()
	s := NewState("/srv/shop", "shop")
	s.HostRuntime, s.AvailableFunctions = host, functions
	s, err := m.Refresh(s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func walk(t *testing.T, m Machine, s State, answers ...string) State {
	t.Helper()
	for _, a := range answers {
		next, err := m.Answer(s, a, "")
		if err != nil {
			t.Fatalf("step %q, answer %q: %v", s.Screen.Step, a, err)
		}
		s = next.State
	}
	return s
}

// newErrorAnalysis answers everything up to the confirmation.
var newErrorAnalysis = []string{
	"__new__", "pay", "checkout-timeouts", "error-analysis", "bugfix", "TASK.md", "HEAD",
	`{"defaults_or_custom":"defaults","report_language_pick":"ko","directive_pick":"skip"}`, "no",
}

func TestANewErrorAnalysisIsAskedAndBecomesRunInputs(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "text"), newErrorAnalysis...)
	if s.Screen.Step != "confirm" {
		t.Fatalf("pending step %q, want confirm", s.Screen.Step)
	}
	if _, err := m.RunInputs(s); err == nil {
		t.Error("run inputs before the confirmation, want a refusal")
	}
	s = walk(t, m, s, "proceed")
	doc, err := m.RunInputs(s)
	if err != nil {
		t.Fatal(err)
	}
	in := doc.Inputs
	if in.TaskKey != "shop:pay:checkout-timeouts" || !in.IsNewTask || in.TaskType != "error-analysis" || in.BriefPath != "TASK.md" || in.BaseRef != "HEAD" {
		t.Errorf("run inputs %+v: wrong identity", in)
	}
	if got, want := fmt.Sprint(in.Models), "map[claude:claude/opus codex:codex/sol report-writer:claude/opus translator:claude/opus]"; got != want {
		t.Errorf("models %s, want %s", got, want)
	}
	if got := fmt.Sprint(in.Workers, in.Translations, in.Critic); got != "[claude codex] [ko]" {
		t.Errorf("workers, translations, critic: %s", got)
	}
}

func TestRefusedAnswersLeaveTheStateAlone(t *testing.T) {
	m := Machine{&project{tasks: []TaskFact{{Group: "pay", ID: "Refunds"}}}}
	for _, tt := range []struct {
		name   string
		before []string
		answer string
		code   string
	}{
		{"no such choice", nil, "nonsense", "no-match"},
		{"control character", nil, "a\x1b[31m", "bad-answer"},
		{"empty text", []string{"__new__", "pay"}, "", "empty"},
		{"bad segment", []string{"__new__", "pay"}, "check out", "bad-segment"},
		{"task exists in another case", []string{"__new__", "pay"}, "refunds", "task-exists"},
		{"new task cannot be implemented", []string{"__new__", "pay", "x"}, "implementation", "no-match"},
		{"brief is no file", []string{"__new__", "pay", "x", "error-analysis", "bugfix"}, "missing.md", "bad-file"},
		{"ref is no commit", []string{"__new__", "pay", "x", "error-analysis", "bugfix", "b.md", "__type_custom__"}, "nowhere", "bad-ref"},
		{"group key unknown", newErrorAnalysis[:7], `{"nobody":"x"}`, "bad-answer"},
		{"group key twice", newErrorAnalysis[:7], `{"directive_pick":"skip","directive_pick":"skip"}`, "bad-answer"},
		{"one bad member refuses all", newErrorAnalysis[:7], `{"directive_pick":"skip","report_language_pick":"zz"}`, "no-match"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := walk(t, m, begin(t, m, "text"), tt.before...)
			before, _ := s.MarshalStable()
			next, err := m.Answer(s, tt.answer, "")
			var r *Refusal
			if !errors.As(err, &r) || r.Code != tt.code {
				t.Fatalf("answer %q at %q: %v, want code %q", tt.answer, s.Screen.Step, err, tt.code)
			}
			for _, state := range []State{s, next.State} {
				if after, _ := state.MarshalStable(); string(after) != string(before) {
					t.Errorf("the state moved: %s", after)
				}
			}
		})
	}
}

func TestAPositionThatIsAnotherOptionsValueIsAmbiguous(t *testing.T) {
	s := Screen{Step: "stage_pick", Kind: KindPick, Multi: new(false), Interaction: &Interaction{Kind: numbered}, Options: []Option{{Value: "2", Label: "Stage 2"}, {Value: "4", Label: "Stage 4"}}}
	for _, tt := range []struct{ answer, want, code string }{
		{"2", "", "ambiguous"},
		{"1", "2", ""},
		{"#2", "4", ""},
		{"=2", "2", ""},
		{"２", "4", ""},
		{"stage  4", "4", ""},
		{"3", "", "no-match"},
	} {
		got, err := (matcher{}).screen(s, tt.answer)
		var r *Refusal
		switch {
		case tt.code != "" && (!errors.As(err, &r) || r.Code != tt.code):
			t.Errorf("%q: %v, want code %s", tt.answer, err, tt.code)
		case tt.code == "" && (err != nil || got[0].value != tt.want):
			t.Errorf("%q: %v, %v, want %q", tt.answer, got, err, tt.want)
		}
	}
	s.Interaction.Kind = nativeSingle
	if got, err := (matcher{}).screen(s, "2"); err != nil || got[0].value != "2" {
		t.Errorf("native: %v, %v, want the value 2: digits are never positions", got, err)
	}
}

func TestChangingAnAnswerDropsExactlyItsDependents(t *testing.T) {
	m := Machine{&project{}}
	full := walk(t, m, begin(t, m, "text"), newErrorAnalysis...)
	same, err := m.Goto(full, "task_type")
	if err != nil {
		t.Fatal(err)
	}
	same = walk(t, m, same, "error-analysis")
	if same.Screen.Step != "confirm" || len(same.Answers) != len(full.Answers) {
		t.Errorf("the same value dropped answers: %v", same.Answers)
	}
	other, err := m.Goto(full, "task_type")
	if err != nil {
		t.Fatal(err)
	}
	other = walk(t, m, other, "requirements-discovery")
	for _, kept := range []string{"task_pick", "task_group_pick", "task_group", "task_id", "work_category", "base_ref_pick", "directive_pick"} {
		if _, ok := other.Answers[kept]; !ok {
			t.Errorf("%s fell, want it kept: %v", kept, other.Answers)
		}
	}
	for _, gone := range []string{"brief_path", "defaults_or_custom", "critic_pick", "report_language_pick"} {
		if _, ok := other.Answers[gone]; ok {
			t.Errorf("%s stayed although it reads the task type", gone)
		}
	}
}

func TestAbortLosesNothing(t *testing.T) {
	m := Machine{&project{}}
	s := walk(t, m, begin(t, m, "text"), newErrorAnalysis...)
	s = walk(t, m, s, "abort")
	if s.Screen.Kind != KindAborted || s.Outcome != OutcomeAborted {
		t.Fatalf("screen %+v after abort", s.Screen)
	}
	s, err := m.Back(s)
	if err != nil || s.Screen.Step != "confirm" {
		t.Fatalf("back: %v, pending %q, want confirm", err, s.Screen.Step)
	}
}

func TestStaleTokenKeepsTheAnswer(t *testing.T) {
	m := Machine{&project{}}
	s := begin(t, m, "text")
	_, err := m.Answer(s, "__new__", "task_pick@0")
	var r *Refusal
	if !errors.As(err, &r) || r.Code != "stale" || !slices.Equal(r.Candidates, []string{"__new__"}) {
		t.Errorf("stale token: %v, want a refusal that keeps the answer", err)
	}
}

func TestNativeSelectorPresentsAtMostItsLimit(t *testing.T) {
	m := Machine{&project{tasks: []TaskFact{{Group: "a", ID: "1"}, {Group: "a", ID: "2"}, {Group: "a", ID: "3"}, {Group: "a", ID: "4"}}}}
	s := begin(t, m, "codex", singleSelect)
	seen := map[string]bool{}
	for range 10 {
		if n := len(s.Screen.Options); n < 2 || n > 3 {
			t.Fatalf("%d options, want 2 or 3: %+v", n, s.Screen.Options)
		}
		page := ""
		for _, o := range s.Screen.Options {
			if strings.HasPrefix(o.Value, pagePrefix) {
				page = o.Value
			} else {
				seen[o.Value] = true
			}
		}
		s = walk(t, m, s, page)
		if strings.HasSuffix(page, ":0") {
			break
		}
	}
	if len(seen) != 6 {
		t.Errorf("paging showed %d options, want 6: %v", len(seen), seen)
	}
}
