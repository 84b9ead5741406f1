package usage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"okstra/lib/price"
	"okstra/lib/transcript"
)

func sprint(n ...int64) string { return strings.Trim(fmt.Sprint(n), "[]") }

// lines shows the groups of a sum, one a line.
func lines(t Totals) string {
	var out []string
	for _, g := range t.Groups {
		var key []string
		for _, name := range []string{"day", "model", "provider", "session", "cwd", "worker"} {
			if v, ok := g.Key[name]; ok {
				key = append(key, v)
			}
		}
		out = append(out, fmt.Sprintf("%s %d", strings.Join(key, "/"), g.Total))
	}
	return strings.Join(out, ", ")
}

func sumOf(o SumOptions, events ...transcript.Event) Totals {
	s := NewSum(o)
	for i := range events {
		s.Add(&events[i])
	}
	return s.Totals()
}

func TestReport15ADayIsTheLocalOneOfTheInstant(t *testing.T) {
	evening := reply("claude", "m", "01:30:00", 5, 0, 0, 0, 0) // half past eight in the evening of the seventh, five hours west
	for zone, want := range map[*time.Location]string{time.UTC: "2026-09-08 5", time.FixedZone("", -5*3600): "2026-09-07 5", time.FixedZone("", 14*3600): "2026-09-08 5"} {
		if got := lines(sumOf(SumOptions{By: []string{"day"}, Location: zone}, evening)); got != want {
			t.Errorf("in %s: %s, want %s", zone, got, want)
		}
	}
}

// The day is the wall's in that zone at that instant: with half and quarter hours,
// and on the days that a clock is set.
func TestDaysInZones(t *testing.T) {
	for _, tt := range []struct{ zone, at, want string }{
		{"Asia/Kolkata", "2026-09-08T18:29:59.999Z", "2026-09-08"},
		{"Asia/Kolkata", "2026-09-08T18:30:00Z", "2026-09-09"},
		{"Asia/Kathmandu", "2026-09-08T18:14:59Z", "2026-09-08"},
		{"Asia/Kathmandu", "2026-09-08T18:15:00Z", "2026-09-09"},
		{"Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29"}, // a day of 23 hours
		{"Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29"},
		{"Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"},
		{"Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25"}, // one of 25
		{"Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"},
		{"Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-05"}, // set by half an hour
		{"Australia/Lord_Howe", "2026-04-05T13:29:59Z", "2026-04-05"},
		{"Australia/Lord_Howe", "2026-04-05T13:30:00Z", "2026-04-06"},
		{"America/St_Johns", "2026-09-09T02:29:59Z", "2026-09-08"},
		{"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"}, // a day that never was
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Skipf("no time zones here: %v", err)
		}
		s := NewSum(SumOptions{By: []string{"day"}, Location: zone})
		e := transcript.Event{TS: tt.at, At: transcript.Instant(tt.at), Counts: transcript.Counts{Input: 1}}
		s.Add(&e)
		if got := s.Totals().Groups[0].Key["day"]; got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.at, tt.zone, got, tt.want)
		}
	}
}

func TestReport27ReasoningIsAPartOfTheOutput(t *testing.T) {
	e := reply("codex", "gpt-5.6-sol", "10:00:00", 100, 0, 0, 0, 50)
	e.Reasoning = 40
	got := sumOf(SumOptions{}, e).Totals
	if got.Total != 150 || got.Reasoning != 40 {
		t.Errorf("total %d, reasoning %d, want 150 with 40 in it", got.Total, got.Reasoning)
	}
}

func TestReport7PlaceholdersAreCounted(t *testing.T) {
	e := reply("claude", "claude-opus-4-8", "10:00:00", 1, 0, 0, 0, 2)
	e.Placeholder = true
	if got := sumOf(SumOptions{By: []string{"model"}}, e, reply("claude", "claude-opus-4-8", "10:00:01", 1, 0, 0, 0, 2)); got.Totals.PlaceholderOnly != 1 || got.Groups[0].PlaceholderOnly != 1 {
		t.Errorf("totals = %+v", got.Totals)
	}
}

