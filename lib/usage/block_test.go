package usage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
)

// reply is an event of so many tokens, at a time of the eighth of September.
func reply(provider, model, clock string, in, read, w5, w1, out int64) transcript.Event {
	ts := "2026-09-08T" + clock + "Z"
	return transcript.Event{
		Provider: provider, Model: model, Session: "s", TS: ts, At: transcript.Instant(ts), Kind: provider + "-kind",
		Counts: transcript.Counts{Input: in, CacheRead: read, CacheWrite5m: w5, CacheWrite1h: w1, Output: out},
	}
}

func blockOf(events ...transcript.Event) Block { return NewBlock(events, price.Default(), "") }

func dollars(t *testing.T, usd *price.USD) string {
	t.Helper()
	text, err := json.Marshal(usd)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBlockVectors(t *testing.T) {
	for _, tt := range []struct {
		name      string
		events    []transcript.Event
		total, be int64
		cost      string
		complete  bool
	}{
		{"claude, all five buckets", []transcript.Event{reply("claude", "claude-opus-4-8", "10:00:00", 1200, 90000, 8000, 4000, 2500)}, 105700, 40700, "0.2035", true},
		{"codex, cached input apart", []transcript.Event{reply("codex", "gpt-5.6-sol", "10:00:00", 10000, 40000, 0, 0, 3000)}, 53000, 32000, "0.16", true},
		{"kimi", []transcript.Event{reply("kimi", "kimi-k3", "10:00:00", 10000, 30000, 0, 0, 2000)}, 42000, 23000, "0.069", true},
		{
			"behaviour 25: a sibling at its own rate",
			[]transcript.Event{reply("codex", "gpt-5.6-terra", "10:00:00", 1_000_000, 1_000_000, 0, 0, 1_000_000)},
			3_000_000, 7_100_000, "14.2", true,
		},
		{
			"behaviour 27: a model without a public rate keeps its tokens",
			[]transcript.Event{reply("codex", "codex-auto-review", "10:00:00", 1000, 0, 0, 0, 0)},
			1000, 1000, "null", false,
		},
		{
			"behaviour 27: beside one with a rate",
			[]transcript.Event{reply("codex", "gpt-5.6-sol", "10:00:00", 1000, 0, 0, 0, 0), reply("codex", "codex-auto-review", "10:01:00", 1000, 0, 0, 0, 0)},
			2000, 2000, "0.005", false,
		},
		{
			"report 35: each request has its own tier",
			[]transcript.Event{reply("claude", "claude-sonnet-4-5", "10:00:00", 150_000, 0, 0, 0, 0), reply("claude", "claude-sonnet-4-5", "10:01:00", 150_000, 0, 0, 0, 0)},
			300_000, 300_000, "0.9", true,
		},
		{
			"the equivalent is rounded once for the block, not for each reply",
			[]transcript.Event{reply("claude", "claude-opus-4-8", "10:00:00", 0, 4, 0, 0, 0), reply("claude", "claude-opus-4-8", "10:01:00", 0, 4, 0, 0, 0)},
			8, 1, "0.000004", true,
		},
		{
			"a model of another vendor in a Claude transcript has Claude's ratios",
			[]transcript.Event{reply("claude", "gateway-model", "10:00:00", 100, 0, 100, 100, 100)},
			400, 925, "null", false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := blockOf(tt.events...)
			if b.TotalTokens != tt.total || b.BillableEquivalentTokens != tt.be || dollars(t, b.CostUSD) != tt.cost || b.CostComplete != tt.complete {
				t.Errorf("block: %d tokens, equivalent %d, cost %s, complete %v; want %d, %d, %s, %v",
					b.TotalTokens, b.BillableEquivalentTokens, dollars(t, b.CostUSD), b.CostComplete, tt.total, tt.be, tt.cost, tt.complete)
			}
		})
	}
}

func TestABlockTellsSessionsModelsAndTimes(t *testing.T) {
	later, earlier := reply("claude", "claude-haiku-4-5", "10:14:29.900", 9, 0, 0, 0, 0), reply("claude", "claude-opus-4-8", "10:05:02.114", 1, 0, 0, 0, 0)
	later.Session = "t"
	b := blockOf(later, earlier)
	if b.SessionID != "s" || len(b.SessionIDs) != 2 || b.StartedAt != "2026-09-08T10:05:02Z" || b.EndedAt != "2026-09-08T10:14:29Z" {
		t.Errorf("block = %+v, want the earliest session first", b)
	}
	if b.Model != "claude-haiku-4-5" || b.Models["claude-opus-4-8"] != 1 {
		t.Errorf("model %q of %v, want the one that used most", b.Model, b.Models)
	}
	later.Provider, earlier.Provider = "codex", "codex"
	if b := blockOf(later, earlier); b.Model != "claude-opus-4-8" {
		t.Errorf("model %q of a thread, want the one that it began with", b.Model)
	}
}

