package attribute

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"okstra/lib/run"
	"okstra/lib/transcript"
)

// drawRun makes a run with workers, dispatches and sessions that get in each
// other's way: shared ids, names that begin alike, wrappers that overlap.
func drawRun(t *rapid.T) (Run, []transcript.Event) {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	clock := func(label string) string {
		return fmt.Sprintf("10:%02d:%02d", rapid.IntRange(0, 59).Draw(t, label), rapid.IntRange(0, 59).Draw(t, label))
	}
	state := run.TeamState{}
	for _, id := range []string{"claude", "claude-2", "codex"} {
		state.Workers = append(state.Workers, run.Worker{WorkerID: id, Provider: strings.TrimSuffix(id, "-2")})
	}
	status := map[string]*run.Status{}
	var rows []map[string]string
	for i := range rapid.IntRange(0, 5).Draw(t, "dispatches") {
		prompt := fmt.Sprintf("p%d", i)
		from, to := clock("from"), clock("to")
		status[prompt] = &run.Status{State: "exited", StartedAt: "2026-09-08T" + min(from, to) + "Z", EndedAt: "2026-09-08T" + max(from, to) + "Z"}
		rows = append(rows, map[string]string{
			"workerId": pick("worker", "claude", "claude-2", "codex", "nobody"), "promptPath": prompt, "sessionId": pick("id", "", "a", "b", "session_a"),
			"worktreePath": pick("tree", "", "/w/t"),
		})
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	state.WorkerDispatches = raw
	r := Run{
		LeadSession: pick("lead", "", "l"), Team: "team", Root: "/w/jobs", Owners: Owners(state, func(p string) *run.Status { return status[p] }),
		Window: transcript.Window{Since: time.Unix(0, at("10:00:00")), Until: time.Unix(0, at("11:00:00"))},
	}
	var events []transcript.Event
	for i := range rapid.IntRange(1, 6).Draw(t, "files") {
		id := pick("session", "a", "b", "c", "l")
		path := "projects/-w/" + id + ".jsonl"
		if rapid.Bool().Draw(t, "subagent") {
			path = agentFile(id, "x")
		}
		f := &transcript.File{
			Provider: pick("provider", "claude", "codex"), Path: fmt.Sprintf("%d/%s", i, path), Session: id, Agent: pick("agent", "", "claude-worker", "claude-2-worker-002"),
			Team: pick("team", "", "team", "other"), CWD: pick("cwd", "/w/jobs", "/w/t", "/else"), Parent: pick("parent", "", "", "a", "l"),
		}
		r.Files = append(r.Files, f)
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			when := clock("at")
			events = append(events, transcript.Event{
				Provider: f.Provider, Session: id, Agent: f.Agent, CWD: f.CWD, TS: "2026-09-08T" + when + "Z", At: at(when), File: i,
				Counts: transcript.Counts{Output: int64(1) << len(events)},
			})
		}
	}
	return r, events
}

// shareOf tells by its number who has each event: its output is 1 shifted by it.
func shareOf(s Shares) map[int64]string {
	owner := map[int64]string{}
	note := func(name string, list []transcript.Event) {
		for _, e := range list {
			owner[e.Output] += name
		}
	}
	note("lead ", s.Lead)
	note("fold ", s.Unattributed)
	for i, list := range s.Workers {
		note(fmt.Sprintf("worker %d ", i), list)
	}
	return owner
}

// No event has two owners, none outside the window has any, and who it is does
// not depend on the order in which events come.
func TestAnEventHasOneOwnerAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, events := drawRun(t)
		got := shareOf(Attribute(r, events))
		for n, who := range got {
			if strings.Count(who, "lead")+strings.Count(who, "fold")+strings.Count(who, "worker") != 1 {
				t.Fatalf("event %d belongs to %s", n, who)
			}
		}
		shuffled := slices.Clone(events)
		slices.Reverse(shuffled)
		if other := shareOf(Attribute(r, shuffled)); !maps.Equal(got, other) {
			t.Fatalf("in another order: %v, was %v", other, got)
		}
	})
}

// Behaviour 31, as far as it is attribution's: with a narrower window, what is
// still inside belongs to whom it belonged.
func TestANarrowerWindowOnlyLeavesOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, events := drawRun(t)
		whole := shareOf(Attribute(r, events))
		since := time.Unix(0, at(fmt.Sprintf("10:%02d:00", rapid.IntRange(0, 59).Draw(t, "since"))))
		r.Window.Since = since
		want := map[int64]string{}
		for _, e := range events {
			if who, ok := whole[e.Output]; ok && r.Window.Holds(e.At) {
				want[e.Output] = who
			}
		}
		if got := shareOf(Attribute(r, events)); !maps.Equal(got, want) {
			t.Fatalf("since %s: %v, want %v", since.UTC(), got, want)
		}
	})
}
