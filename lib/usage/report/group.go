package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"okstra/lib/price"
)

// Dimensions are what a report can be made by, as the command's words.
var Dimensions = []string{"task-type", "group", "provider", "model", "day"}

// dimension is one of them: the key's name in documents, its title for people,
// and the value that a run or a part of one has. Where split is set, a run's
// parts may differ.
type dimension struct {
	name, title string
	split       bool
	value       func(Run, Part, *time.Location) string
}

var dimensions = map[string]dimension{
	"task-type": {"taskType", "task type", false, func(r Run, _ Part, _ *time.Location) string { return r.TaskType }},
	"group":     {"group", "group", false, func(r Run, _ Part, _ *time.Location) string { return r.Group }},
	"provider":  {"provider", "provider", true, func(_ Run, p Part, _ *time.Location) string { return p.Provider }},
	"model":     {"model", "model", true, func(_ Run, p Part, _ *time.Location) string { return p.Model }},
	"day": {"day", "day", false, func(r Run, _ Part, l *time.Location) string {
		if r.Start.IsZero() {
			return ""
		}
		return r.Start.In(l).Format(time.DateOnly)
	}},
}

// CheckBy says what is wrong with a list of dimensions, or nil.
func CheckBy(words []string) error {
	for i, word := range words {
		if _, ok := dimensions[word]; !ok {
			return fmt.Errorf("unknown key %q (expected %s)", word, strings.Join(Dimensions, ", "))
		}
		if slices.Contains(words[:i], word) {
			return fmt.Errorf("key %q is given twice", word)
		}
	}
	return nil
}

// share is what a run adds to one group.
type share struct {
	key Key
	Amount
	wall       *int64
	split      bool
	measured   bool
	unmeasured int
}

// whole is a run's share where it is not split.
func (r Run) whole() share {
	s := share{Amount: r.Amount, wall: r.Wall, measured: true}
	if r.Reason == "" {
		for _, p := range r.Parts {
			if !p.Measured || p.Lacking {
				s.unmeasured++
			}
		}
	}
	return s
}

// shares divides a run among the groups that it belongs to: one, unless it is
// divided by what its participants differ in. A run's wall-clock time is nobody's
// part and has no share then.
func (o Options) shares(r Run) []share {
	split := slices.ContainsFunc(o.By, func(word string) bool { return dimensions[word].split })
	if !split || len(r.Parts) == 0 {
		s := r.whole()
		s.key, s.split = o.key(r, Part{}), split
		return []share{s}
	}
	var shares []share
	at := map[string]int{}
	for _, p := range r.Parts {
		key := o.key(r, p)
		i, seen := at[key.id()]
		if !seen {
			i = len(shares)
			at[key.id()] = i
			shares = append(shares, share{key: key, split: true, Amount: Amount{Complete: true}})
		}
		shares[i].add(p)
	}
	return shares
}

func (s *share) add(p Part) {
	plus(&s.CPU, p.CPU)
	if !p.Measured {
		s.unmeasured++
		return
	}
	s.measured = true
	if p.Lacking {
		s.unmeasured++
	}
	plus(&s.Tokens, p.Tokens)
	plus(&s.Billable, p.Billable)
	plusUSD(&s.Cost, p.Cost)
	s.Complete = s.Complete && p.Complete
	s.Unmatched = append(s.Unmatched, p.Unmatched...)
}

func plusUSD(sum **price.USD, n *price.USD) {
	have := (*int64)(*sum)
	plus(&have, (*int64)(n))
	*sum = (*price.USD)(have)
}

func (o Options) key(r Run, p Part) Key {
	key := make(Key, len(o.By))
	for i, word := range o.By {
		d := dimensions[word]
		key[i].Name = d.name
		if value := d.value(r, p, o.Location); value != "" {
			key[i].Value = &value
		}
	}
	return key
}

// id is a text that no other key has.
func (k Key) id() string {
	var out strings.Builder
	for _, one := range k {
		if one.Value == nil {
			out.WriteString("-")
		} else {
			fmt.Fprintf(&out, "%d:%s", len(*one.Value), *one.Value)
		}
	}
	return out.String()
}
