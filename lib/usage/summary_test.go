package usage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"okstra/lib/price"
	"okstra/lib/progress"
	"okstra/lib/transcript"
)

func TestTotalsOfNobodyAreNull(t *testing.T) {
	s := Summarise([]Part{
		{Role: "leader", Lead: true, Missing: &Unavailable{Source: SourceUnavailable, Reason: "no session"}},
		{Role: "analyser", WorkerID: "a", Provider: "grok", Missing: &Unavailable{Source: SourceUnavailable, CLIExecutionStatus: "exited", DurationMs: 41_000, Reason: "no transcript"}},
	}, Collected{})
	if s.GrandTotalTokens != nil || s.LeadTotalTokens != nil || s.WorkerTotalTokens != nil || s.CostUSD != nil || s.CostComplete {
		t.Errorf("report 41: unavailable is not 0: %+v", s)
	}
	if got := fmt.Sprint(s.UnavailableReasons); got != "[lead: no session a: no transcript]" {
		t.Errorf("reasons = %s", got)
	}
	if s.CPUSumMs != 41_000 || s.Roles[1].DurationMs != 41_000 || s.Roles[1].CLIExecutionStatus != "exited" || s.Roles[1].TotalTokens != nil {
		t.Errorf("behaviour 23: exited, with its time and a reason, and no tokens: %+v", s.Roles[1])
	}
}

func TestABlockThatLacksASessionSaysSo(t *testing.T) {
	b := blockOf(reply("claude", "claude-opus-4-8", "10:00:00", 100, 0, 0, 0, 0))
	s := Summarise([]Part{{WorkerID: "a", Provider: "claude", Block: &b, Lacks: "no transcript of s-2"}}, Collected{})
	if s.WorkerTotalTokens == nil || *s.WorkerTotalTokens != 100 || s.Roles[0].Reason != "no transcript of s-2" || fmt.Sprint(s.UnavailableReasons) != "[a: no transcript of s-2]" {
		t.Errorf("summary = %+v", s)
	}
}

func TestBehaviour20TheFoldIsAPartOfTheWorkersTotal(t *testing.T) {
	nameless := blockOf(reply("claude", "claude-opus-4-8", "10:00:00", 100, 0, 0, 0, 0))
	s := Summarise([]Part{{WorkerID: "a", Provider: "claude", Missing: &Unavailable{Source: SourceUnavailable, Reason: "r"}}}, Collected{Nameless: &nameless})
	if s.WorkerTotalTokens == nil || *s.WorkerTotalTokens != 100 || s.Unattributed == nil || s.Unattributed.Tokens != 100 || s.Unattributed.Sessions != 1 {
		t.Errorf("summary = %+v", s)
	}
	if s.ByProvider["claude"].TotalTokens != 100 || s.Unattributed.Reason == "" {
		t.Errorf("by provider = %+v", s.ByProvider["claude"])
	}
}

