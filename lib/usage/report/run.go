package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/run"
)

// Reason says why a run's use is not in the totals. The list is closed; its
// order is the order in which coverage is told.
type Reason string

// The reasons. A run has the first that holds.
const (
	TeamStateMissing    Reason = "team-state-missing"
	TeamStateUnreadable Reason = "team-state-unreadable"
	SummaryMissing      Reason = "usage-summary-missing"
	SummaryInvalid      Reason = "usage-summary-invalid"
	NothingAvailable    Reason = "no-available-usage"
	TimeUnknown         Reason = "run-time-unknown"
	InProgress          Reason = "run-in-progress"
)

// Reasons lists them all.
var Reasons = []Reason{TeamStateMissing, TeamStateUnreadable, SummaryMissing, SummaryInvalid, NothingAvailable, TimeUnknown, InProgress}

// Run is what the report knows of one run. Without a reason its use is known.
type Run struct {
	ID       string // of the run, "" where nothing names it
	Seq      string // of the file, for copies of one run
	TaskType string
	Group    string
	Root     string    // the project
	Start    time.Time // zero where nothing tells it
	Reason   Reason
	Fault    error // why the team state could not be read

	Amount
	Wall  *int64 // milliseconds
	Parts []Part // the lead, the workers, and what belongs to none of them
}

// Amount is what was used. What is not known is nil, never 0.
type Amount struct {
	Tokens    *int64
	Billable  *int64
	Cost      *price.USD
	Complete  bool // everything that was used has a price
	CPU       *int64
	Unmatched []string // names of models without a price
}

// Part is what one participant used. One that could not be measured has its
// time at most.
type Part struct {
	Provider, Model string
	Measured        bool
	Lacking         bool // measured, but not all of it
	Amount
}

// state is what the report reads of a team state; the rest of it may be as it
// likes.
type state struct {
	SchemaVersion string          `json:"schemaVersion"`
	Kind          string          `json:"kind"`
	RunID         string          `json:"runId"`
	TaskType      string          `json:"taskType"`
	ProjectRoot   string          `json:"projectRoot"`
	StartedAt     string          `json:"startedAt"`
	EndedAt       string          `json:"endedAt"`
	Lead          participant     `json:"lead"`
	Workers       []participant   `json:"workers"`
	UsageSummary  json.RawMessage `json:"usageSummary"`
}

type participant struct {
	WorkerID string          `json:"workerId"`
	Provider string          `json:"provider"`
	Model    *string         `json:"model"`
	Usage    json.RawMessage `json:"usage"`
}

// block is the participant's usage block, an empty one where there is none or
// it is none.
func (p participant) block() block {
	var b block
	if len(p.Usage) == 0 || (jsondoc.Doc{Raw: p.Usage}).Decode(&b) != nil {
		return block{}
	}
	return b
}

// check says why a document is no team state that can be read here.
func (s state) check(name string) error {
	if s.Kind != "" && s.Kind != teamStateKind {
		return fmt.Errorf("%s: /kind: %q (expected %q)", name, s.Kind, teamStateKind)
	}
	major, _, _ := strings.Cut(s.SchemaVersion, ".")
	if n, err := strconv.Atoi(major); s.SchemaVersion != "" && (err != nil || n > newestMajor) {
		return fmt.Errorf("%s: /schemaVersion: %q (expected at most %d.x)", name, s.SchemaVersion, newestMajor)
	}
	return nil
}

const (
	teamStateKind = "okstra-team-state"
	newestMajor   = 2
)

// block is a usage block of the team state.
type block struct {
	Source   string           `json:"source"`
	Model    *string          `json:"model"`
	Models   map[string]int64 `json:"models"`
	Tokens   *int64           `json:"totalTokens"`
	Billable *int64           `json:"billableEquivalentTokens"`
	Cost     *price.USD       `json:"costUsd"`
	Complete *bool            `json:"costComplete"`
	Duration *int64           `json:"durationMs"`
}

func available(source string) bool { return source != "" && source != "unavailable" }

