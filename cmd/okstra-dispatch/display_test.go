package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/dispatch/stream"
	"okstra/lib/run"
)

func TestDisplayShowsOneLineForEachJob(t *testing.T) {
	at := time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)
	now := at
	var out bytes.Buffer
	d := &display{board: newBoard(cli.IO{Err: &out}, func() time.Time { return now })}
	cost := 0.25
	d.Started("claude analysis", 1)
	d.Started("codex analysis", 2)
	now = at.Add(65 * time.Second)
	d.Seen("claude analysis", stream.Summary{Last: "reading \x1b[31mretry.go " + strings.Repeat("x", 200), Usage: &run.Usage{Input: 1000, Output: 50}}, &cost)
	d.Seen("nobody", stream.Summary{}, nil)
	d.redraw()
	text := out.String()
	if d.lines != 2 || strings.Count(text, "\n") != 2 || strings.Contains(text, "\x1b[31m") {
		t.Errorf("drawn:\n%q", text)
	}
	for _, want := range []string{"1m5s, 1050 tokens, $0.25", "codex analysis (attempt 2)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 79 {
			t.Errorf("a line has %d columns", n)
		}
	}
	out.Reset()
	d.above(func() { out.WriteString("a message\n") })
	if !strings.HasPrefix(out.String(), "\x1b[2A\r\x1b[Ja message\n") {
		t.Errorf("a message stands at %q", out.String())
	}
}

// Report 13: a batch with one job that failed must not look like a success.
func TestReport13SummaryTellsOfEveryJob(t *testing.T) {
	word := func(s string) *string { return &s }
	cost := 0.78075
	lines := summary([]endedJob{
		{run.Result{WorkerID: "a", Outcome: word("completed"), Cause: word("ok"), Attempt: 2, WallMs: 1500, CostUSD: &cost}, dispatch.Spent{USD: 5 + cost}},
		{run.Result{WorkerID: "b", Outcome: word("failed"), Cause: word("rate-limit"), Attempt: 1, Message: "quota"}, dispatch.Spent{Unknown: true}},
		{run.Result{WorkerID: "c", Outcome: word("completed"), Cause: word("ok"), Attempt: 2}, dispatch.Spent{USD: 1, Unknown: true}},
		{run.Result{WorkerID: "d", Outcome: word("cancelled"), Cause: word("budget")}, dispatch.Spent{}},
	})
	want := []string{
		"a: completed (ok), attempt 2, 1.5s, cost $5.7808",
		"b: failed (rate-limit), attempt 1, 0s, cost --: quota",
		"c: completed (ok), attempt 2, 0s, cost $1.0000 and more",
		"d: cancelled (budget), attempt 0, 0s, cost $0.0000",
		"2 of 4 jobs completed, cost $6.7808, not known for b, c",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// A log is no terminal: it gets plain lines, one at a time, and no escapes.
func TestPlainLinesWhereThereIsNoTerminal(t *testing.T) {
	word := func(s string) *string { return &s }
	at := time.Date(2026, 9, 8, 20, 0, 0, 0, time.UTC)
	now := at
	var out bytes.Buffer
	std := cli.IO{Err: &out}
	p, ok := newShown(std, func() time.Time { return now }, false).(*plain)
	if !ok {
		t.Fatal("no plain lines for what is no terminal")
	}
	cost := 0.25
	p.Started("claude analysis", 1)
	p.Started("codex analysis", 2)
	now = at.Add(65 * time.Second)
	p.Seen("claude analysis", stream.Summary{Last: "reading \x1b[31mretry.go", Usage: &run.Usage{Input: 1000, Output: 50}}, &cost)
	p.Seen("nobody", stream.Summary{}, nil)
	p.tellOfRunning()
	p.above(func() { std.Warnf("a message") })
	p.Ended("claude analysis", run.Result{WorkerID: "claude", Outcome: word("completed"), Cause: word("ok"), Attempt: 1, WallMs: 65000, CostUSD: &cost}, dispatch.Spent{USD: cost})
	p.Ended("codex analysis", run.Result{WorkerID: "codex", Outcome: word("failed"), Cause: word("rate-limit"), Attempt: 2, Message: "quota"}, dispatch.Spent{Unknown: true})
	p.close()
	want := `claude analysis: started
codex analysis (attempt 2): started
claude analysis: running, 1m5s, 1050 tokens, $0.25: reading retry.go
codex analysis (attempt 2): running, 1m5s
a message
claude analysis: completed (ok), attempt 1, 1m5s, cost $0.2500
codex analysis: failed (rate-limit), attempt 2, 0s, cost --: quota
1 of 2 jobs completed, cost $0.2500, not known for codex
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if newShown(std, time.Now, true) != nil {
		t.Error("progress is shown though quiet")
	}
}
