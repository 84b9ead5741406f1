//go:build e2e

package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"okstra/lib/clitest/modelserver"
)

// tokens are the disjoint buckets of okstra-token-usage.
type tokens struct{ Input, CacheRead, CacheWrite5m, CacheWrite1h, Output, Reasoning int }

func (a tokens) times(n int) tokens {
	return tokens{n * a.Input, n * a.CacheRead, n * a.CacheWrite5m, n * a.CacheWrite1h, n * a.Output, n * a.Reasoning}
}

// perCall is what one call of the stand-in server is in those buckets: each
// service has its own way to report the same.
func (c cli) perCall() tokens {
	truth := modelserver.Truth
	call := tokens{Input: truth.Input, CacheRead: truth.CacheRead, Output: truth.Output, Reasoning: truth.Reasoning}
	switch c.id {
	case "claude": // thinking is inside output and not told apart
		call.CacheWrite5m, call.Reasoning = truth.CacheWrite, 0
	case "kimi": // records no reasoning
		call.Reasoning = 0
	case "gemini": // thoughts come beside the output
		call.Output += truth.Reasoning
	}
	return call
}

// TestTokensAreWhatTheCLIRecorded lets each CLI talk to the model and compares
// what okstra-token-usage finds in its home with the server's log.
//
// Three things stand in no transcript, and each must be just the difference:
// Gemini's call of a router model, Grok's call for a title, and a Grok run that
// was killed in a tool, of which nothing may be found, and not zero.
func TestTokensAreWhatTheCLIRecorded(t *testing.T) {
	for _, scenario := range []string{"plain", "tool", "think", "cut", "longtool"} {
		for _, c := range clis {
			t.Run(scenario+"/"+c.id, func(t *testing.T) {
				t.Parallel()
				for _, limits := range []limits{short, doubled, patient} {
					if slices.Contains([]string{"plain", "tool", "think"}, scenario) {
						limits = patient
					}
					l := newLane(t, c, modelserver.Options{Default: scenario, Command: doesTheJob})
					r := l.dispatch(limits.flags()...)
					if len(l.server.Calls()) == 0 {
						t.Logf("the machine is busy: %v and no call yet", r)
						continue
					}
					l.recorded(scenario, r)
					return
				}
				t.Error("the CLI never called the model")
			})
		}
	}
}

// recorded compares the events of the lane's home with the server's log, and
// what the dispatcher saw go by.
func (l *lane) recorded(scenario string, r result) {
	l.t.Helper()
	c := l.clis[0]
	conversation, side := l.server.Finished()
	found := l.totals()
	l.t.Logf("%d calls of the conversation, %d beside it, found %+v, seen %+v", conversation, side, found, r.Usage)
	switch want := c.perCall().times(conversation); {
	case c.id == "grok" && scenario == "longtool":
		if conversation != 1 || found != (tokens{}) {
			l.t.Errorf("%d calls, found %+v, want one call that stands nowhere", conversation, found)
		}
	case found != want:
		l.t.Errorf("found %+v, want %d calls: %+v\ncalls %s", found, conversation, want, l.calls())
	}
	if scenario != "cut" && scenario != "longtool" {
		l.seen(r, conversation, side)
	}
	if beside := map[string]bool{"gemini": true, "grok": true}[c.id]; scenario != "cut" && beside != (side > 0) {
		l.t.Errorf("%d calls beside the conversation", side)
	}
}

// seen checks what the dispatcher took from the stream of a run that ended
// well. Gemini's router call is in there; Kimi's stream says nothing.
func (l *lane) seen(r result, conversation, side int) {
	l.t.Helper()
	want := l.clis[0].perCall().times(conversation)
	switch id := l.clis[0].id; {
	case id == "kimi":
		if r.Usage != nil {
			l.t.Errorf("seen %+v in the stream, want nothing", r.Usage)
		}
		return
	case id == "gemini":
		want = l.clis[0].perCall().times(conversation + side)
	}
	if r.Usage == nil || *r.Usage != want {
		l.t.Errorf("seen %+v in the stream, want %+v", r.Usage, want)
	}
}

// totals are the tokens that okstra-token-usage finds in the lane's home.
func (l *lane) totals() tokens {
	l.t.Helper()
	var sum struct {
		Totals struct {
			tokens
			SkippedLines int
		}
	}
	text := l.sh("okstra-token-usage events --home " + l.home + " | okstra-token-usage sum")
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		l.t.Fatalf("%v in %s", err, text)
	}
	if sum.Totals.SkippedLines > 0 {
		l.t.Errorf("%d lines were skipped", sum.Totals.SkippedLines)
	}
	return sum.Totals.tokens
}

// TestAGrokThatWasKilledInAToolIsUnavailable: its tokens stand nowhere, so the
// report must say so and not that it used none.
func TestAGrokThatWasKilledInAToolIsUnavailable(t *testing.T) {
	t.Parallel()
	l := newLane(t, cliNamed("grok"), modelserver.Options{Default: "longtool"})
	l.write(".okstra/e2e/TASK.md", "# A long tool\n\nRun it.\n")
	l.sh("okstra-dispatch plan --prompt .okstra/e2e/TASK.md --worker grok >.okstra/e2e/jobs.jsonl")
	l.sh("okstra-dispatch run --retries 0 --timeout 30s .okstra/e2e/jobs.jsonl >.okstra/e2e/results.jsonl || [ $? -eq 1 ]")
	l.nothingLeft()
	if n, _ := l.server.Finished(); n != 1 {
		t.Fatalf("%d calls were answered, want 1: %s", n, l.calls())
	}
	var state struct {
		Workers []struct {
			WorkerID string
			Usage    *struct {
				Source, CliExecutionStatus, Reason string
				TotalTokens                        *int
			}
		}
		UsageSummary struct{ WorkerTotalTokens *int }
	}
	text := l.sh("okstra-token-usage collect .okstra/tasks/*/*/runs/*/state/team-state-*.json")
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, w := range state.Workers {
		if w.WorkerID != "grok" {
			continue
		}
		if u := w.Usage; u == nil || u.Source != "unavailable" || u.CliExecutionStatus != "timeout" || u.TotalTokens != nil || u.Reason == "" {
			t.Errorf("usage %+v, want unavailable after a timeout, with a reason and without tokens", u)
		}
	}
	if n := state.UsageSummary.WorkerTotalTokens; n != nil {
		t.Errorf("worker total %d, want none", *n)
	}
}
