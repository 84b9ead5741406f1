package hosts

import (
	"errors"
	"strings"
	"testing"

	"okstra/lib/wizard"
)

func TestPayloadsOfEachHost(t *testing.T) {
	for _, tt := range []struct{ name, host, screen, want string }{
		{"claude-code", "claude-code", stagesScreen, `{"questions": [{"question": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish", "header": "Stages", "multiSelect": false,
   "options": [{"label": "✓ Stage 2: token refresh", "description": "Ready: stage 1 is done."}, {"label": "next choices", "description": "Shows more stages."}, {"label": "finish (1)", "description": "Submits the selection."}]}]}`},
		{"codex", "codex", stagesScreen, `{"questions": [{"id": "stage_pick", "header": "Stages", "question": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish",
   "options": [{"label": "✓ Stage 2: token refresh", "description": "Ready: stage 1 is done."}, {"label": "next choices", "description": "Shows more stages."}, {"label": "finish (1)", "description": "Submits the selection."}]}]}`},
		{"gemini", "gemini", stagesScreen, `{"questions": [{"type": "choice", "question": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish", "header": "Stages", "multiSelect": false,
   "options": [{"label": "✓ Stage 2: token refresh", "description": "Ready: stage 1 is done."}, {"label": "next choices", "description": "Shows more stages."}, {"label": "finish (1)", "description": "Submits the selection."}]}]}`},
		{"mcp", "mcp", stagesScreen, `{"mode": "form", "message": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish",
  "requestedSchema": {"type": "object", "required": ["stage_pick"], "properties": {"stage_pick": {"type": "string", "title": "Stages",
   "oneOf": [{"const": "2", "title": "✓ Stage 2: token refresh"}, {"const": "__okstra_picker_page__:1", "title": "next choices"}, {"const": "__okstra_picker_done__", "title": "finish (1)"}]}}}}`},
		{"acp", "acp", stagesScreen, `{"sessionId": "sess-1", "toolCall": {"toolCallId": "okstra-wizard:stage_pick@6", "title": "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish", "kind": "other", "status": "pending"},
  "options": [{"optionId": "2", "name": "✓ Stage 2: token refresh", "kind": "allow_once"}, {"optionId": "__okstra_picker_page__:1", "name": "next choices", "kind": "allow_once"}, {"optionId": "__okstra_picker_done__", "name": "finish (1)", "kind": "allow_once"}]}`},
		{"several choices", "claude-code", targetsScreen, `{"questions": [{"question": "What should be looked for?", "header": "Targets", "multiSelect": true,
   "options": [{"label": "Security", "description": ""}, {"label": "Tests", "description": ""}, {"label": "Docs", "description": ""}]}]}`},
		{"several choices of a form", "mcp", targetsScreen, `{"mode": "form", "message": "What should be looked for?", "requestedSchema": {"type": "object", "required": ["analysis_targets"],
  "properties": {"analysis_targets": {"type": "array", "title": "Targets", "items": {"anyOf": [{"const": "security", "title": "Security"}, {"const": "tests", "title": "Tests"}, {"const": "docs", "title": "Docs"}]}}}}}`},
		{"the host types by itself", "claude-code", extrasScreen, `{"questions": [
   {"question": "Which workers and models?", "header": "Workers", "multiSelect": false, "options": [{"label": "Defaults", "description": "claude/opus"}, {"label": "Choose each", "description": ""}]},
   {"question": "Which language too?", "header": "Language", "multiSelect": false, "options": [{"label": "English only", "description": ""}, {"label": "Korean", "description": ""}]},
   {"question": "Anything to know?", "header": "Directive", "multiSelect": false, "options": [{"label": "Nothing", "description": ""}, {"label": "type it", "description": ""}]}]}`},
		{"a form of several questions", "mcp", extrasScreen, `{"mode": "form", "message": "3 questions", "requestedSchema": {"type": "object", "required": ["defaults_or_custom", "report_language_pick", "directive_pick"], "properties": {
   "defaults_or_custom": {"type": "string", "title": "Which workers and models?", "oneOf": [{"const": "defaults", "title": "Defaults"}, {"const": "custom", "title": "Choose each"}]},
   "report_language_pick": {"type": "string", "title": "Which language too?", "oneOf": [{"const": "none", "title": "English only"}, {"const": "ko", "title": "Korean"}, {"const": "__type_custom__", "title": "type it"}]},
   "directive_pick": {"type": "string", "title": "Anything to know?", "oneOf": [{"const": "skip", "title": "Nothing"}, {"const": "__type_custom__", "title": "type it"}]}}}}`},
		{"a text in a form", "mcp", briefScreen, `{"mode": "form", "message": "Which file holds the brief?", "requestedSchema": {"type": "object", "required": ["brief_path"], "properties": {"brief_path": {"type": "string", "title": "Brief"}}}}`},
		{"a text", "claude-code", briefScreen, `{"text": "Which file holds the brief?\nAnswer with a text:\n"}`},
		{"the detail of a form", "mcp", confirmScreen, `{"mode": "form", "message": "Task: shop / pay / timeouts\nDirective: <none> & more\n\nShall the run begin like this?", "requestedSchema": {"type": "object", "required": ["confirm"], "properties": {"confirm": {"type": "string", "title": "Confirm",
   "oneOf": [{"const": "proceed", "title": "Begin"}, {"const": "edit", "title": "Change an answer"}, {"const": "abort", "title": "Do not begin"}]}}}}`},
		{"a refusal is marked as one", "acp", confirmScreen, `{"sessionId": "sess-1", "toolCall": {"toolCallId": "okstra-wizard:confirm@12", "title": "Shall the run begin like this?", "kind": "other", "status": "pending", "content": [{"type": "content", "content": {"type": "text", "text": "Task: shop / pay / timeouts\nDirective: <none> & more\n"}}]},
  "options": [{"optionId": "proceed", "name": "Begin", "kind": "allow_once"}, {"optionId": "edit", "name": "Change an answer", "kind": "allow_once"}, {"optionId": "abort", "name": "Do not begin", "kind": "reject_once"}]}`},
		{"the end of a form", "mcp", doneScreen, `{"mode": "form", "message": "All questions are answered.", "requestedSchema": {"type": "object", "properties": {}}}`},
		{"the end", "codex", doneScreen, `{"text": "All questions are answered.\n"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call, err := Render(state(t, tt.host, tt.screen), row(t, tt.host), "sess-1")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := compact(t, call.Payload), squeezed(t, tt.want); got != want {
				t.Errorf("payload\n%s\nwant\n%s", got, want)
			}
			if call.Host != tt.host || call.Token == "" || call.Step == "" || call.Function == "" {
				t.Errorf("call %+v", call)
			}
		})
	}
}

func TestTheDetailGoesAlongWhereThePayloadHasNoPlaceForIt(t *testing.T) {
	for host, want := range map[string]bool{"claude-code": true, "codex": true, "gemini": true, "mcp": false, "acp": false} {
		call, err := Render(state(t, host, confirmScreen), row(t, host), "")
		if err != nil || (call.Detail != "") != want {
			t.Errorf("%s: detail %q, %v", host, call.Detail, err)
		}
	}
}

func TestTheFunctionIsTheOneThatWasPlanned(t *testing.T) {
	s := state(t, "codex", stagesScreen)
	s.Screen.Interaction.Function = "request_user_input_async"
	if call, err := Render(s, row(t, "codex"), ""); err != nil || call.Function != "request_user_input_async" {
		t.Errorf("%+v, %v", call, err)
	}
	if call, err := Render(s, row(t, "gemini"), ""); err != nil || call.Function != "ask_user" {
		t.Errorf("another host: %+v, %v", call, err)
	}
	s.Screen.Interaction.Function, s.AsyncQuestions = hostText, true
	if call, err := Render(s, row(t, "codex"), ""); err != nil || call.Function != "request_user_input_async" {
		t.Errorf("numbered, shown with the tool all the same: %+v, %v", call, err)
	}
}

// Public reports 2 and 3: a call that the host would refuse is not made.
func TestScreensForWiderHostsAreRefused(t *testing.T) {
	wide := strings.Replace(targetsScreen, `"options": [`, `"options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, `, 1)
	comma := strings.Replace(targetsScreen, `"Docs"`, `"Docs, all of them"`, 1)
	one := `{"step": "x", "token": "x@1", "kind": "pick", "label": "One?", "multi": false, "options": [{"value": "a", "label": "A"}]}`
	alike := strings.ReplaceAll(extrasScreen, "Which language too?", "Anything to know?")
	four := strings.Replace(extrasScreen, `"questions": [`, `"questions": [{"step": "x", "kind": "pick", "label": "One more?", "multi": false, "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},`, 1)
	for _, tt := range []struct{ name, host, screen string }{
		{"five options for four", "claude-code", wide},
		{"several choices", "codex", targetsScreen},
		{"several choices", "acp", targetsScreen},
		{"a comma among several choices", "gemini", comma},
		{"one option", "claude-code", one},
		{"a group", "acp", extrasScreen},
		{"four questions for three", "codex", four},
		{"questions that read alike", "claude-code", alike},
	} {
		_, err := Render(state(t, tt.host, tt.screen), row(t, tt.host), "")
		var r *wizard.Refusal
		if !errors.As(err, &r) || r.Code != "does-not-fit" || !strings.Contains(r.Message, "--host "+tt.host) {
			t.Errorf("%s on %s: %v, want does-not-fit and the way out", tt.name, tt.host, err)
		}
		if _, err := Render(state(t, tt.host, tt.screen), row(t, "text"), ""); err != nil {
			t.Errorf("%s as text: %v", tt.name, err)
		}
	}
	if _, err := Render(state(t, "acp", one), row(t, "acp"), ""); err != nil {
		t.Errorf("one option where one will do: %v", err)
	}
}

func TestEqualLabelsAreToldApart(t *testing.T) {
	twins := `{"step": "x", "token": "x@1", "kind": "pick", "label": "Which?", "multi": false, "options": [{"value": "a/k3", "label": "K3"}, {"value": "b/k3", "label": "K3"}]}`
	call, err := Render(state(t, "claude-code", twins), row(t, "claude-code"), "")
	if got := compact(t, call.Payload); err != nil || !strings.Contains(got, `"K3 [a/k3]"`) || !strings.Contains(got, `"K3 [b/k3]"`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestStepsBecomeSnakeCaseAndComeBackByTheirPlace(t *testing.T) {
	group := `{"step": "group:models", "token": "g@1", "kind": "pick_group", "label": "2 questions", "questions": [
    {"step": "claude-2_model", "kind": "pick", "label": "A?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
    {"step": "claude.2_model", "kind": "pick", "label": "B?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}]}`
	s := state(t, "codex", group)
	call, err := Render(s, row(t, "codex"), "")
	if got := compact(t, call.Payload); err != nil || !strings.Contains(got, `"claude_2_model"`) || !strings.Contains(got, `"claude_2_model_2"`) {
		t.Fatalf("%s, %v", got, err)
	}
	reply, err := Read(s.Screen, row(t, "codex"), []byte(`{"answers": {"claude_2_model_2": {"answers": ["B"]}}}`), strict)
	if err != nil || len(reply.Entries) != 1 || reply.Entries[0].Step != "claude.2_model" {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestTextForHostsWithoutAPicker(t *testing.T) {
	stages := `{"step": "stage_pick", "kind": "pick", "label": "Which stages should be implemented?", "multi": true, "options": [
    {"value": "2", "label": "Stage 2: token refresh", "description": "Ready: stage 1 is done."},
    {"value": "3", "label": "Stage 3: revocation list", "description": "Waits for stage 2; runs after it."}, {"value": "all", "label": "All stages"}]}`
	hostile := `{"step": "x", "kind": "pick", "label": "Which\u001b[31m?", "detail": "one\n\u001b]0;x\u0007two", "multi": false, "options": [{"value": "a", "label": "A\nB", "description": "\u001b[2J"}]}`
	for _, tt := range []struct{ name, lang, screen, want string }{
		{"several choices", "en", stages, `Which stages should be implemented?
  1. Stage 2: token refresh - Ready: stage 1 is done.
  2. Stage 3: revocation list - Waits for stage 2; runs after it.
  3. All stages
Answer with numbers, labels or values, separated by commas:
`},
		{"a detail", "en", confirmScreen, `Task: shop / pay / timeouts
Directive: <none> & more

Shall the run begin like this?
  1. Begin
  2. Change an answer
  3. Do not begin
Answer with a number, a label or a value:
`},
		{"a group", "en", extrasScreen, `3 questions

[defaults_or_custom] Which workers and models?
  1. Defaults - claude/opus
  2. Choose each

[report_language_pick] Which language too?
  1. English only
  2. Korean
  3. type it

[directive_pick] Anything to know?
  1. Nothing
  2. type it

Answer with one JSON object keyed by the names in brackets:
`},
		{"a text", "ko", briefScreen, "Which file holds the brief?\n글로 답하세요:\n"},
		{"terminal escapes", "en", hostile, "one\ntwo\n\nWhich?\n  1. A B - \nAnswer with a number, a label or a value:\n"},
		{"the end", "en", doneScreen, "All questions are answered.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(state(t, "text", tt.screen).Screen, wizard.TextsFor(tt.lang)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