func TestAModelThatNobodyRecordedIsTheDispatchs(t *testing.T) {
	e := reply("kimi", "", "10:00:00", 10, 0, 0, 0, 0)
	e.Assumed = "kimi-k3"
	if b := NewBlock([]transcript.Event{e}, price.Default(), "k3-256k"); b.Model != "k3-256k" {
		t.Errorf("model = %q, want the dispatch's", b.Model)
	}
	if b := blockOf(e); b.Model != "kimi-k3" || !b.CostComplete {
		t.Errorf("model = %q, complete %v, want the assumed one priced", b.Model, b.CostComplete)
	}
}

func TestAModelThatNobodyKnowsIsNull(t *testing.T) {
	b := blockOf(reply("claude", "", "10:00:00", 507, 0, 0, 0, 0))
	s := Summarise([]Part{{Lead: true, Provider: "claude", Block: &b}}, Collected{Timeline: NewTimeline(SourceUnavailable, nil)})
	got, err := json.Marshal([]any{b.Model, b.Models, b.TotalTokens, s.Roles[0].Model})
	if want := `[null,{},507,null]`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// Two names that differ only in broken characters would be one key of a document.
func TestBrokenModelNamesAreOneKey(t *testing.T) {
	broken := []transcript.Event{reply("claude", "m\xfe", "10:00:00", 5, 0, 0, 0, 0), reply("claude", "m\xff", "10:01:00", 7, 0, 0, 0, 0)}
	if b := blockOf(broken...); len(b.Models) != 1 || b.Models["m\ufffd"] != 12 || b.Model != "m\ufffd" || len(b.Unmatched) != 1 {
		t.Errorf("models %v, leading %q, unmatched %q", b.Models, b.Model, b.Unmatched)
	}
	sum := NewSum(SumOptions{By: []string{"model"}})
	for i := range broken {
		sum.Add(&broken[i])
	}
	if groups := sum.Totals().Groups; len(groups) != 1 || groups[0].Total != 12 {
		t.Errorf("groups %+v", groups)
	}
}

// Behaviour 24: what a wrapper noted in its status file, under the names of all
// the CLIs, and nothing else.
func TestBehaviour24AStatusFilesUsage(t *testing.T) {
	for _, tt := range []struct{ name, usage, want string }{
		{"camel case", `{"inputTokens":100,"cachedInputTokens":40,"outputTokens":9,"reasoningTokens":4}`, "60 40 9 4"},
		{"snake case", `{"input_tokens":100,"cached_input_tokens":40,"output_tokens":9,"thinking_tokens":4}`, "60 40 9 4"},
		{"another name for thoughts", `{"inputTokens":1,"outputTokens":9,"thinkingOutputTokens":4}`, "1 0 9 4"},
		{"behaviour 28: more cached than there was input", `{"inputTokens":100,"cachedInputTokens":140}`, "0 100 0 0"},
		{"more thoughts than output", `{"outputTokens":3,"reasoningTokens":8}`, "0 0 3 3"},
		{"whole numbers in other notations", `{"inputTokens":5e3,"outputTokens":9.0}`, "5000 0 9 0"},
		{"beyond 2^53, and a fraction", `{"inputTokens":9007199254740993,"cachedInputTokens":1.5,"outputTokens":1}`, "0 0 1 0, 2 bad"},
		{"a number as a text", `{"inputTokens":"500","outputTokens":2}`, "0 0 2 0, 1 bad"},
		{"under two names, once as a count", `{"inputTokens":"500","input_tokens":500,"output_tokens":null}`, "500 0 0 0"},
		{"no count", `{"inputTokens":"many","outputTokens":-3}`, ", 2 bad"},
		{"all zero", `{"inputTokens":0}`, ""},
		{"null", `null`, ""},
		{"a text", `"inputTokens: 5"`, ""},
		{"nothing", ``, ""},
	} {
		e, bad := FromStatus(run.Status{Provider: "antigravity", Usage: json.RawMessage(tt.usage), StartedAt: "2026-09-08T10:05:00Z"})
		got := ""
		if !e.IsZero() {
			got = sprint(e.Input, e.CacheRead, e.Output, e.Reasoning)
		}
		if bad > 0 {
			got = strings.TrimSpace(fmt.Sprintf("%s, %d bad", got, bad))
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDisplayNamesOfModels(t *testing.T) {
	for name, want := range map[string]string{
		"Gemini 3.1 Pro (Low)":       "gemini-3.1-pro",
		"Claude Opus 4.6 (Thinking)": "claude-opus-4-6",
		"Gemini 3.5 Flash":           "gemini-3.5-flash",
		"gpt-5.6-sol":                "gpt-5.6-sol",
		"claude-opus-4.6":            "claude-opus-4.6",
		"":                           "",
	} {
		if got := price.ModelID(name); got != want {
			t.Errorf("price.ModelID(%q) = %q, want %q", name, got, want)
		}
	}
}
