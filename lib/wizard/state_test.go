package wizard

import (
	"encoding/json"
	"strings"
	"testing"
)

// hostile are states that somebody edited by hand.
var hostile = map[string]func(s *State){
	"unknown answers": func(s *State) { s.Answers = map[string]string{"nobody": "x", "claude_model": "", "": "y"} },
	"impossible answers": func(s *State) {
		s.Answers = map[string]string{"task_pick": "a/b/c", "task_type": "nothing", "workers": ",,,", "confirm": "x"}
	},
	"answers that contradict": func(s *State) { s.Answers["task_pick"], s.Answers["task_key"] = newTask, "x/y" },
	"editing nothing":         func(s *State) { s.Editing = new("nobody") },
	"editing what is hidden":  func(s *State) { s.Editing = new("pr_template") },
	"editing the end":         func(s *State) { s.Editing = new(confirmStep) },
	"offsets out of range":    func(s *State) { s.PickerOffsets = map[string]int{"task_pick": 1 << 40, "stage_pick": -7} },
	"selections of nothing":   func(s *State) { s.PickerSelected = map[string][]string{"task_pick": {"x", "x"}, "nobody": nil} },
	"no maps at all":          func(s *State) { s.Answers, s.PickerOffsets, s.PickerSelected, s.Pinned = nil, nil, nil, nil },
	"no screen":               func(s *State) { s.Screen = Screen{} },
	"screen of nothing":       func(s *State) { s.Screen = Screen{Step: "nobody", Kind: KindPick, Options: []Option{{Value: "x"}}} },
	"group of nothing":        func(s *State) { s.Screen = Screen{Step: "group:x", Kind: KindGroup} },
	"text of a pick":          func(s *State) { s.Screen = Screen{Step: "task_pick", Kind: KindText} },
	"pick of a text": func(s *State) {
		s.Screen = Screen{Step: "task_id", Kind: KindPick, Interaction: &Interaction{Kind: nativeSingle}}
	},
	"plan of nothing": func(s *State) { s.Screen.Interaction = &Interaction{Kind: "telepathy"} },
	"native text": func(s *State) {
		s.Screen = Screen{Step: "task_id", Kind: KindText, Interaction: &Interaction{Kind: nativeSingle}}
	},
	"confirmed out of thin air": func(s *State) { s.Outcome = OutcomeProceed },
	"pins of another shape":     func(s *State) { s.Pinned = map[string][]string{"task_pick": {"a", "b"}, "base_ref_pick": {}} },
}

func TestStatesEditedByHandDoNoHarm(t *testing.T) {
	for name, edit := range hostile {
		t.Run(name, func(t *testing.T) {
			for _, before := range [][]string{nil, implementation[:4], implementation} {
				m := Machine{plannedProject()}
				s := walk(t, m, begin(t, m, "text"), before...)
				edit(&s)
				s, err := m.Resume(s)
				if err != nil {
					t.Fatal(err)
				}
				tryEverything(m, s)
			}
		})
	}
}

// tryEverything must not panic; what it gets for it does not matter.
func tryEverything(m Machine, s State) {
	for _, answer := range []string{"", "-", "1", "x", "{}", `{"task_type":"x"}`, "[]", pagePrefix + "1", doneValue, Custom, "proceed"} {
		result, err := m.Answer(s, answer, "")
		if err == nil {
			_, _ = m.RunInputs(result.State)
		}
		_, _ = m.Reply(s, []Entry{{Step: s.Screen.Step, Texts: []string{answer}, Joined: true}, {Step: "x"}, {Step: s.Screen.Step, Texts: nil}}, true, "", "")
	}
	_, _ = m.Back(s)
	for step := range s.Answers {
		_, _ = m.Goto(s, step)
	}
	for _, h := range Hosts() {
		_, _ = m.Declare(s, h.ID, h.SemanticFunctions)
	}
	m.Confirmation(s)
	_, _ = m.RunInputs(s)
	_, _ = m.Preset(s, map[string]string{"task_type": "error-analysis"})
}

func TestAStateThatIsNotOurs(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(s *State)
		want string
	}{
		{"another flow", func(s *State) { s.Flow = "okstra-tour" }, "/flow"},
		{"unknown host", func(s *State) { s.HostRuntime = "emacs" }, "/hostRuntime"},
		{"unknown function", func(s *State) { s.AvailableFunctions = []string{"native_mind_reading"} }, "/availableFunctions/0"},
	} {
		s := NewState("/srv/shop", "shop")
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		tt.edit(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want the place %s", tt.name, err, tt.want)
		}
	}
}

func TestAStateWithoutAScreenGetsOneUnderItsRevision(t *testing.T) {
	m := Machine{&project{}}
	s := begin(t, m, "text")
	want := s.Screen.Token
	s.Screen = Screen{}
	s, err := m.Resume(s)
	if err != nil || s.Screen.Token != want || s.Screen.Step != "task_pick" {
		t.Errorf("%+v, %v", s.Screen, err)
	}
}

func TestAPickWithoutAChoiceIsLookedAtAgain(t *testing.T) {
	p := &project{providers: []ProviderFact{}}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "text"), toExtras...)
	s = walk(t, m, s, `{"report_language_pick":"none","directive_pick":"skip"}`)
	if _, err := m.Answer(s, "defaults", ""); code(err) != "no-provider" || !strings.Contains(err.Error(), "claude or codex") {
		t.Errorf("no agent CLI: %v", err)
	}
	s = walk(t, m, s, "custom")
	if s.Screen.Step != "workers" || len(s.Screen.Options) != 0 || s.Screen.Detail == "" {
		t.Fatalf("screen %+v", s.Screen)
	}
	if _, err := m.Answer(s, "claude", ""); code(err) != "no-match" || !strings.Contains(err.Error(), s.Screen.Detail) {
		t.Errorf("an answer where there is no choice: %v, want the reason %q", err, s.Screen.Detail)
	}
	raw, err := json.Marshal(s.Screen)
	if err != nil || !strings.Contains(string(raw), `"options":[]`) {
		t.Errorf("%s, %v, want an empty list", raw, err)
	}
	if _, err := m.Answer(s, "claude", ""); code(err) != "no-match" {
		t.Errorf("%v", err)
	}
	p.providers = nil
	if s, err = m.Resume(s); err != nil || len(s.Screen.Options) != 4 {
		t.Errorf("after an install: %v, %v", values(s.Screen.Options), err)
	}
	if s = walk(t, m, s, "claude, codex"); s.Answers["workers"] != "claude,codex" {
		t.Errorf("workers %q", s.Answers["workers"])
	}
}

func TestAConfirmationNeedsAnswersThatStillHold(t *testing.T) {
	p := &project{}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "text"), newErrorAnalysis...)
	p.goneFile = "TASK.md"
	_, err := m.Answer(s, "proceed", "")
	if code(err) != "answer-gone" || !strings.Contains(err.Error(), "brief_path") {
		t.Fatalf("the brief went: %v", err)
	}
	s = walk(t, m, opened(t, m, s, "brief_path"), "other.md", "proceed")
	if s.Outcome != OutcomeProceed {
		t.Errorf("outcome %s", s.Outcome)
	}
}
