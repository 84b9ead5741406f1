package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whose an event is must not depend on how files are called, where a home lies or
// how often the ledger says the same.
func TestWhoseItIs(t *testing.T) {
	claudeLead := func() object {
		lead := noLead()
		lead["provider"], lead["sessionId"] = "claude", leadID
		return lead
	}
	resumed := func(p place, path string) { // begins with a row of the session before
		p.claude("-w/"+path+".jsonl", "OLD", "m1", "10:05:00", "", "", 120)
		p.claude("-w/more.jsonl", path, "m2", "10:10:00", "", "", 5020)
		dir := filepath.Join(p.root, "home/.claude/projects/-w")
		more, err := os.ReadFile(filepath.Join(dir, "more.jsonl"))
		if err == nil {
			err = os.Remove(filepath.Join(dir, "more.jsonl"))
		}
		if err != nil {
			p.t.Fatal(err)
		}
		old, _ := os.ReadFile(filepath.Join(dir, path+".jsonl"))
		p.write("home/.claude/projects/-w/"+path+".jsonl", strings.TrimSpace(string(old)+string(more)))
	}
	noted := func(p place, prompt, from, to, usage string) {
		p.write("proj/"+prompt+".status.json", fmt.Sprintf(`{"state":"exited","exitCode":0,"provider":"antigravity","modelExecutionValue":"Gemini 3.1 Pro (Low)","startedAt":%q,"endedAt":%q,"usage":%s}`, from, to, usage))
	}
	const nobody = "lead unavailable with a reason  0s\n"
	type shares struct {
		name    string
		set     func(place)
		lead    func() object
		workers []object
		ledger  any
		want    string
	}
	var tests []shares
	for _, old := range []string{"AOLD", "ZOLD", ""} {
		tests = append(tests, shares{
			"a resumed lead has what its session holds, whatever the one before is called: " + old,
			func(p place) {
				resumed(p, leadID)
				if old != "" {
					p.claude("-w/"+old+".jsonl", "OLD", "m1", "10:05:00", "", "okstra-t", 120)
				}
			}, claudeLead, nil, nil,
			"lead claude-transcript 5140 tokens in 2 from 10:05:00  300s",
		}, shares{
			"so has a resumed worker: " + old,
			func(p place) {
				resumed(p, claudeA)
				if old != "" {
					p.claude("-w/"+old+".jsonl", "OLD", "m1", "10:05:00", "", "", 120)
				}
			}, noLead,
			[]object{roster("a", "claude", "")},
			[]object{{"workerId": "a", "sessionId": claudeA}},
			nobody + "a claude-transcript 5140 tokens in 2 from 10:05:00 not-started 0s",
		})
	}
	tests = append(tests, []shares{
		{
			"a worker that was forked from the lead's session has not the lead's part of it",
			func(p place) {
				p.claude("-w/"+leadID+".jsonl", leadID, "m1", "10:05:00", "", "", 120)
				p.claude("-w/"+claudeA+".jsonl", leadID, "m1", "10:05:00", "", "", 120)
			}, claudeLead,
			[]object{roster("a", "claude", "")},
			[]object{{"workerId": "a", "sessionId": claudeA}},
			"lead claude-transcript 120 tokens in 1 from 10:05:00  0s\na unavailable with a reason not-started 0s",
		},
		{
			"agents of another lead's session are none of the team's, whatever name they carry (behaviour 34)",
			func(p place) {
				p.claude("-w/"+claudeB+"/subagents/agent-a2271d1.jsonl", "x", "m1", "10:20:00", "", "okstra-t", 50)
			}, claudeLead,
			[]object{roster("a", "claude", "")},
			nil,
			nobody + "a unavailable with a reason  0s",
		},
		{
			"an agent's own agents are the worker's, at any depth",
			func(p place) {
				p.claude("-w/"+leadID+"/subagents/agent-aa-worker-0123abc/subagents/agent-a2271d1.jsonl", leadID, "m1", "10:20:00", "", "", 1)
				p.claude("-w/"+leadID+"/subagents/x/subagents/agent-aa-worker-0123abd.jsonl", leadID, "m2", "10:20:00", "", "", 2)
				p.claude("-w/"+leadID+"/subagents/agent-aa-worker-0123abc/subagents/agent-aexplore-0123abe.jsonl", leadID, "m3", "10:20:00", "explore", "", 4)
				p.claude("-w/"+leadID+"/subagents/agent-aexplore-0123abc/subagents/agent-a2271d1.jsonl", leadID, "m4", "10:20:00", "", "", 8)
			}, claudeLead,
			[]object{roster("a", "claude", "")},
			nil,
			"lead claude-transcript 8 tokens in 1 from 10:20:00  0s\na claude-transcript 7 tokens in 1 from 10:20:00  0s",
		},
		{
			"two rows that name one prompt count its wrapper once",
			func(p place) {
				p.wrapped("a.md", "antigravity", "10:05:00", "10:06:00", `{"inputTokens":1000}`)
			}, noLead,
			[]object{roster("a", "antigravity", "a.md")},
			[]object{{"workerId": "a", "promptPath": "a.md"}, {"workerId": "a", "promptPath": "./a.md"}, {"workerId": "a", "promptPath": "a.md"}},
			nobody + "a wrapper-status 1000 tokens in 0 from 10:05:00 exited 60s",
		},
		{
			"so it is with a transcript",
			func(p place) {
				p.wrapped("a.md", "grok", "10:05:00", "10:06:10", "")
				p.grok(p.proj(), "g-1", 1000)
			}, noLead,
			[]object{roster("a", "grok", "a.md")},
			[]object{{"workerId": "a", "promptPath": "a.md", "sessionId": "g-1"}, {"workerId": "a", "promptPath": "x/../a.md", "sessionId": "g-1"}},
			nobody + "a grok-updates 1000 tokens in 1 from 10:06:00 exited 70s",
		},
		{
			"a session that two workers name is the one's whose wrapper started last before it",
			func(p place) {
				p.wrapped("a.md", "grok", "10:20:00", "10:30:00", "")
				p.wrapped("b.md", "grok", "10:05:00", "10:10:00", "")
				p.wrapped("c.md", "grok", "10:01:00", "10:10:00", "")
				p.grok(p.proj(), "g-1", 1000)
			}, noLead,
			[]object{roster("a", "grok", "a.md"), roster("b", "grok", "b.md"), roster("c", "grok", "c.md")},
			[]object{{"workerId": "a", "promptPath": "a.md", "sessionId": "g-1"}, {"workerId": "c", "promptPath": "c.md", "sessionId": "g-1"}, {"workerId": "b", "promptPath": "b.md", "sessionId": "g-1"}},
			nobody + "a unavailable with a reason exited 600s\nb grok-updates 1000 tokens in 1 from 10:06:00 exited 300s\nc unavailable with a reason exited 540s",
		},
		{
			"of equal ones, the first's of the ledger",
			func(p place) { p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 7) }, noLead,
			[]object{roster("a", "claude", ""), roster("b", "claude", "")},
			[]object{{"workerId": "b", "sessionId": claudeA}, {"workerId": "a", "sessionId": claudeA}},
			nobody + "a unavailable with a reason not-started 0s\nb claude-transcript 7 tokens in 1 from 10:10:00 not-started 0s",
		},
		{
			"a wrapper that outlasts the run belongs to it, one that began behind its end does not",
			func(p place) {
				noted(p, "a.md", "2026-09-08T10:59:00Z", "2026-09-08T11:00:30Z", `{"inputTokens":1000}`)
				noted(p, "b.md", "2026-09-08T11:10:00Z", "2026-09-08T11:10:30Z", `{"inputTokens":1000}`)
			}, noLead,
			[]object{roster("a", "antigravity", "a.md"), roster("b", "antigravity", "b.md")},
			[]object{{"workerId": "a", "promptPath": "a.md"}, {"workerId": "b", "promptPath": "b.md"}},
			nobody + "a wrapper-status 1000 tokens in 0 from 10:59:00 exited 90s\nb unavailable with a reason exited 30s",
		},
	}...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			tt.set(p)
			if tt.workers == nil {
				tt.workers = []object{}
			}
			if tt.ledger == nil {
				tt.ledger = []object{}
			}
			if got := p.collect(tt.lead(), tt.workers, tt.ledger); got != tt.want {
				t.Errorf("blocks:\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// What stands in a foreign status file may be written otherwise than documents
// write it: the team state must stay one that collect reads again, and say what
// could not be counted.
func TestAForeignStatusFileLeavesATeamStateThatCanBeRead(t *testing.T) {
	p := newPlace(t)
	p.write("proj/a.md.status.json", `{"status":"exited","rc":0,"provider":"antigravity","model":"Gemini 3.1 Pro (Low)","startedAt":"2026-09-08T19:05:00.25+09:00","finishedAt":"2026-09-08T19:06:00+09:00","usage":{"inputTokens":"500","outputTokens":7}}`)
	p.collect(noLead(), []object{roster("a", "antigravity", "a.md")}, []object{{"workerId": "a", "promptPath": "a.md"}})
	state, home := filepath.Join(p.root, "state.json"), filepath.Join(p.root, "home")
	for range 2 {
		p.run("collect", "--home", home, "--write", state)
	}
	got := p.run("collect", "--home", home, "--select", ".workers[0].usage | [.startedAt, .endedAt, .model, .totalTokens]", state)
	if want := `["2026-09-08T10:05:00Z","2026-09-08T10:06:00Z","gemini-3.1-pro",7]`; strings.TrimSpace(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = p.run("collect", "--home", home, "--select", ".usageSummary.unavailableReasons[1]", state)
	if want := "1 of the numbers that its wrappers noted are no counts"; !strings.Contains(got, want) {
		t.Errorf("reason %s, want it to say %q", got, want)
	}
}

// Who names a thing twice means it once.
func TestWhatIsNamedTwiceCountsOnce(t *testing.T) {
	p := newPlace(t)
	p.claude("-w/"+claudeA+".jsonl", claudeA, "m1", "10:10:00", "", "", 7)
	home := filepath.Join(p.root, "home")
	if err := os.Symlink(home, filepath.Join(p.root, "link")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".claude/projects/-w", claudeA+".jsonl")
	for _, args := range [][]string{
		{"--home", home, "--provider", "claude", "--provider", "claude"},
		{"--home", home, "--provider", "codex", "--provider", "claude", "--provider", "claude"},
		{file, file},
		{file, home},
		{home, file},
		{home, home + "/.", filepath.Join(p.root, "link")},
	} {
		if got := p.run(append([]string{"sum", "--select", ".totals | [.events, .total]"}, args...)...); got != "[1,7]\n" {
			t.Errorf("%v: %s, want 1 event of 7 tokens", args, got)
		}
	}
}