func TestKeysOfASum(t *testing.T) {
	a, b, c := reply("claude", "m", "10:00:00", 1, 0, 0, 0, 0), reply("codex", "n", "10:00:00", 2, 0, 0, 0, 0), reply("kimi", "", "10:00:00", 4, 0, 0, 0, 0)
	a.CWD, b.Session, b.Agent, c.Assumed, c.At = "/w", "z", "scope-a", "kimi-k3", transcript.NoTime
	for by, want := range map[string]string{
		"provider":       "claude 1, codex 2, kimi 4",
		"model":          "kimi-k3 4, m 1, n 2",
		"session":        "s 5, z 2",
		"cwd":            " 6, /w 1",
		"worker":         " 5, scope-a 2",
		"day":            " 4, 2026-09-08 3",
		"provider,model": "m/claude 1, n/codex 2, kimi-k3/kimi 4",
	} {
		if got := lines(sumOf(SumOptions{By: strings.Split(by, ","), Location: time.UTC}, a, b, c)); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
	for _, bad := range [][]string{{"colour"}, {"day", "day"}, {""}} {
		if _, err := Keys(bad); err == nil {
			t.Errorf("keys %q are accepted", bad)
		}
	}
}

func TestTheWindowOfASumIsClosed(t *testing.T) {
	at := func(clock string) time.Time { return time.Unix(0, transcript.Instant("2026-09-08T"+clock+"Z")) }
	o := SumOptions{Window: transcript.Window{Since: at("10:00:00.5"), Until: at("11:00:00")}}
	events := []transcript.Event{
		reply("c", "m", "10:00:00.499", 1, 0, 0, 0, 0), reply("c", "m", "10:00:00.5", 2, 0, 0, 0, 0),
		reply("c", "m", "11:00:00", 4, 0, 0, 0, 0), reply("c", "m", "11:00:00.001", 8, 0, 0, 0, 0),
	}
	if got := sumOf(o, events...).Totals.Total; got != 6 {
		t.Errorf("total = %d, want 6: both bounds, at full resolution", got)
	}
}

// The order of events changes nothing, and groups add up to the totals; with one
// block for all of them, so does the block.
func TestASumIsItsGroups(t *testing.T) {
	models := []string{"claude-opus-4-8", "gpt-5.6-sol", "claude-sonnet-4-5", "gpt-7-x", "grok-4.7"}
	rapid.Check(t, func(t *rapid.T) {
		var events []transcript.Event
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			n := rapid.Int64Range(0, 300_000)
			e := reply("codex", rapid.SampledFrom(models).Draw(t, "model"), "10:00:00", n.Draw(t, "in"), n.Draw(t, "read"), 0, 0, n.Draw(t, "out"))
			e.Session = rapid.SampledFrom([]string{"s", "t"}).Draw(t, "session")
			events = append(events, e)
		}
		o := SumOptions{By: []string{"model", "session"}, Location: time.UTC, Prices: price.Default()}
		got := sumOf(o, events...)
		var total int64
		unmatched := map[string]bool{}
		complete := true
		for _, g := range got.Groups {
			total += g.Total
			complete = complete && g.CostComplete
			for _, name := range g.UnmatchedModels {
				unmatched[name] = true
			}
		}
		if total != got.Totals.Total || complete != got.Totals.CostComplete || len(unmatched) != len(got.Totals.UnmatchedModels) {
			t.Fatalf("groups %d %v %v, totals %+v", total, complete, unmatched, got.Totals)
		}
		b := NewBlock(events, price.Default(), "")
		if b.TotalTokens != total || b.CostComplete != got.Totals.CostComplete || show(b.CostUSD) != show(got.Totals.CostUSD) {
			t.Fatalf("block %d %s, sum %d %s", b.TotalTokens, show(b.CostUSD), total, show(got.Totals.CostUSD))
		}
		slices.Reverse(events)
		again := sumOf(o, events...)
		if lines(again) != lines(got) || show(again.Totals.CostUSD) != show(got.Totals.CostUSD) {
			t.Fatalf("in another order: %s, %s", lines(again), lines(got))
		}
	})
}

// Whatever texts the keys hold, empty ones and any bytes among them, there is one
// group for each list of values, with what a plain map makes of it.
func TestGroupsAreThoseOfTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "ab", "\x00", "\x01\x00\x00\x00\x00\x00\x00\x00"}), rapid.StringN(0, 3, -1))
		by := rapid.Permutation([]string{"session", "cwd", "model"}).Draw(t, "by")[:rapid.IntRange(1, 3).Draw(t, "keys")]
		s, want := NewSum(SumOptions{By: by, Location: time.UTC}), map[string]int64{}
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			e := reply("codex", text.Draw(t, "model"), "10:00:00", rapid.Int64Range(0, 9).Draw(t, "in"), 0, 0, 0, 0)
			e.Session, e.CWD = text.Draw(t, "session"), text.Draw(t, "cwd")
			key := map[string]string{}
			for _, name := range by {
				key[name] = map[string]string{"session": e.Session, "cwd": e.CWD, "model": e.Model}[name]
			}
			want[fmt.Sprintf("%q", key)] += e.Input
			s.Add(&e)
		}
		got := map[string]int64{}
		for _, g := range s.Totals().Groups {
			got[fmt.Sprintf("%q", g.Key)] = g.Total
		}
		if !maps.Equal(got, want) {
			t.Fatalf("by %q: %v, want %v", by, got, want)
		}
	})
}

func show(usd *price.USD) string {
	if usd == nil {
		return "nothing"
	}
	return fmt.Sprint(int64(*usd))
}
