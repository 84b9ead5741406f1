package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"okstra/lib/wizard"
)

// strict stands in for the strict reader of the programs.
func strict(raw []byte) error {
	if !json.Valid(raw) {
		return errors.New("not JSON")
	}
	return nil
}

func entries(list []wizard.Entry) string {
	var out []string
	for _, e := range list {
		var text strings.Builder
		text.WriteString(e.Step + "=" + strings.Join(e.Texts, "|"))
		for _, flag := range []struct {
			set  bool
			name string
		}{{e.Joined, "joined"}, {e.Exact, "exact"}, {e.Typed, "typed"}, {e.Other, "other"}} {
			if flag.set {
				text.WriteString(" " + flag.name)
			}
		}
		out = append(out, text.String())
	}
	return strings.Join(out, "; ")
}

const stagesQuestion = "Which stages should be implemented? (1–1/3) · pick to select or clear, then finish"

func TestRepliesOfEachHost(t *testing.T) {
	for _, tt := range []struct{ name, host, screen, reply, outcome, entries string }{
		{"claude", "claude-code", stagesScreen, `{"answers": {"` + stagesQuestion + `": "finish (1)"}}`, Answered, "stage_pick=finish (1)"},
		{"claude, several", "claude-code", targetsScreen, `{"answers": {"What should be looked for?": "Security, Docs"}}`, Answered, "analysis_targets=Security, Docs joined"},
		{"claude, a group in part", "claude-code", extrasScreen, `{"answers": {"Anything to know?": "Nothing"}, "questions": []}`, Answered, "directive_pick=Nothing"},
		{"claude, its own choice to type", "claude-code", extrasScreen, `{"answers": {"Which language too?": "Other"}}`, Answered, "report_language_pick=Other other"},
		{"claude, written instead", "claude-code", stagesScreen, `{"answers": {}, "response": "do all of them"}`, Answered, "stage_pick=do all of them typed"},
		{"claude, written instead of a group", "claude-code", extrasScreen, `{"answers": {}, "response": "you choose"}`, Skipped, ""},
		{"claude, key absent", "claude-code", stagesScreen, `{"answers": {}}`, Skipped, ""},
		{"claude, empty answer", "claude-code", stagesScreen, `{"answers": {"` + stagesQuestion + `": " "}}`, Skipped, ""},
		{"claude, skipped", "claude-code", stagesScreen, `{"answers": {"` + stagesQuestion + `": "finish (1)"}, "annotations": {"` + stagesQuestion + `": {"unanswered": "skipped"}}}`, Skipped, ""},
		{"claude, replied in the chat", "claude-code", stagesScreen, `{"answers": {"` + stagesQuestion + `": "finish (1)"}, "annotations": {"` + stagesQuestion + `": {"unanswered": "replied_in_chat"}}}`, Skipped, ""},
		{"claude, dismissed", "claude-code", stagesScreen, `{"annotations": {"` + stagesQuestion + `": {"unanswered": "dismissed"}}}`, Dismissed, ""},
		{"claude, a way of leaving it open that nobody knows", "claude-code", stagesScreen, `{"answers": {"` + stagesQuestion + `": "finish (1)"}, "annotations": {"` + stagesQuestion + `": {"unanswered": "eaten"}}}`, Answered, "stage_pick=finish (1)"},
		{"codex", "codex", stagesScreen, `{"answers": {"stage_pick": {"answers": ["finish (1)"]}}}`, Answered, "stage_pick=finish (1)"},
		{"codex, typed", "codex", stagesScreen, `{"answers": {"stage_pick": {"answers": ["user_note: all of them"]}}}`, Answered, "stage_pick=all of them typed"},
		{"codex, typed beside its own choice", "codex", extrasScreen, `{"answers": {"report_language_pick": {"answers": ["None of the above", "user_note: ja"]}}}`, Answered, "report_language_pick=ja typed"},
		{"codex, a note beside a choice", "codex", stagesScreen, `{"answers": {"stage_pick": {"answers": ["finish (1)", "user_note: quickly"]}}}`, Answered, "stage_pick=finish (1)"},
		{"codex, nothing of it", "codex", extrasScreen, `{"answers": {"report_language_pick": {"answers": ["None of the above"]}}}`, Answered, "report_language_pick= other"},
		{"codex, no answers", "codex", stagesScreen, `{"answers": {}}`, Cancelled, ""},
		{"codex, an empty answer", "codex", stagesScreen, `{"answers": {"stage_pick": {"answers": []}}}`, Cancelled, ""},
		{"codex, null", "codex", stagesScreen, " null\n", Cancelled, ""},
		{"codex, not allowed", "codex", stagesScreen, `request_user_input is unavailable in Default mode`, Unavailable, ""},
		{"codex, not allowed, as a JSON text", "codex", stagesScreen, `"request_user_input is unavailable in Default mode"`, Unavailable, ""},
		{"gemini", "gemini", stagesScreen, `{"answers": {"0": "finish (1)"}}`, Answered, "stage_pick=finish (1)"},
		{"gemini, several", "gemini", targetsScreen, `{"answers": {"0": "Security, Tests"}}`, Answered, "analysis_targets=Security, Tests joined"},
		{"gemini, a group in part", "antigravity", extrasScreen, `{"answers": {"2": "Nothing", "0": "Defaults"}}`, Answered, "defaults_or_custom=Defaults; directive_pick=Nothing"},
		{"gemini, missing", "gemini", stagesScreen, `{"answers": {}}`, Skipped, ""},
		{"gemini, dismissed", "gemini", stagesScreen, `User dismissed ask_user dialog without answering.`, Dismissed, ""},
		{"mcp", "mcp", stagesScreen, `{"action": "accept", "content": {"stage_pick": "2"}}`, Answered, "stage_pick=2 exact"},
		{"mcp, several", "mcp", targetsScreen, `{"action": "accept", "content": {"analysis_targets": ["docs", "tests"]}}`, Answered, "analysis_targets=docs|tests exact"},
		{"mcp, a text", "mcp", briefScreen, `{"action": "accept", "content": {"brief_path": "TASK.md"}}`, Answered, "brief_path=TASK.md"},
		{"mcp, declined", "mcp", stagesScreen, `{"action": "decline"}`, Declined, ""},
		{"mcp, cancelled", "mcp", stagesScreen, `{"action": "cancel"}`, Cancelled, ""},
		{"mcp, nothing filled in", "mcp", stagesScreen, `{"action": "accept", "content": {}}`, Skipped, ""},
		{"mcp, no content", "mcp", stagesScreen, `{"action": "accept"}`, Skipped, ""},
		{"acp", "acp", stagesScreen, `{"outcome": {"outcome": "selected", "optionId": "2"}}`, Answered, "stage_pick=2 exact"},
		{"acp, cancelled", "acp", stagesScreen, `{"outcome": {"outcome": "cancelled"}}`, Cancelled, ""},
		{"text", "text", stagesScreen, " 1, 2\n", Answered, ""},
		{"text, empty", "grok", stagesScreen, " \n", Skipped, ""},
		{"a text step of a host with a picker", "claude-code", briefScreen, "docs/{brief}.md", Answered, ""},
		{"a text that is JSON", "codex", briefScreen, `{"answers": {}}`, Answered, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(state(t, tt.host, tt.screen).Screen, row(t, tt.host), []byte(tt.reply), strict)
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != tt.outcome || entries(got.Entries) != tt.entries {
				t.Errorf("outcome %s, entries %q, want %s, %q", got.Outcome, entries(got.Entries), tt.outcome, tt.entries)
			}
			if plain := tt.entries == "" && tt.outcome == Answered; got.Plain != plain {
				t.Errorf("plain %v, want %v", got.Plain, plain)
			}
		})
	}
}

