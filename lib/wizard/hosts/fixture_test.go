package hosts

import (
	"encoding/json"
	"strings"
	"testing"

	"okstra/lib/wizard"
)

// stagesScreen is a multi pick as a narrow host shows it: one of three stages,
// ticked, with the way on and the end.
const stagesScreen = `{
  "step": "stage_pick", "token": "stage_pick@6", "kind": "pick", "header": "Stages",
  "label": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish", "multi": false,
  "options": [
    {"value": "2", "label": "✓ Stage 2: token refresh", "description": "Ready: stage 1 is done."},
    {"value": "__okstra_picker_page__:1", "label": "next choices"},
    {"value": "__okstra_picker_done__", "label": "finish (1)"}
  ],
  "interaction": {"kind": "native-single", "function": "request_user_input"}
}`

// extrasScreen is a group of three questions.
const extrasScreen = `{
  "step": "group:extras", "token": "group:extras@9", "kind": "pick_group", "label": "3 questions",
  "questions": [
    {"step": "defaults_or_custom", "kind": "pick", "header": "Workers", "label": "Which workers and models?", "multi": false,
     "options": [{"value": "defaults", "label": "Defaults", "description": "claude/opus"}, {"value": "custom", "label": "Choose each"}]},
    {"step": "report_language_pick", "kind": "pick", "header": "Language", "label": "Which language too?", "multi": false,
     "options": [{"value": "none", "label": "English only"}, {"value": "ko", "label": "Korean"}, {"value": "__type_custom__", "label": "type it"}]},
    {"step": "directive_pick", "kind": "pick", "header": "Directive", "label": "Anything to know?", "multi": false,
     "options": [{"value": "skip", "label": "Nothing"}, {"value": "__type_custom__", "label": "type it"}]}
  ],
  "interaction": {"kind": "native-group", "function": "AskUserQuestion"}
}`

// targetsScreen is a multi pick that a wide host shows whole.
const targetsScreen = `{
  "step": "analysis_targets", "token": "analysis_targets@4", "kind": "pick", "header": "Targets", "label": "What should be looked for?", "multi": true,
  "options": [{"value": "security", "label": "Security"}, {"value": "tests", "label": "Tests"}, {"value": "docs", "label": "Docs"}],
  "interaction": {"kind": "native-multi", "function": "AskUserQuestion"}
}`

const briefScreen = `{
  "step": "brief_path", "token": "brief_path@3", "kind": "text", "header": "Brief", "label": "Which file holds the brief?", "optional": false,
  "interaction": {"kind": "text", "function": "host-text"}
}`

const confirmScreen = `{
  "step": "confirm", "token": "confirm@12", "kind": "pick", "header": "Confirm", "label": "Shall the run begin like this?",
  "detail": "Task: shop / pay / timeouts\nDirective: <none> & more\n", "multi": false,
  "options": [{"value": "proceed", "label": "Begin"}, {"value": "edit", "label": "Change an answer"}, {"value": "abort", "label": "Do not begin"}],
  "interaction": {"kind": "native-single", "function": "AskUserQuestion"}
}`

const doneScreen = `{"step": "done", "token": "done@13", "kind": "done", "label": "All questions are answered."}`

func state(t testing.TB, host, screen string) wizard.State {
	t.Helper()
	s := wizard.NewState("/srv/shop", "shop")
	s.HostRuntime, s.AvailableFunctions = host, wizard.Functions
	if err := json.Unmarshal([]byte(screen), &s.Screen); err != nil {
		t.Fatal(err)
	}
	return s
}

func row(t testing.TB, id string) wizard.Host {
	t.Helper()
	h, err := wizard.FindHost(id)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// compact is a value as JSON on one line, with the letters as they are.
func compact(t testing.TB, v any) string {
	t.Helper()
	text, err := plainJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// squeezed is a JSON text without white space between its tokens.
func squeezed(t testing.TB, text string) string {
	t.Helper()
	var v json.RawMessage
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return compact(t, v)
}
