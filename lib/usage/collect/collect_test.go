package collect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/usage"
	"okstra/lib/usage/scan"
)

const stateText = `{"schemaVersion":"2.0","kind":"okstra-team-state","runId":"jobs:pay:timeouts:error-analysis:001","taskType":"error-analysis",
"ours":{"kept":[1,2]},"projectRoot":"/w","runManifestPath":"none.json","hostRuntime":"codex","entryMode":"current-session",
"startedAt":"2026-09-08T10:00:00Z","endedAt":"2026-09-08T11:00:00Z","team":{"teamName":"okstra-t"},"teamCreate":{"attempted":true,"status":"ok"},
"lead":{"role":"leader","agent":"Lead","provider":"codex","model":"gpt-5.6-sol","sessionId":"lead","usage":null},
"workers":[` + workerText + `],
"workerDispatches":[{"workerId":"a","sessionId":"s-a"},{"workerId":"b","provider":"antigravity","promptPath":"b.md"},{"workerId":"a","sessionId":"s-a2"}],
"usageSummary":null,"phaseTimeline":null}`

const workerText = `{"workerId":"a","role":"analyser","agent":"a-worker","provider":"claude","model":"m","modelExecutionValue":"m","promptPath":"","status":"completed","resultPath":"","usage":null},
{"workerId":"b","role":"analyser","agent":"b-worker","provider":"antigravity","model":"m","modelExecutionValue":"m","promptPath":"b.md","status":"completed","resultPath":"","usage":null}`

func stateOf(t fataler, text string) State {
	doc, err := jsondoc.Parse("team-state.json", []byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	s, err := Read(doc)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

type fataler interface{ Fatalf(string, ...any) }

// foundOf is a run of which the sessions used so many tokens each, at a minute
// behind ten o'clock.
func foundOf(s State, spent map[string][2]int64, status map[string]*run.Status) Found {
	f := Found{
		State: s, At: time.Date(2026, 9, 8, 12, 0, 0, 0, time.UTC), Prices: price.Default(),
		Window: transcript.Window{Since: time.Date(2026, 9, 8, 10, 0, 0, 0, time.UTC), Until: time.Date(2026, 9, 8, 11, 0, 0, 0, time.UTC)},
		Status: func(prompt string) *run.Status { return status[prompt] }, Real: func(path string) string { return path },
		Transcribed: func(provider string) bool { return provider != "antigravity" },
		Timeline:    usage.NewTimeline(usage.LeadTranscript, nil),
	}
	for _, session := range []string{"lead", "s-a", "s-a2", "nameless", "stranger"} {
		of, used := spent[session]
		if !used {
			continue
		}
		file := &transcript.File{Provider: "claude", Path: "/h/" + session + ".jsonl", Session: session, Skipped: 1}
		if session == "nameless" {
			file.Team = "okstra-t"
		}
		ts := f.Window.Since.Add(time.Duration(of[1]) * time.Minute).Format(time.RFC3339)
		f.Scanned.Events = append(f.Scanned.Events, transcript.Event{
			Provider: "claude", Session: session, TS: ts, At: transcript.Instant(ts), Model: "claude-opus-4-8", Kind: "claude-transcript",
			Counts: transcript.Counts{Input: of[0]}, Source: transcript.Source{Path: file.Path, Line: 1}, File: len(f.Scanned.Files),
		})
		f.Scanned.Files = append(f.Scanned.Files, file)
	}
	f.Scanned = scan.Result{Files: f.Scanned.Files, Events: f.Scanned.Events}
	return f
}

// filled is what stands in a team state when all is done.
type filled struct {
	Ours json.RawMessage `json:"ours"`
	Lead struct {
		Usage usageOf `json:"usage"`
	} `json:"lead"`
	Workers []struct {
		Usage usageOf `json:"usage"`
	} `json:"workers"`
	Summary usage.Summary `json:"usageSummary"`
}

type usageOf struct {
	Source string `json:"source"`
	Total  *int64 `json:"totalTokens"`
	Reason string `json:"reason"`
}

// total is a block's part of a sum; what is unavailable has none, and a reason.
func (u usageOf) total(t fataler) int64 {
	if u.Total == nil {
		if u.Source != usage.SourceUnavailable || u.Reason == "" {
			t.Fatalf("a block without tokens is %q with reason %q", u.Source, u.Reason)
		}
		return 0
	}
	return *u.Total
}

func collected(t fataler, f Found) (doc jsondoc.Doc, out filled) {
	_, doc, err := Collect(f)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := json.Unmarshal(doc.Raw, &out); err != nil {
		t.Fatalf("%v", err)
	}
	return doc, out
}

// Every token inside the window is in one block or in the fold, nobody's is in
// none, and to collect again changes nothing.
func TestCollectSplitsWhatTheSessionsUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spent := map[string][2]int64{}
		var lead, a, nameless int64
		for _, session := range []string{"lead", "s-a", "s-a2", "nameless", "stranger"} {
			if !rapid.Bool().Draw(t, session) {
				continue
			}
			n, minute := rapid.Int64Range(1, 1000).Draw(t, "tokens"), rapid.Int64Range(-5, 65).Draw(t, "minute")
			spent[session] = [2]int64{n, minute}
			switch into := map[string]*int64{"lead": &lead, "s-a": &a, "s-a2": &a, "nameless": &nameless}[session]; {
			case into != nil && minute >= 0 && minute <= 60:
				*into += n
			}
		}
		var b int64
		status := map[string]*run.Status{}
		if rapid.Bool().Draw(t, "status") {
			b = rapid.Int64Range(0, 50).Draw(t, "noted")
			status["b.md"] = &run.Status{State: "exited", StartedAt: "2026-09-08T10:05:00Z", EndedAt: "2026-09-08T10:06:00Z", Usage: json.RawMessage(fmt.Sprintf(`{"inputTokens":%d}`, b))}
		}
		state := stateOf(t, stateText)
		doc, out := collected(t, foundOf(state, spent, status))
		if got := out.Lead.Usage.total(t); got != lead {
			t.Errorf("lead %d, want %d", got, lead)
		}
		for i, want := range []int64{a, b} {
			if got := out.Workers[i].Usage.total(t); got != want {
				t.Errorf("worker %d: %d, want %d", i, got, want)
			}
		}
		if s := out.Summary; s.GrandTotalTokens == nil {
			if lead+a+b+nameless != 0 || len(s.UnavailableReasons) == 0 {
				t.Errorf("no total, of %d tokens, for %q", lead+a+b+nameless, s.UnavailableReasons)
			}
		} else if *s.GrandTotalTokens != lead+a+b+nameless {
			t.Errorf("grand total %d, want %d", *s.GrandTotalTokens, lead+a+b+nameless)
		}
		if string(out.Ours) != `{"kept":[1,2]}` {
			t.Errorf("an unknown member became %s", out.Ours)
		}
		again, _ := collected(t, foundOf(stateOf(t, string(doc.Raw)), spent, status))
		if diff := cmp.Diff(string(doc.Raw), string(again.Raw)); diff != "" {
			t.Errorf("the second time differs:\n%s", diff)
		}
	})
}

