// Package report tells what the runs of a project consumed, how many of them
// it could tell of, and why not of the others. It reads what phase 7 wrote into
// the team states and measures nothing itself.
//
// Rule: docs/usage.md, "The project report".
package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
)

// Options say which runs to report on, and by what. Since and Until bound the
// start of a run, both included; a zero one is open.
type Options struct {
	Root         string
	Since, Until time.Time
	TaskTypes    []string // none: all
	Group        string   // "": all
	By           []string // words of Dimensions
	Location     *time.Location
}

// Report is the document that the command prints.
type Report struct {
	SchemaVersion string   `json:"schemaVersion"`
	Kind          string   `json:"kind"`
	ProjectRoot   string   `json:"projectRoot"`
	Since         *string  `json:"since"`
	Until         *string  `json:"until"`
	Coverage      Coverage `json:"coverage"`
	Groups        []Group  `json:"groups"`
	Totals        Figures  `json:"totals"`

	options Options
}

// Coverage says of how many runs the totals tell.
type Coverage struct {
	Total       int    `json:"total"`
	Covered     int    `json:"covered"`
	Unavailable int    `json:"unavailable"`
	Reasons     Counts `json:"reasons"`
}

// Group is the figures of one combination of keys. A key that is not known is
// nil.
type Group struct {
	Key Key `json:"key"`
	Figures
}

// Figures are what runs consumed. What no run tells is nil, never 0. Unmeasured
// counts the participants of covered runs whose use nobody could measure: with
// any, tokens and cost are lower bounds.
type Figures struct {
	Runs         int        `json:"runs"`
	Covered      int        `json:"covered"`
	Tokens       *int64     `json:"totalTokens"`
	Billable     *int64     `json:"billableEquivalentTokens"`
	CostUSD      *price.USD `json:"costUsd"`
	CostComplete bool       `json:"costComplete"`
	CPU          *int64     `json:"cpuSumMs"`
	Wall         *int64     `json:"wallClockMs"`
	Unmatched    []string   `json:"unmatchedModels"`
	Unmeasured   int        `json:"unmeasured"`
}

// Counts are numbers of runs by reason, written in the order of Reasons.
type Counts map[Reason]int

// MarshalJSON writes the reasons that occur.
func (c Counts) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for _, reason := range Reasons {
		if c[reason] > 0 {
			fmt.Fprintf(&out, `,%q:%d`, reason, c[reason])
		}
	}
	return []byte("{" + strings.TrimPrefix(out.String(), ",") + "}"), nil
}

// Key is the values of a group under the names of its keys, in their order.
type Key []KeyValue

// KeyValue is one of them; Value is nil when it is not known.
type KeyValue struct {
	Name  string
	Value *string
}

// MarshalJSON writes an object with the keys in their order.
func (k Key) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, one := range k {
		value, err := json.Marshal(one.Value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", one.Name, value)
	}
	return []byte("{" + out.String() + "}"), nil
}

func (k Key) compare(other Key) int {
	return slices.CompareFunc(k, other, func(a, b KeyValue) int {
		if a.Value == nil || b.Value == nil {
			return cmp.Compare(known(a.Value), known(b.Value))
		}
		return cmp.Compare(*a.Value, *b.Value)
	})
}

func known(s *string) int {
	if s == nil {
		return 0
	}
	return 1
}

// Make reports on the runs that the options choose. outside is how many of
// them began outside the window.
func Make(runs []Run, o Options) (r Report, outside int) {
	if o.Location == nil {
		o.Location = time.UTC
	}
	r = Report{
		SchemaVersion: "1.0", Kind: "okstra-usage-report", ProjectRoot: o.Root, Since: stamp(o.Since), Until: stamp(o.Until),
		Coverage: Coverage{Reasons: Counts{}}, Groups: []Group{}, options: o,
	}
	var total sum
	groups := map[string]*sum{}
	for _, one := range runs {
		one, in := o.choose(one)
		if !in {
			outside++
		}
		if !in || !o.wants(one) {
			continue
		}
		r.Coverage.count(one)
		total.add(one, one.whole())
		for _, s := range o.shares(one) {
			id := s.key.id()
			if groups[id] == nil {
				groups[id] = &sum{key: s.key}
			}
			groups[id].add(one, s)
		}
	}
	r.Totals = total.figures()
	for _, g := range groups {
		r.Groups = append(r.Groups, Group{g.key, g.figures()})
	}
	slices.SortFunc(r.Groups, func(a, b Group) int { return a.Key.compare(b.Key) })
	return r, outside
}

// choose says whether a run began inside the window. One of which nobody knows
// when it began is reported as just that.
func (o Options) choose(r Run) (Run, bool) {
	if o.Since.IsZero() && o.Until.IsZero() {
		return r, true
	}
	if r.Start.IsZero() {
		if r.Reason == "" {
			r.Reason = TimeUnknown
		}
		return r, true
	}
	return r, !r.Start.Before(o.Since) && (o.Until.IsZero() || !r.Start.After(o.Until))
}

func (o Options) wants(r Run) bool {
	return (len(o.TaskTypes) == 0 || slices.Contains(o.TaskTypes, r.TaskType)) && (o.Group == "" || o.Group == r.Group)
}

func (c *Coverage) count(r Run) {
	c.Total++
	if r.Reason == "" {
		c.Covered++
		return
	}
	c.Unavailable++
	c.Reasons[r.Reason]++
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := run.Stamp(t)
	return &text
}

// sum adds up the shares of runs in one group.
type sum struct {
	key        Key
	runs       int
	covered    int
	unmeasured int
	Amount
	wall      *int64
	split     bool // it holds parts of runs
	lacking   bool // some cost is missing
	unmatched map[string]bool
}

func (s *sum) add(r Run, part share) {
	s.runs++
	s.split = s.split || part.split
	if r.Reason != "" {
		return
	}
	s.unmeasured += part.unmeasured
	plus(&s.CPU, part.CPU)
	if !part.measured {
		return
	}
	s.covered++
	plus(&s.Tokens, part.Tokens)
	plus(&s.Billable, part.Billable)
	plus(&s.wall, part.wall)
	plusUSD(&s.Cost, part.Cost)
	s.lacking = s.lacking || !part.Complete
	for _, name := range part.Unmatched {
		if s.unmatched == nil {
			s.unmatched = map[string]bool{}
		}
		s.unmatched[name] = true
	}
}

func plus(sum **int64, n *int64) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum = transcript.AddSat(**sum, *n)
}

func (s *sum) figures() Figures {
	f := Figures{
		Runs: s.runs, Covered: s.covered, Tokens: s.Tokens, Billable: s.Billable, CostUSD: s.Cost,
		CostComplete: s.Cost != nil && !s.lacking && *s.Cost < math.MaxInt64, CPU: s.CPU, Wall: s.wall, Unmatched: []string{}, Unmeasured: s.unmeasured,
	}
	if s.split {
		f.Wall = nil
	}
	for name := range s.unmatched {
		f.Unmatched = append(f.Unmatched, name)
	}
	slices.Sort(f.Unmatched)
	return f
}