// Public report 7: what happens when nobody is there is no answer.
func TestAnExpiredCallIsNoConsent(t *testing.T) {
	screen := state(t, "claude-code", stagesScreen).Screen
	for _, tt := range []struct{ reply, outcome, entries string }{
		{`{"answers": {}, "afkTimeoutMs": 60000}`, TimedOut, ""},
		{`{"afkTimeoutMs": 60000}`, TimedOut, ""},
		{`{"answers": {"` + stagesQuestion + `": "No response after 60s - continued without an answer"}, "afkTimeoutMs": 60000}`, TimedOut, ""},
		{`{"answers": {}, "response": "whatever", "afkTimeoutMs": 60000}`, TimedOut, ""},
		{`{"answers": {"` + stagesQuestion + `": "finish (1)"}, "afkTimeoutMs": 60000}`, Answered, "stage_pick=finish (1)"},
	} {
		got, err := Read(screen, row(t, "claude-code"), []byte(tt.reply), strict)
		if err != nil || got.Outcome != tt.outcome || entries(got.Entries) != tt.entries {
			t.Errorf("%s: %s, %q, %v, want %s, %q", tt.reply, got.Outcome, entries(got.Entries), err, tt.outcome, tt.entries)
		}
	}
}

func TestNotesAreToldNotTaken(t *testing.T) {
	for host, reply := range map[string]string{
		"claude-code": `{"answers": {"` + stagesQuestion + `": "finish (1)"}, "annotations": {"` + stagesQuestion + `": {"notes": "quickly"}}}`,
		"codex":       `{"answers": {"stage_pick": {"answers": ["finish (1)", "user_note: quickly"]}}}`,
	} {
		got, err := Read(state(t, host, stagesScreen).Screen, row(t, host), []byte(reply), strict)
		if err != nil || fmt.Sprint(got.Notes) != "[quickly]" {
			t.Errorf("%s: notes %v, %v", host, got.Notes, err)
		}
	}
}