// summary is what the report reads of a usage summary.
type summary struct {
	Tokens       *int64     `json:"grandTotalTokens"`
	Billable     *int64     `json:"grandBillableEquivalentTokens"`
	Cost         *price.USD `json:"costUsd"`
	Complete     bool       `json:"costComplete"`
	CPU          *int64     `json:"cpuSumMs"`
	Wall         *int64     `json:"wallClockMs"`
	Unmatched    []string   `json:"unmatchedModels"`
	Roles        []role     `json:"roles"`
	Unattributed *fold      `json:"unattributed"`
}

type role struct {
	WorkerID *string    `json:"workerId"`
	Provider *string    `json:"provider"`
	Model    *string    `json:"model"`
	Source   string     `json:"source"`
	Tokens   *int64     `json:"totalTokens"`
	Billable *int64     `json:"billableEquivalentTokens"`
	Cost     *price.USD `json:"costUsd"`
	Duration *int64     `json:"durationMs"`
	Reason   string     `json:"reason"` // why nothing was measured, or not all
}

type fold struct {
	Tokens   *int64     `json:"tokens"`
	Billable *int64     `json:"billableEquivalentTokens"`
	Cost     *price.USD `json:"costUsd"`
}

// read fills r from a team state. going says that the run's manifest calls it
// unfinished.
func (r *Run) read(doc jsondoc.Doc, going bool) {
	var s state
	if err := doc.Decode(&s); err != nil {
		r.Reason, r.Fault = TeamStateUnreadable, err
		return
	}
	if err := s.check(doc.Name); err != nil {
		r.Reason, r.Fault = TeamStateUnreadable, err
		return
	}
	if s.RunID != "" {
		r.ID = s.RunID
	}
	if s.TaskType != "" {
		r.TaskType = s.TaskType
	}
	if group := groupOf(s.RunID); group != "" {
		r.Group = group
	}
	if filepath.IsAbs(s.ProjectRoot) {
		r.Root = s.ProjectRoot
	}
	if at, err := time.Parse(time.RFC3339, s.StartedAt); err == nil {
		r.Start = at
	}
	r.roster(s)
	if len(s.UsageSummary) == 0 || string(s.UsageSummary) == "null" {
		r.Reason = SummaryMissing
		if going && s.EndedAt == "" {
			r.Reason = InProgress
		}
		return
	}
	r.sum(s)
}

// groupOf is the task group inside a run id.
func groupOf(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) < 5 {
		return ""
	}
	return parts[len(parts)-4]
}

// roster notes who took part, so that a run that is not covered still stands
// under the providers and models that it was run with.
func (r *Run) roster(s state) {
	r.Parts = nil
	for _, p := range append([]participant{s.Lead}, s.Workers...) {
		r.Parts = append(r.Parts, Part{Provider: p.Provider, Model: text(p.Model)})
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// sum reads the summary and judges whether it is one.
func (r *Run) sum(s state) {
	var u summary
	if (jsondoc.Doc{Raw: s.UsageSummary}).Decode(&u) != nil || !u.sound() {
		r.Reason = SummaryInvalid
		return
	}
	anybody := u.Unattributed != nil
	for _, p := range append([]participant{s.Lead}, s.Workers...) {
		anybody = anybody || available(p.block().Source)
	}
	for _, one := range u.Roles {
		anybody = anybody || available(one.Source)
	}
	switch {
	case !anybody:
		r.Reason = NothingAvailable
		return
	case u.Tokens == nil:
		r.Reason = SummaryInvalid
		return
	}
	u.Unmatched = slices.DeleteFunc(u.Unmatched, func(name string) bool { return name == "" })
	slices.Sort(u.Unmatched)
	r.Amount = Amount{
		Tokens: u.Tokens, Billable: u.Billable, Cost: u.Cost, CPU: u.CPU, Unmatched: slices.Compact(u.Unmatched),
		Complete: u.Complete && u.Cost != nil && len(u.Unmatched) == 0,
	}
	r.Wall = u.Wall
	r.Parts = r.Parts[:0]
	for _, one := range u.roles(s) {
		r.Parts = append(r.Parts, one.part(s, u))
	}
	if f := u.Unattributed; f != nil {
		r.Parts = append(r.Parts, Part{
			Provider: "claude", Measured: true,
			Amount: Amount{Tokens: f.Tokens, Billable: f.Billable, Cost: f.Cost, Complete: f.Cost != nil},
		})
	}
	r.blame()
}

// blame makes sure that what the whole lacks shows in its parts, too. A name
// without a price that nobody is known to have used, and a missing cost that no
// part explains, may be anybody's.
func (r *Run) blame() {
	unclaimed := slices.DeleteFunc(slices.Clone(r.Unmatched), func(name string) bool {
		return slices.ContainsFunc(r.Parts, func(p Part) bool { return slices.Contains(p.Unmatched, name) })
	})
	explained := slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Measured && !p.Complete })
	if r.Complete || explained && len(unclaimed) == 0 {
		return
	}
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Measured && (p.Tokens == nil || *p.Tokens > 0) {
			p.Complete, p.Unmatched = false, append(p.Unmatched, unclaimed...)
		}
	}
}

