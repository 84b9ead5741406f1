package usage

import (
	"fmt"
	"math"
	"slices"
	"time"

	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
)

// Part is what one participant contributes to a summary: a block, or the
// reason why there is none.
type Part struct {
	Role, WorkerID, Label, Provider string
	Lead                            bool
	Block                           *Block
	Missing                         *Unavailable

	// Lacks says what the block does not hold although the participant used it; "" for nothing
	// that is known.
	Lacks string
}

func (p Part) name() string {
	if p.Lead {
		return "lead"
	}
	return p.WorkerID
}

// Summary is the usage summary of a run. A total behind which no block is
// available is nil, never 0. Rule: docs/usage.md, "The summary".
type Summary struct {
	CollectedAt                    string             `json:"collectedAt"`
	Window                         Span               `json:"window"`
	LeadTotalTokens                *int64             `json:"leadTotalTokens"`
	WorkerTotalTokens              *int64             `json:"workerTotalTokens"`
	GrandTotalTokens               *int64             `json:"grandTotalTokens"`
	LeadBillableEquivalentTokens   *int64             `json:"leadBillableEquivalentTokens"`
	WorkerBillableEquivalentTokens *int64             `json:"workerBillableEquivalentTokens"`
	GrandBillableEquivalentTokens  *int64             `json:"grandBillableEquivalentTokens"`
	LeadCostUSD                    *price.USD         `json:"leadCostUsd"`
	WorkerCostUSD                  *price.USD         `json:"workerCostUsd"`
	CostUSD                        *price.USD         `json:"costUsd"`
	CostComplete                   bool               `json:"costComplete"`
	Roles                          []RoleRow          `json:"roles"`
	ByProvider                     map[string]*Amount `json:"byProvider"`
	CPUSumMs                       int64              `json:"cpuSumMs"`
	WallClockMs                    int64              `json:"wallClockMs"`
	UnmatchedModels                []string           `json:"unmatchedModels"`
	UncertainRates                 []string           `json:"uncertainRates"`
	PlaceholderOnly                int                `json:"placeholderOnly"`
	SkippedLines                   int64              `json:"skippedLines"`
	Unattributed                   *Fold              `json:"unattributed"`
	UnavailableReasons             []string           `json:"unavailableReasons"`
	Phases                         []PhaseTime        `json:"phases"`
}

// Span is a closed window of time.
type Span struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

// RoleRow is a participant in the summary.
type RoleRow struct {
	Role                     string     `json:"role"`
	WorkerID                 *string    `json:"workerId"`
	Label                    string     `json:"label"`
	Provider                 string     `json:"provider"`
	Model                    *string    `json:"model"`
	Source                   string     `json:"source"`
	TotalTokens              *int64     `json:"totalTokens"`
	BillableEquivalentTokens *int64     `json:"billableEquivalentTokens"`
	CostUSD                  *price.USD `json:"costUsd"`
	DurationMs               int64      `json:"durationMs"`
	Reason                   string     `json:"reason,omitempty"`
	CLIExecutionStatus       string     `json:"cliExecutionStatus,omitempty"`
}

// Amount is tokens and money.
type Amount struct {
	TotalTokens              int64      `json:"totalTokens"`
	BillableEquivalentTokens int64      `json:"billableEquivalentTokens"`
	CostUSD                  *price.USD `json:"costUsd"`
}

// Fold is what the team used and no name tells whose it was.
type Fold struct {
	Tokens                   int64      `json:"tokens"`
	Sessions                 int        `json:"sessions"`
	SessionIDs               []string   `json:"sessionIds"`
	BillableEquivalentTokens int64      `json:"billableEquivalentTokens"`
	CostUSD                  *price.USD `json:"costUsd"`
	Reason                   string     `json:"reason"`
}

// PhaseTime is how long a phase took.
type PhaseTime struct {
	Phase  string `json:"phase"`
	WallMs int64  `json:"wallMs"`
}

// Collected is what a summary is made of besides its parts.
type Collected struct {
	At           string
	Since, Until time.Time
	Skipped      int64
	Nameless     *Block // the team's use that no name belongs to
	Timeline     Timeline
}