// The laws of a summary: sides add up, providers add up, time adds up, and a
// cost is complete only if every block's is.
func TestASummaryAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []Part
		var lead, workers, cpu int64
		measured, complete := false, true
		block := func(label string) *Block {
			n := rapid.Int64Range(0, 1000)
			model := rapid.SampledFrom([]string{"claude-opus-4-8", "gpt-7-x"}).Draw(t, label)
			b := blockOf(reply("claude", model, "10:00:00", 1+n.Draw(t, "in"), n.Draw(t, "read"), 0, 0, n.Draw(t, "out")))
			b.DurationMs = n.Draw(t, "ms")
			measured, complete = true, complete && b.CostComplete
			return &b
		}
		for i := range rapid.IntRange(1, 5).Draw(t, "parts") {
			p := Part{Lead: i == 0, WorkerID: fmt.Sprint(i), Provider: rapid.SampledFrom([]string{"claude", "codex"}).Draw(t, "provider")}
			if rapid.Bool().Draw(t, "measured") {
				p.Block = block("model")
				cpu += p.Block.DurationMs
				if p.Lead {
					lead += p.Block.TotalTokens
				} else {
					workers += p.Block.TotalTokens
				}
			} else {
				p.Missing = &Unavailable{DurationMs: rapid.Int64Range(0, 9).Draw(t, "ran"), Reason: "r"}
				cpu += p.Missing.DurationMs
			}
			parts = append(parts, p)
		}
		c := Collected{Since: time.Unix(0, 0), Until: time.Unix(90, 0)}
		if rapid.Bool().Draw(t, "fold") {
			c.Nameless = block("nameless")
			workers += c.Nameless.TotalTokens
		}
		s := Summarise(parts, c)
		if val(s.LeadTotalTokens) != lead || val(s.WorkerTotalTokens) != workers || val(s.GrandTotalTokens) != lead+workers || s.CPUSumMs != cpu || s.WallClockMs != 90_000 {
			t.Fatalf("summary = %+v, want lead %d, workers %d, cpu %d", s, lead, workers, cpu)
		}
		var tokens, be int64
		var cost price.USD
		for _, a := range s.ByProvider {
			tokens, be = tokens+a.TotalTokens, be+a.BillableEquivalentTokens
			if a.CostUSD != nil {
				cost += *a.CostUSD
			}
		}
		if tokens != lead+workers || be != val(s.GrandBillableEquivalentTokens) || int64(cost) != val((*int64)(s.CostUSD)) {
			t.Fatalf("providers: %d tokens, %d, %d; summary %+v", tokens, be, cost, s)
		}
		if (s.GrandTotalTokens == nil) == measured || s.CostComplete != (complete && s.CostUSD != nil) {
			t.Fatalf("measured %v, complete %v: %+v", measured, complete, s)
		}
		if s.GrandTotalTokens == nil && len(s.UnavailableReasons) == 0 {
			t.Fatal("a total is null and nothing says why")
		}
	})
}

func val(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func TestTimeline(t *testing.T) {
	at := func(clock string) time.Time { return time.Unix(0, transcript.Instant("2026-09-08T"+clock+"Z")) }
	mark := func(clock, phase string) Marker { return Marker{at(clock), progress.Line{Phase: phase}} }
	for _, tt := range []struct {
		name    string
		markers []Marker
		want    string
	}{
		{"behaviour 35: none", nil, "unavailable"},
		{"only complete", []Marker{mark("10:00:00", "complete")}, "unavailable"},
		{"one phase, twice, unfinished", []Marker{mark("10:00:00", "phase-1-intake"), mark("10:01:00", "phase-1-intake")}, "lead-events phase-1-intake 2 10:00:00-10:01:00 open"},
		{"the last ends with complete", []Marker{mark("10:00:00", "phase-1-intake"), mark("10:01:00", "complete")}, "lead-events phase-1-intake 1 10:00:00-10:00:00 60000"},
		{"complete before the last phase began ends nothing", []Marker{mark("09:00:00", "complete"), mark("10:00:00", "phase-1-intake")}, "lead-events phase-1-intake 1 10:00:00-10:00:00 open"},
		{
			"rows in order of their first line, whatever the order they came in",
			[]Marker{mark("10:15:00", "phase-5-collect"), mark("10:04:58", "phase-4-dispatch"), mark("10:40:00", "phase-5-collect"), mark("10:05:10", "phase-4-dispatch")},
			"lead-events phase-4-dispatch 2 10:04:58-10:05:10 602000 phase-5-collect 2 10:15:00-10:40:00 open",
		},
		{
			"a phase that comes again stays one row",
			[]Marker{mark("10:00:00", "phase-batch-cleanup"), mark("10:01:00", "phase-6-synthesis"), mark("10:02:00", "phase-batch-cleanup")},
			"lead-events phase-batch-cleanup 2 10:00:00-10:02:00 60000 phase-6-synthesis 1 10:01:00-10:01:00 open",
		},
	} {
		var got strings.Builder
		line := NewTimeline(LeadEvents, tt.markers)
		got.WriteString(line.Source)
		for _, p := range line.Phases {
			wall := "open"
			if p.WallMsToNext != nil {
				wall = fmt.Sprint(*p.WallMsToNext)
			}
			fmt.Fprintf(&got, " %s %d %s-%s %s", p.Phase, p.MarkerCount, p.FirstAt[11:19], p.LastAt[11:19], wall)
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}
