// Package usage turns events into what a run consumed: blocks, totals, money
// and the phase timeline. It reads no file.
//
// Rule: docs/usage.md.
package usage

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
)

// Block is what one participant consumed. A participant whose use could not
// be measured has an Unavailable block instead, never one of zeros.
type Block struct {
	Source                   string           `json:"source"`
	SessionID                string           `json:"sessionId"`
	SessionIDs               []string         `json:"sessionIds"`
	Model                    Model            `json:"model"`
	Models                   map[string]int64 `json:"models"`
	StartedAt                string           `json:"startedAt"`
	EndedAt                  string           `json:"endedAt"`
	DurationMs               int64            `json:"durationMs"`
	InputTokens              int64            `json:"inputTokens"`
	CacheReadTokens          int64            `json:"cacheReadTokens"`
	CacheWrite5mTokens       int64            `json:"cacheWrite5mTokens"`
	CacheWrite1hTokens       int64            `json:"cacheWrite1hTokens"`
	OutputTokens             int64            `json:"outputTokens"`
	ReasoningTokens          int64            `json:"reasoningTokens"`
	TotalTokens              int64            `json:"totalTokens"`
	BillableEquivalentTokens int64            `json:"billableEquivalentTokens"`
	CostUSD                  *price.USD       `json:"costUsd"`
	CostComplete             bool             `json:"costComplete"`
	CLIExecutionStatus       string           `json:"cliExecutionStatus,omitempty"`

	Unmatched   []string `json:"-"`
	Uncertain   []string `json:"-"`
	Placeholder int      `json:"-"`
	Incomplete  int      `json:"-"` // records that the provider itself calls incomplete
}

// Model is the name of a model, "" when nobody knows it: null in documents.
type Model string

// MarshalJSON writes the name.
func (m Model) MarshalJSON() ([]byte, error) { return json.Marshal(m.orNil()) }

func (m Model) orNil() *string {
	if m == "" {
		return nil
	}
	name := string(m)
	return &name
}

// valid is a text as JSON holds it: two that differ only in broken characters are
// one, for they would be one key.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// Unavailable is the block of a participant whose use is unknown.
type Unavailable struct {
	Source             string `json:"source"`
	CLIExecutionStatus string `json:"cliExecutionStatus,omitempty"`
	DurationMs         int64  `json:"durationMs"`
	Reason             string `json:"reason"`
}

// SourceUnavailable is the source of such a block.
const SourceUnavailable = "unavailable"

// NewBlock sums up events; there must be at least one. fallback names the
// model of events that name none. The order of the events does not matter.
func NewBlock(events []transcript.Event, table *price.Table, fallback string) Block {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b transcript.Event) int { return cmp.Compare(a.At, b.At) })
	b := Block{Source: cmp.Or(events[0].Kind, "wrapper-status"), SessionIDs: []string{}, Models: map[string]int64{}}
	bill := price.NewBill(table)
	var sum transcript.Counts
	for _, e := range events {
		e.Model, e.Session = valid(cmp.Or(e.Model, fallback, e.Assumed)), valid(e.Session)
		if e.Session != "" && !slices.Contains(b.SessionIDs, e.Session) {
			b.SessionIDs = append(b.SessionIDs, e.Session)
		}
		if e.Model != "" {
			b.Models[e.Model] = transcript.AddSat(b.Models[e.Model], e.Total())
		}
		if e.Placeholder {
			b.Placeholder++
		}
		if e.Incomplete {
			b.Incomplete++
		}
		sum = sum.Add(e.Counts)
		bill.Add(Use(&e))
	}
	if len(b.SessionIDs) > 0 {
		b.SessionID = b.SessionIDs[0]
	}
	b.Model = Model(valid(leading(events, fallback, b.Models)))
	b.StartedAt, b.EndedAt = seconds(events[0].TS), seconds(events[len(events)-1].TS)
	b.InputTokens, b.CacheReadTokens, b.OutputTokens = sum.Input, sum.CacheRead, sum.Output
	b.CacheWrite5mTokens, b.CacheWrite1hTokens, b.ReasoningTokens = sum.CacheWrite5m, sum.CacheWrite1h, sum.Reasoning
	b.TotalTokens, b.BillableEquivalentTokens = sum.Total(), bill.BillableEquivalent()
	b.CostUSD, b.CostComplete = bill.Cost()
	b.Unmatched, b.Uncertain = bill.Unmatched(), bill.UncertainRates()
	return b
}

// Use is an event as something to be paid for.
func Use(e *transcript.Event) price.Use {
	return price.Use{
		Model: e.Model, Anthropic: e.Provider == "claude", Fast: e.Speed == "fast", Calls: e.ModelCalls(),
		Tokens: price.Tokens{Input: e.Input, CacheRead: e.CacheRead, CacheWrite5m: e.CacheWrite5m, CacheWrite1h: e.CacheWrite1h, Output: e.Output},
	}
}

// leading is the model that a block is shown under: of a Codex thread the one
// that it began with, else the one that used most.
func leading(events []transcript.Event, fallback string, models map[string]int64) string {
	if events[0].Provider == codexProvider {
		for _, e := range events {
			if name := cmp.Or(e.Model, fallback, e.Assumed); name != "" {
				return name
			}
		}
	}
	return mostUsed(models)
}

const codexProvider = "codex"

// mostUsed is the model with the most tokens, the first by name of equal ones.
func mostUsed(models map[string]int64) string {
	best := ""
	for name, n := range models {
		if best == "" || n > models[best] || n == models[best] && name < best {
			best = name
		}
	}
	return best
}

// seconds is a transcript's time as documents hold times.
func seconds(ts string) string {
	at := transcript.Instant(ts)
	if at == transcript.NoTime {
		return ""
	}
	return run.Stamp(time.Unix(0, at))
}

// FromStatus is the event that a wrapper's status file stands for, for a
// provider that leaves no transcript; one without counts when the file holds no
// usage. Cached input is taken to be inside the input. bad is how many of the
// file's counts are none.
func FromStatus(s run.Status) (e transcript.Event, bad int) {
	counts, bad := snapshot(s.Usage)
	at := cmp.Or(s.EndedAt, s.StartedAt)
	return transcript.Event{
		Provider: s.Provider, Session: s.SessionID, CWD: s.Cwd, TS: at, At: transcript.Instant(at),
		Model: price.ModelID(s.ModelExecutionValue), Counts: counts,
	}, bad
}