// Summarise adds the parts up.
func Summarise(parts []Part, c Collected) Summary {
	s := Summary{
		CollectedAt: c.At, Window: Span{stamp(c.Since), stamp(c.Until)}, CostComplete: true, ByProvider: map[string]*Amount{},
		WallClockMs: between(c.Since, c.Until), SkippedLines: c.Skipped,
		UnmatchedModels: []string{}, UncertainRates: []string{}, UnavailableReasons: []string{}, Roles: []RoleRow{}, Phases: c.Timeline.times(),
	}
	for _, p := range parts {
		s.add(p)
	}
	if c.Nameless != nil {
		s.fold(c.Nameless)
	}
	s.grand()
	for _, list := range []*[]string{&s.UnmatchedModels, &s.UncertainRates} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

func (s *Summary) add(p Part) {
	row := RoleRow{Role: p.Role, Label: p.Label, Provider: p.Provider}
	if !p.Lead {
		row.WorkerID = &p.WorkerID
	}
	if p.Block == nil {
		row.Source, row.DurationMs, row.Reason, row.CLIExecutionStatus = SourceUnavailable, p.Missing.DurationMs, p.Missing.Reason, p.Missing.CLIExecutionStatus
		s.CPUSumMs += row.DurationMs
		s.UnavailableReasons = append(s.UnavailableReasons, fmt.Sprintf("%s: %s", p.name(), p.Missing.Reason))
		s.Roles = append(s.Roles, row)
		return
	}
	b := p.Block
	row.Model, row.Source, row.DurationMs, row.CLIExecutionStatus = b.Model.orNil(), b.Source, b.DurationMs, b.CLIExecutionStatus
	row.TotalTokens, row.BillableEquivalentTokens, row.CostUSD = &b.TotalTokens, &b.BillableEquivalentTokens, b.CostUSD
	if p.Lacks != "" {
		row.Reason = p.Lacks
		s.UnavailableReasons = append(s.UnavailableReasons, fmt.Sprintf("%s: %s", p.name(), p.Lacks))
	}
	s.Roles = append(s.Roles, row)
	s.CPUSumMs += b.DurationMs
	s.count(p.Lead, p.Provider, b)
}

// count adds a block to its side, to its provider and to what is said of all.
func (s *Summary) count(lead bool, provider string, b *Block) {
	total, billable, cost := &s.WorkerTotalTokens, &s.WorkerBillableEquivalentTokens, &s.WorkerCostUSD
	if lead {
		total, billable, cost = &s.LeadTotalTokens, &s.LeadBillableEquivalentTokens, &s.LeadCostUSD
	}
	plus(total, b.TotalTokens)
	plus(billable, b.BillableEquivalentTokens)
	plusUSD(cost, b.CostUSD)
	amount := s.ByProvider[provider]
	if amount == nil {
		amount = &Amount{}
		s.ByProvider[provider] = amount
	}
	amount.TotalTokens = transcript.AddSat(amount.TotalTokens, b.TotalTokens)
	amount.BillableEquivalentTokens = transcript.AddSat(amount.BillableEquivalentTokens, b.BillableEquivalentTokens)
	plusUSD(&amount.CostUSD, b.CostUSD)
	s.CostComplete = s.CostComplete && b.CostComplete
	s.UnmatchedModels = append(s.UnmatchedModels, b.Unmatched...)
	s.UncertainRates = append(s.UncertainRates, b.Uncertain...)
	s.PlaceholderOnly += b.Placeholder
}

func (s *Summary) fold(b *Block) {
	s.Unattributed = &Fold{
		Tokens: b.TotalTokens, Sessions: len(b.SessionIDs), SessionIDs: b.SessionIDs,
		BillableEquivalentTokens: b.BillableEquivalentTokens, CostUSD: b.CostUSD,
		Reason: "sessions of the team without an agent's name, or with one that fits no worker; they are part of the workers' total",
	}
	s.count(false, "claude", b)
}

func (s *Summary) grand() {
	for _, side := range []struct {
		tokens, billable *int64
		cost             *price.USD
	}{
		{s.LeadTotalTokens, s.LeadBillableEquivalentTokens, s.LeadCostUSD},
		{s.WorkerTotalTokens, s.WorkerBillableEquivalentTokens, s.WorkerCostUSD},
	} {
		if side.tokens != nil {
			plus(&s.GrandTotalTokens, *side.tokens)
			plus(&s.GrandBillableEquivalentTokens, *side.billable)
		}
		plusUSD(&s.CostUSD, side.cost)
	}
	s.CostComplete = s.CostComplete && s.CostUSD != nil && *s.CostUSD < math.MaxInt64 // beyond which money is not counted
}

func plus(sum **int64, n int64) {
	if *sum == nil {
		*sum = new(int64)
	}
	**sum = transcript.AddSat(**sum, n)
}

func plusUSD(sum **price.USD, n *price.USD) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(price.USD)
	}
	**sum = price.USD(transcript.AddSat(int64(**sum), int64(*n)))
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return run.Stamp(t)
}

// between is a length in milliseconds, 0 where a bound is not known.
func between(since, until time.Time) int64 {
	if since.IsZero() || until.IsZero() {
		return 0
	}
	return max(0, until.Sub(since).Milliseconds())
}
