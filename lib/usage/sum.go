package usage

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"okstra/lib/price"
	"okstra/lib/transcript"
)

// keyOf gives the value of an event under each key that sums can be made by.
var keyOf = map[string]func(transcript.Event, *time.Location) string{
	"session":  func(e transcript.Event, _ *time.Location) string { return e.Session },
	"model":    func(e transcript.Event, _ *time.Location) string { return e.Model },
	"cwd":      func(e transcript.Event, _ *time.Location) string { return e.CWD },
	"provider": func(e transcript.Event, _ *time.Location) string { return e.Provider },
	"worker":   func(e transcript.Event, _ *time.Location) string { return e.Agent },
	"day": func(e transcript.Event, l *time.Location) string {
		if e.At == transcript.NoTime {
			return ""
		}
		return time.Unix(0, e.At).In(l).Format("2006-01-02")
	},
}

// Keys checks the names of keys.
func Keys(names []string) ([]string, error) {
	for i, name := range names {
		if keyOf[name] == nil {
			return nil, fmt.Errorf("unknown key %q (expected session, model, day, cwd, provider or worker)", name)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("key %q is given twice", name)
		}
	}
	return names, nil
}

// SumOptions say what is added up, and how. Without Prices nothing is priced.
type SumOptions struct {
	By       []string
	Window   transcript.Window
	Location *time.Location
	Prices   *price.Table
}

// Sum adds events up; their order does not matter.
type Sum struct {
	o      SumOptions
	total  *cell
	groups map[string]*cell
	note   transcript.Note
}

// cell is one group.
type cell struct {
	values []string
	counts transcript.Counts
	events int64
	holder int64 // events that are placeholders
	bill   *price.Bill
}

// NewSum begins a sum.
func NewSum(o SumOptions) *Sum {
	s := &Sum{o: o, groups: map[string]*cell{}}
	s.total = s.cell(nil)
	return s
}

func (s *Sum) cell(values []string) *cell {
	c := &cell{values: values}
	if s.o.Prices != nil {
		c.bill = price.NewBill(s.o.Prices)
	}
	return c
}

// Note adds what a scan saw besides events.
func (s *Sum) Note(n transcript.Note) { s.note = s.note.Add(n) }

// Add counts an event that lies in the window.
func (s *Sum) Add(e transcript.Event) {
	if !s.o.Window.Holds(e.At) {
		return
	}
	if e.Model == "" {
		e.Model = e.Assumed
	}
	s.total.add(e)
	if len(s.o.By) == 0 {
		return
	}
	values := make([]string, len(s.o.By))
	for i, name := range s.o.By {
		values[i] = keyOf[name](e, s.o.Location)
	}
	id := fmt.Sprintf("%q", values)
	if s.groups[id] == nil {
		s.groups[id] = s.cell(values)
	}
	s.groups[id].add(e)
}

func (c *cell) add(e transcript.Event) {
	c.events++
	c.counts = c.counts.Add(e.Counts)
	if e.Placeholder {
		c.holder++
	}
	if c.bill != nil {
		c.bill.Add(Use(e))
	}
}

// Totals is the document that a sum prints.
type Totals struct {
	SchemaVersion string  `json:"schemaVersion"`
	Kind          string  `json:"kind"`
	Groups        []Group `json:"groups"`
	Totals        Figures `json:"totals"`
}

// Group is the figures of one combination of keys.
type Group struct {
	Key map[string]string `json:"key"`
	Figures
}

// Figures are what was counted, and with prices what it costs.
type Figures struct {
	Events int64 `json:"events"`
	transcript.Counts
	Total           int64 `json:"total"`
	PlaceholderOnly int64 `json:"placeholderOnly"`
	SkippedLines    int64 `json:"skippedLines"`
	*Priced
}

// Priced are the keys that are there with prices only.
type Priced struct {
	CostUSD         *price.USD `json:"costUsd"`
	CostComplete    bool       `json:"costComplete"`
	UnmatchedModels []string   `json:"unmatchedModels"`
	UncertainRates  []string   `json:"uncertainRates"`
}

// Totals gives the groups in order of their keys, and the sum of all.
func (s *Sum) Totals() Totals {
	t := Totals{SchemaVersion: "1.0", Kind: "okstra-usage-totals", Groups: []Group{}, Totals: s.total.figures()}
	t.Totals.SkippedLines = s.note.SkippedLines
	cells := make([]*cell, 0, len(s.groups))
	for _, c := range s.groups {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *cell) int { return slices.CompareFunc(a.values, b.values, cmp.Compare[string]) })
	for _, c := range cells {
		key := map[string]string{}
		for i, name := range s.o.By {
			key[name] = c.values[i]
		}
		t.Groups = append(t.Groups, Group{key, c.figures()})
	}
	return t
}

func (c *cell) figures() Figures {
	f := Figures{Events: c.events, Counts: c.counts, Total: c.counts.Total(), PlaceholderOnly: c.holder}
	if c.bill == nil {
		return f
	}
	f.Priced = &Priced{UnmatchedModels: orNone(c.bill.Unmatched()), UncertainRates: orNone(c.bill.UncertainRates())}
	f.CostUSD, f.CostComplete = c.bill.Cost()
	return f
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
