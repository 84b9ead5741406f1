package usage

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"okstra/lib/price"
	"okstra/lib/transcript"
)

// keyOf appends the value of an event under each key that sums can be made by.
var keyOf = map[string]func([]byte, *transcript.Event, *time.Location) []byte{
	"session":  func(b []byte, e *transcript.Event, _ *time.Location) []byte { return append(b, valid(e.Session)...) },
	"model":    func(b []byte, e *transcript.Event, _ *time.Location) []byte { return append(b, modelOf(e)...) },
	"cwd":      func(b []byte, e *transcript.Event, _ *time.Location) []byte { return append(b, valid(e.CWD)...) },
	"provider": func(b []byte, e *transcript.Event, _ *time.Location) []byte { return append(b, valid(e.Provider)...) },
	"worker":   func(b []byte, e *transcript.Event, _ *time.Location) []byte { return append(b, valid(e.Agent)...) },
	"day": func(b []byte, e *transcript.Event, l *time.Location) []byte {
		if e.At == transcript.NoTime {
			return b
		}
		return time.Unix(0, e.At).In(l).AppendFormat(b, time.DateOnly)
	},
}

// modelOf is the model that an event counts for.
func modelOf(e *transcript.Event) string { return valid(cmp.Or(e.Model, e.Assumed)) }

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
	groups map[string]*cell // by what id makes of their values
	id     []byte           // that of the last event
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
func (s *Sum) Add(e *transcript.Event) {
	if !s.o.Window.Holds(e.At) {
		return
	}
	s.total.add(e)
	if len(s.o.By) == 0 {
		return
	}
	s.identify(e)
	group := s.groups[string(s.id)]
	if group == nil {
		group = s.cell(values(s.id))
		s.groups[string(s.id)] = group
	}
	group.add(e)
}

// identify makes the id of the event's group: each value behind its length, so
// that no two lists of values have the same.
func (s *Sum) identify(e *transcript.Event) {
	s.id = s.id[:0]
	for _, name := range s.o.By {
		at := len(s.id)
		s.id = keyOf[name](append(s.id, make([]byte, lengthSize)...), e, s.o.Location)
		binary.LittleEndian.PutUint64(s.id[at:], uint64(len(s.id)-at-lengthSize))
	}
}

const lengthSize = 8

// values are those of which an id was made.
func values(id []byte) []string {
	var list []string
	for len(id) > 0 {
		n := binary.LittleEndian.Uint64(id)
		list = append(list, string(id[lengthSize:][:n]))
		id = id[lengthSize+n:]
	}
	return list
}

func (c *cell) add(e *transcript.Event) {
	c.events++
	c.counts = c.counts.Add(e.Counts)
	if e.Placeholder {
		c.holder++
	}
	if c.bill != nil {
		use := Use(e)
		use.Model = modelOf(e)
		c.bill.Add(use)
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