// Every transcript of the home lies in a window without a beginning.
func TestARunWithoutABeginningIsNotMeasured(t *testing.T) {
	f := foundOf(stateOf(t, stateText), map[string][2]int64{"lead": {5, 1}, "s-a": {7, 1}}, nil)
	f.Window.Since = time.Time{}
	_, out := collected(t, f)
	if out.Lead.Usage.total(t)+out.Workers[0].Usage.total(t) != 0 || !strings.Contains(out.Workers[0].Usage.Reason, "when the run began") {
		t.Errorf("lead %+v, worker %+v", out.Lead.Usage, out.Workers[0].Usage)
	}
	if s := out.Summary; s.Window.Since != "" || s.WallClockMs != 0 || s.GrandTotalTokens != nil {
		t.Errorf("summary = %+v", s)
	}
}

// Behaviour 23: what a stream reported proves nothing where a transcript should.
func TestAStatusFileMeasuresOnlyWhoLeavesNoTranscript(t *testing.T) {
	text := strings.Replace(stateText, `"sessionId":"s-a"}`, `"provider":"claude","promptPath":"a.md","sessionId":"s-a"}`, 1)
	noted := func() *run.Status {
		return &run.Status{State: "exited", StartedAt: "2026-09-08T10:05:00Z", EndedAt: "2026-09-08T10:06:00Z", Usage: json.RawMessage(`{"input_tokens":9}`)}
	}
	_, out := collected(t, foundOf(stateOf(t, text), nil, map[string]*run.Status{"a.md": noted(), "b.md": noted()}))
	if got := out.Workers[0].Usage; got.Source != usage.SourceUnavailable {
		t.Errorf("claude: %+v", got)
	}
	if got := out.Workers[1].Usage; got.Source != "wrapper-status" || got.total(t) != 9 {
		t.Errorf("antigravity: %+v", got)
	}
}

func TestAFigureThatIsTooLowSaysSo(t *testing.T) {
	f := foundOf(stateOf(t, stateText), map[string][2]int64{"lead": {5, 1}, "s-a": {7, 1}}, nil)
	for i := range f.Scanned.Events {
		f.Scanned.Events[i].Incomplete = true
	}
	_, out := collected(t, f)
	want := []string{"lead: the figure is too low: the CLI itself calls 1 of its records incomplete", "a: the figure is too low: the CLI itself calls 1 of its records incomplete"}
	if diff := cmp.Diff(want, out.Summary.UnavailableReasons[:2]); diff != "" {
		t.Error(diff)
	}
}

// A worker's only transcript may be one that cannot be read.
func TestUnreadableLinesOfASessionCountWithoutEvents(t *testing.T) {
	f := foundOf(stateOf(t, stateText), map[string][2]int64{"lead": {5, 1}, "s-a": {7, 90}, "stranger": {9, 1}}, nil)
	_, out := collected(t, f)
	if got := out.Summary.SkippedLines; got != 2 {
		t.Errorf("%d lines of the lead and the worker, want 2", got)
	}
}

func TestWindowsOfARun(t *testing.T) {
	now := time.Date(2026, 9, 8, 12, 0, 0, 0, time.UTC)
	at := func(clock string) time.Time {
		t, err := time.Parse(time.RFC3339, "2026-09-08T"+clock+"Z")
		if err != nil {
			panic(err)
		}
		return t
	}
	given := transcript.Window{Since: at("10:10:00"), Until: at("10:20:00")}
	for _, tt := range []struct {
		name, text string
		given      transcript.Window
		want       string
	}{
		{"the run's own", stateText, transcript.Window{}, "10:00:00 11:00:00"},
		{"the caller's", stateText, given, "10:10:00 10:20:00"},
		{"one bound each", stateText, transcript.Window{Until: at("10:20:00")}, "10:00:00 10:20:00"},
		{"still going on", strings.Replace(stateText, `"endedAt":"2026-09-08T11:00:00Z"`, `"endedAt":""`, 1), transcript.Window{}, "10:00:00 12:00:00"},
	} {
		w, err := stateOf(t, tt.text).Window(tt.given, now)
		if got := w.Since.Format("15:04:05") + " " + w.Until.Format("15:04:05"); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}