// sound says whether no count is below 0.
func (u summary) sound() bool {
	counts := []*int64{u.Tokens, u.Billable, u.CPU, u.Wall}
	for _, one := range u.Roles {
		counts = append(counts, one.Tokens, one.Billable, one.Duration)
	}
	if f := u.Unattributed; f != nil {
		counts = append(counts, f.Tokens, f.Billable)
	}
	return !slices.ContainsFunc(counts, func(n *int64) bool { return n != nil && *n < 0 })
}

// roles are the summary's rows of participants; without them, what the blocks
// of the team state say.
func (u summary) roles(s state) []role {
	if len(u.Roles) > 0 {
		return u.Roles
	}
	var roles []role
	for i, p := range append([]participant{s.Lead}, s.Workers...) {
		one := role{Provider: &p.Provider, Model: p.Model, Source: "unavailable"}
		if i > 0 {
			one.WorkerID = &p.WorkerID
		}
		if b := p.block(); b.Source != "" {
			one.Source, one.Tokens, one.Billable, one.Cost, one.Duration = b.Source, b.Tokens, b.Billable, b.Cost, b.Duration
			if b.Model != nil {
				one.Model = b.Model
			}
		}
		roles = append(roles, one)
	}
	return roles
}

// part is a row of the summary with what the block of the team state adds: all
// the models, and whether each of them had a price. The model of a participant
// that used several is the one that it used most.
func (o role) part(s state, u summary) Part {
	p := Part{Provider: text(o.Provider), Model: text(o.Model), Measured: available(o.Source), Amount: Amount{CPU: o.Duration}}
	b := o.block(s)
	if p.Model == "" && !p.Measured {
		p.Model = o.rostered(s)
	}
	if !p.Measured {
		return p
	}
	p.Tokens, p.Billable, p.Cost, p.Lacking = o.Tokens, o.Billable, o.Cost, o.Reason != ""
	p.Complete = o.Cost != nil || o.Tokens != nil && *o.Tokens == 0
	for _, name := range u.Unmatched {
		_, used := b.Models[name]
		if used || name == p.Model {
			p.Unmatched, p.Complete = append(p.Unmatched, name), false
		}
	}
	if b.Complete != nil && !*b.Complete {
		p.Complete = false
	}
	return p
}

// block is the participant's block in the team state, an empty one where there
// is none.
func (o role) block(s state) block {
	if p := o.participant(s); p != nil {
		return p.block()
	}
	return block{}
}

func (o role) rostered(s state) string {
	if p := o.participant(s); p != nil {
		return text(p.Model)
	}
	return ""
}

func (o role) participant(s state) *participant {
	if o.WorkerID == nil {
		return &s.Lead
	}
	for i := range s.Workers {
		if s.Workers[i].WorkerID == *o.WorkerID {
			return &s.Workers[i]
		}
	}
	return nil
}

// taskOf reads the parts of a run's identity from its path, for a run of which
// nothing else can be read: <root>/.okstra/tasks/<group>/<task>/runs/<type>/….
func (r *Run) taskOf(path string) {
	r.Root = run.RootAbove(path)
	rest, ok := strings.CutPrefix(run.Rel(r.Root, path), ".okstra/tasks/")
	parts := strings.Split(rest, "/")
	if r.Root == "" || !ok || len(parts) < 5 {
		return
	}
	r.Group, r.TaskType = parts[0], parts[3]
}