func TestRepliesToAnotherScreenAreRefused(t *testing.T) {
	for host, reply := range map[string]string{
		"claude-code": `{"answers": {"Which stages should be implemented? (2–2/3) · pick to select or clear, then finish": "finish (1)"}}`,
		"codex":       `{"answers": {"task_pick": {"answers": ["finish (1)"]}}}`,
		"gemini":      `{"answers": {"1": "finish (1)"}}`,
		"mcp":         `{"action": "accept", "content": {"task_pick": "2"}}`,
	} {
		_, err := Read(state(t, host, stagesScreen).Screen, row(t, host), []byte(reply), strict)
		var r *wizard.Refusal
		if !errors.As(err, &r) || r.Code != "screen-mismatch" || len(r.Candidates) == 0 {
			t.Errorf("%s: %v, want screen-mismatch with the answer kept", host, err)
		}
	}
}

func TestRepliesOfAnotherShapeAreTheCallersMistake(t *testing.T) {
	for _, tt := range []struct{ host, reply string }{
		{"claude-code", `[]`},
		{"claude-code", `{}`},
		{"claude-code", `{"answers": {"` + stagesQuestion + `": 1}}`},
		{"claude-code", `finish (1)`},
		{"claude-code", ``},
		{"codex", `{"answers": {"stage_pick": "finish (1)"}}`},
		{"codex", `{}`},
		{"codex", `nothing`},
		{"gemini", `{"answers": ["finish (1)"]}`},
		{"gemini", `{}`},
		{"mcp", `{"action": "maybe"}`},
		{"mcp", `{"action": "accept", "content": {"stage_pick": 2}}`},
		{"mcp", `{"action": "accept", "content": {"stage_pick": ["2"]}}`},
		{"acp", `{"outcome": {"outcome": "selected"}}`},
		{"acp", `{"outcome": "selected"}`},
		{"acp", `{}`},
	} {
		_, err := Read(state(t, tt.host, stagesScreen).Screen, row(t, tt.host), []byte(tt.reply), strict)
		var r *wizard.Refusal
		if err == nil || errors.As(err, &r) {
			t.Errorf("%s, %s: %v, want an error of the shape", tt.host, tt.reply, err)
		}
	}
}

// A reply of any bytes is read or refused, and no entry is about a question
// that is not asked.
func FuzzReplies(f *testing.F) {
	for _, seed := range []string{
		`{"answers": {"` + stagesQuestion + `": "finish (1)"}}`, `{"answers": {"stage_pick": {"answers": ["finish (1)", "user_note: x"]}}}`, `{"answers": {"0": "x"}}`,
		`{"action": "accept", "content": {"stage_pick": "2"}}`, `{"outcome": {"outcome": "selected", "optionId": "2"}}`, `null`, `{"answers": null}`,
		`{"answers": {"stage_pick": null}}`, `{"annotations": {"` + stagesQuestion + `": {"unanswered": "skipped"}}, "afkTimeoutMs": 1}`, `request_user_input is unavailable`,
	} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 4)
	}
	all := wizard.Hosts()
	screens := []wizard.Screen{}
	for _, text := range []string{stagesScreen, extrasScreen, targetsScreen, briefScreen, confirmScreen, doneScreen} {
		screens = append(screens, state(f, "codex", text).Screen)
	}
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		h := all[uint(n)%uint(len(all))]
		for _, s := range screens {
			reply, err := Read(s, h, raw, strict)
			if err != nil {
				continue
			}
			if reply.Outcome == "" {
				t.Fatalf("%s: no outcome of %q", h.ID, raw)
			}
			for _, e := range reply.Entries {
				known := false
				for _, q := range s.Members() {
					known = known || q.Step == e.Step
				}
				if !known {
					t.Fatalf("%s: %q answers %q", h.ID, raw, e.Step)
				}
			}
		}
	})
}
