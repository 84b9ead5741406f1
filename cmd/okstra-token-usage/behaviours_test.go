package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/cli"
)

// The behaviours of collect that must hold, each in a small home of its own:
// from the files that a CLI leaves to the block that a reader of the team state
// gets. Their numbers are those of index_test.go.

const (
	leadID  = "0199aa10-0000-7000-8000-000000000001"
	claudeA = "11111111-1111-4111-8111-111111111111"
	claudeB = "22222222-2222-4222-8222-222222222222"
)

func TestBehavioursOfCollect(t *testing.T) {
	for _, tt := range []struct {
		name    string
		set     func(place)
		lead    func() object
		workers []object
		ledger  any
		want    string
	}{
		{
			"1: a lead in session has what it used inside the window, not its running total",
			func(p place) {
				p.rollout(leadID, "09:00:00", "/w/jobs", "gpt-5.6-sol", tokenCount("09:50:00", 10_000, 10_000), tokenCount("10:10:00", 14_000, 4_000), tokenCount("10:40:00", 19_000, 5_000))
			}, codexLead, nil, nil,
			"lead codex-rollout 9000 tokens in 1 from 10:10:00  1800s",
		},
		{
			"4: nothing inside is unavailable, not 0",
			func(p place) {
				p.rollout(leadID, "09:00:00", "/w/jobs", "gpt-5.6-sol", tokenCount("09:50:00", 10_000, 10_000))
			}, codexLead, nil, nil,
			"lead unavailable with a reason  0s",
		},
		{
			"5: a count without info alone is unavailable",
			func(p place) {
				p.rollout(leadID, "09:00:00", "/w/jobs", "gpt-5.6-sol", codexLine("10:10:00", "event_msg", `{"type":"token_count","info":null}`))
			}, codexLead, nil, nil,
			"lead unavailable with a reason  0s",
		},
		{
			"7: a lead's session that ended before the window is not found in it",
			func(p place) {
				p.rollout(leadID, "09:00:00", "/w/jobs", "gpt-5.6-sol", tokenCount("09:50:00", 10_000, 10_000), tokenCount("09:59:59", 11_000, 1_000))
				p.touch("home/.codex/sessions/2026/09/08/rollout-2026-09-08T09-00-00-"+leadID+".jsonl", "2026-09-08T09:59:59.9Z")
			}, codexLead, nil, nil,
			"lead unavailable with a reason  0s",
		},
		{
			"9: a transcript changed within the second in which the window begins",
			func(p place) {
				p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:00:00", "", "", 700)
				p.touch("home/.claude/projects/-w/"+claudeA+".jsonl", "2026-09-08T10:00:00.0009Z")
			}, noLead,
			[]object{roster("scope", "claude", "")},
			[]object{{"workerId": "scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope claude-transcript 700 tokens in 1 from 10:00:00 not-started 0s",
		},
		{
			"8: a worker's search leaves out what began before its wrapper",
			func(p place) {
				p.wrapped("p.md", "codex", "10:05:00", "10:20:00", "")
				p.rollout("0199aa10-0000-7000-8000-00000000000a", "10:04:00", p.proj(), "gpt-5.6-sol", tokenCount("10:06:00", 5_000, 5_000))
			}, noLead,
			[]object{roster("a", "codex", "p.md")},
			[]object{{"workerId": "a", "provider": "codex", "promptPath": "p.md"}},
			"lead unavailable with a reason  0s\na unavailable with a reason exited 900s",
		},
		{
			"10: of a Grok session every prompt counts",
			func(p place) {
				p.wrapped("p.md", "grok", "10:05:00", "10:20:00", "")
				p.grok(p.proj(), "g-1", 10_000, 12_000, 15_000)
			}, noLead,
			[]object{roster("a", "grok", "p.md")},
			[]object{{"workerId": "a", "provider": "grok", "promptPath": "p.md", "sessionId": "g-1"}},
			"lead unavailable with a reason  0s\na grok-updates 37000 tokens in 1 from 10:06:00 exited 900s",
		},
		{
			"11: a Grok run is looked for in its worktree and in the project, and both count",
			func(p place) {
				p.wrapped("p.md", "grok", "10:05:00", "10:20:00", "")
				p.grok(filepath.Join(p.root, "wt", "s1"), "g-1", 10_000)
				p.grok(p.proj(), "g-2", 2_000)
				p.grok(filepath.Join(p.root, "elsewhere"), "g-3", 500)
			}, noLead,
			[]object{roster("a", "grok", "p.md")},
			[]object{{"workerId": "a", "provider": "grok", "promptPath": "p.md", "worktreePath": "../wt/s1"}},
			"lead unavailable with a reason  0s\na grok-updates 12000 tokens in 2 from 10:06:00 exited 900s",
		},
		{
			"11: the CLI knows the project by its real name, the run by a link to it",
			func(p place) {
				p.wrapped("p.md", "grok", "10:05:00", "10:20:00", "")
				real := filepath.Join(p.root, "real")
				if err := os.Rename(p.proj(), real); err != nil {
					p.t.Fatal(err)
				}
				if err := os.Symlink(real, p.proj()); err != nil {
					p.t.Fatal(err)
				}
				p.grok(real, "g-1", 10_000)
			}, noLead,
			[]object{roster("a", "grok", "p.md")},
			[]object{{"workerId": "a", "provider": "grok", "promptPath": "p.md"}},
			"lead unavailable with a reason  0s\na grok-updates 10000 tokens in 1 from 10:06:00 exited 900s",
		},
		{
			"12: dispatched five times, the roster knows the first; the time is the sum of five windows",
			func(p place) {
				for i := range 5 {
					p.wrapped(fmt.Sprintf("p%d.md", i), "codex", fmt.Sprintf("10:%02d:00", i*10+1), fmt.Sprintf("10:%02d:30", i*10+1), "")
					p.rollout(fmt.Sprintf("0199aa10-0000-7000-8000-0000000000a%d", i), fmt.Sprintf("10:%02d:05", i*10+1), "/elsewhere", "gpt-5.6-sol", tokenCount(fmt.Sprintf("10:%02d:10", i*10+1), 1_000, 1_000))
				}
			}, noLead,
			[]object{roster("a", "codex", "p0.md")},
			func() (rows []object) {
				for i := range 5 {
					rows = append(rows, object{"workerId": "a", "provider": "codex", "promptPath": fmt.Sprintf("p%d.md", i), "sessionId": fmt.Sprintf("0199aa10-0000-7000-8000-0000000000a%d", i)})
				}
				return rows
			}(),
			"lead unavailable with a reason  0s\na codex-rollout 5000 tokens in 5 from 10:01:05 exited 150s",
		},
		{
			"13: a row of version 2 and an empty prompt in the roster",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700) },
			noLead,
			[]object{roster("scope", "claude", "")},
			[]object{{"schemaVersion": "2.0", "assignmentRef": "assignment/analysis/scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope claude-transcript 700 tokens in 1 from 10:10:00 not-started 0s",
		},
		{
			"14: a ledger of null and 7",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700) },
			noLead,
			[]object{roster("scope", "claude", "")},
			[]any{nil, 7, object{"workerId": "scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope claude-transcript 700 tokens in 1 from 10:10:00 not-started 0s",
		},
		{
			"14: a ledger that is no list",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700) },
			noLead,
			[]object{roster("scope", "claude", "")},
			object{"0": object{"workerId": "scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope unavailable with a reason  0s",
		},
		{
			"15: a row of the roster without a worker's id owns nothing",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700) },
			noLead,
			[]object{roster("", "claude", "")},
			[]object{{"sessionId": claudeA}},
			"lead unavailable with a reason  0s\n unavailable with a reason  0s",
		},
		{
			"16: attempt 1 in a pane, attempt 2 in process",
			func(p place) {
				p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700)
				p.claude("-w/"+leadID+"/subagents/agent-ascope-worker-0123abc.jsonl", leadID, "m2", "10:20:00", "", "", 50)
			}, codexLead,
			[]object{roster("scope", "claude", "")},
			[]object{{"workerId": "scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope claude-transcript 750 tokens in 2 from 10:10:00 not-started 0s",
		},
		{
			"17: a dispatched session with nothing in the window used nothing known, not 0 tokens",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "12:10:00", "", "", 700) },
			noLead,
			[]object{roster("scope", "claude", "")},
			[]object{{"workerId": "scope", "sessionId": claudeA}},
			"lead unavailable with a reason  0s\nscope unavailable with a reason not-started 0s",
		},
		{
			"18: the worker of the lead session's next run is neither counted nor named",
			func(p place) {
				p.claude("-w/"+leadID+"/subagents/agent-ascope-worker-0123abc.jsonl", leadID, "m1", "12:20:00", "", "", 50)
				p.claude("-w/"+claudeB+".jsonl", claudeB, "m2", "10:20:00", "scope-worker", "okstra-t", 7)
			}, codexLead,
			[]object{roster("scope", "claude", "")},
			nil,
			"lead unavailable with a reason  0s\nscope claude-transcript 7 tokens in 1 from 10:20:00  0s",
		},
		{
			"23: a wrapper that exited and left no transcript",
			func(p place) { p.wrapped("p.md", "grok", "10:05:00", "10:05:41", "") },
			noLead,
			[]object{roster("b", "grok", "p.md")},
			[]object{{"workerId": "b", "provider": "grok", "promptPath": "p.md"}},
			"lead unavailable with a reason  0s\nb unavailable with a reason exited 41s",
		},
		{
			"24: Antigravity is measured by its status files alone, whatever its log looks like",
			func(p place) {
				p.wrapped("p.md", "antigravity", "10:05:00", "10:06:00", `{"input_tokens":21000,"cached_input_tokens":9000,"output_tokens":1800,"thinking_tokens":600}`)
				p.wrapped("q.md", "antigravity", "10:10:00", "10:11:00", `{"inputTokens":1000,"outputTokens":200}`)
				p.wrapped("r.md", "antigravity", "10:20:00", "10:21:00", "")
				p.write("proj/p.md.log", `{"usage":{"input_tokens":999999,"output_tokens":999999}}`)
			}, noLead,
			[]object{roster("c", "antigravity", "p.md")},
			[]object{{"workerId": "c", "promptPath": "p.md"}, {"workerId": "c", "promptPath": "q.md"}, {"workerId": "c", "promptPath": "r.md"}},
			"lead unavailable with a reason  0s\nc wrapper-status 24000 tokens in 0 from 10:05:00 exited 180s",
		},
		{
			"34: sub-agents of another lead's session",
			func(p place) {
				p.claude("-w/"+claudeB+"/subagents/agent-ascope-worker-0123abc.jsonl", claudeB, "m1", "10:20:00", "", "", 50)
			}, codexLead,
			[]object{roster("scope", "claude", "")},
			nil,
			"lead unavailable with a reason  0s\nscope unavailable with a reason  0s",
		},
		{
			"23, report 41: a CLI that keeps its data elsewhere now is unavailable, not 0",
			func(p place) {
				p.wrapped("p.md", "gemini", "10:05:00", "10:05:41", "")
				p.write("home/.gemini-new/tmp/w/chats/session-1.jsonl", `{"sessionId":"s1"}`, `{"id":"g1","timestamp":"2026-09-08T10:05:10Z","type":"gemini","tokens":{"input":10}}`)
			}, noLead,
			[]object{roster("a", "gemini", "p.md")},
			[]object{{"workerId": "a", "provider": "gemini", "promptPath": "p.md", "sessionId": "s1"}},
			"lead unavailable with a reason  0s\na unavailable with a reason exited 41s",
		},
		{
			"39: Grok killed in a tool is unavailable",
			func(p place) {
				p.wrapped("p.md", "grok", "10:05:00", "10:20:00", "")
				p.grok(p.proj(), "g-1")
			}, noLead,
			[]object{roster("a", "grok", "p.md")},
			[]object{{"workerId": "a", "provider": "grok", "promptPath": "p.md", "sessionId": "g-1"}},
			"lead unavailable with a reason  0s\na unavailable with a reason exited 900s",
		},
	} {
		t.Run("behaviour "+tt.name, func(t *testing.T) {
			p := newPlace(t)
			tt.set(p)
			workers := tt.workers
			if workers == nil {
				workers = []object{}
			}
			ledger := tt.ledger
			if ledger == nil {
				ledger = []object{}
			}
			if got := p.collect(tt.lead(), workers, ledger); got != tt.want {
				t.Errorf("blocks:\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The window's first instant is not cut to a whole second, neither of events nor
// of files (behaviour 9).
func TestBehaviour09WindowsBeginWithinASecond(t *testing.T) {
	for _, tt := range []struct {
		changed string
		want    int
	}{
		{"2026-09-08T10:00:00.900Z", 1},
		{"2026-09-08T10:00:00.600Z", 1},
		{"2026-09-08T03:00:00Z", 1}, // a clock that is behind, or a disk that keeps local time
		{"2026-09-07T10:00:00Z", 0}, // a day before: not even opened
	} {
		p := newPlace(t)
		p.write("home/.claude/projects/-w/s.jsonl",
			`{"type":"assistant","timestamp":"2026-09-08T10:00:00.599Z","message":{"id":"m0","usage":{"input_tokens":3}}}`,
			`{"type":"assistant","timestamp":"2026-09-08T10:00:00.6Z","message":{"id":"m1","usage":{"input_tokens":5}}}`)
		p.touch("home/.claude/projects/-w/s.jsonl", tt.changed)
		got := p.run("events", "--home", filepath.Join(p.root, "home"), "--since", "2026-09-08T10:00:00.600Z")
		if strings.Count(got, `"input":5`) != tt.want || strings.Contains(got, `"input":3`) {
			t.Errorf("file of %s:\n%s", tt.changed, got)
		}
	}
}

// A reason tells where to look: the session and the project, or that the session
// is there and the window is not; of a worker, its sessions and its names.
func TestReasonsNameWhatWasLookedFor(t *testing.T) {
	for _, tt := range []struct {
		name, pointer string
		set           func(place)
		want          []string
	}{
		{"a lead without a transcript", ".lead.usage.reason", func(place) {}, []string{"no transcript of session " + leadID, "/proj"}},
		{
			"a lead outside the window", ".lead.usage.reason",
			func(p place) {
				p.rollout(leadID, "09:00:00", "/w/jobs", "m", tokenCount("09:50:00", 10, 10), tokenCount("12:50:00", 20, 10))
			},
			[]string{"session " + leadID + " used nothing in the run's window"},
		},
		{"a worker", ".workers[0].usage.reason", func(p place) { p.wrapped("p.md", "claude", "10:01:00", "10:02:00", "") }, []string{claudeA, claudeB, "scope or scope-worker", "wrapper exited"}},
	} {
		p := newPlace(t)
		tt.set(p)
		p.collect(codexLead(), []object{roster("scope", "claude", "")}, []object{{"workerId": "scope", "sessionId": claudeA, "promptPath": "p.md"}, {"workerId": "scope", "sessionId": claudeB}})
		got := p.run("collect", "--home", filepath.Join(p.root, "home"), "--select", tt.pointer, filepath.Join(p.root, "state.json"))
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: the reason %s lacks %q", tt.name, got, part)
			}
		}
	}
}

// events | sum says of a window what collect says of the run, when all of it
// is the run's: by model, in tokens and in money.
func TestEventsAndSumEqualCollect(t *testing.T) {
	p := newPlace(t)
	p.rollout(leadID, "09:00:00", "/w/jobs", "gpt-5.6-sol", tokenCount("09:50:00", 10_000, 10_000), tokenCount("10:10:00", 14_000, 4_000), tokenCount("10:40:00", 19_000, 5_000), tokenCount("11:40:00", 20_000, 1_000))
	p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 700)
	p.claude("-w/"+leadID+"/subagents/agent-ascope-worker-0123abc.jsonl", leadID, "m2", "10:20:00", "", "", 50)
	p.wrapped("p.md", "grok", "10:05:00", "10:20:00", "")
	p.grok(p.proj(), "g-1", 10_000, 12_000)
	p.collect(codexLead(), []object{roster("scope", "claude", ""), roster("b", "grok", "p.md")},
		[]object{{"workerId": "scope", "sessionId": claudeA}, {"workerId": "b", "provider": "grok", "promptPath": "p.md", "sessionId": "g-1"}})
	home := filepath.Join(p.root, "home")
	for _, window := range [][2]string{{"2026-09-08T10:00:00Z", "2026-09-08T11:00:00Z"}, {"2026-09-08T10:06:01Z", "2026-09-08T10:20:00Z"}, {"2026-09-08T09:00:00Z", "2026-09-08T12:00:00Z"}} {
		bounds := []string{"--home", home, "--since", window[0], "--until", window[1]}
		stream := p.run(append([]string{"events"}, bounds...)...)
		var sums, blocks bytes.Buffer
		std := cli.IO{In: strings.NewReader(stream), Out: &sums, Err: &blocks, Env: cli.Env{Get: func(string) string { return "" }}}
		if status := cli.Main(std, []string{"sum", "--by", "model", "--price", "--select", "[.totals.total, .totals.costUsd, ([.groups[] | [.key.model, .total]] | sort)]", "-"}, app()); status != 0 {
			t.Fatalf("sum: status %d: %s", status, blocks.String())
		}
		collected := p.run(append(append([]string{"collect"}, bounds...), "--select",
			`[.usageSummary.grandTotalTokens, .usageSummary.costUsd, ([.lead.usage, .workers[].usage | .models // {} | to_entries[]] | group_by(.key) | map([.[0].key, (map(.value) | add)]) | sort)]`,
			filepath.Join(p.root, "state.json"))...)
		if sums.String() != collected {
			t.Errorf("window %v: events | sum says\n%scollect says\n%s", window, sums.String(), collected)
		}
	}
}
