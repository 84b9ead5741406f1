package agreement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// intake takes in the rows of a table as numbers, counted as the names come.
type intake struct {
	units, raters, replicates, words *names
	values                           []Value // by number of the word
	entries                          []entry
	faults                           BadRows // values of the wrong kind, in order of rows
}

// fewRows is the least room that is made for rows.
const fewRows = 64

// entry is a row: the numbers of what stands in it.
type entry struct{ unit, rater, replicate, value int32 }

func newIntake() *intake {
	return &intake{units: newNames(), raters: newNames(), replicates: newNames(), words: newNames()}
}

func (in *intake) add(r Rating) {
	e := entry{in.units.number(r.Unit), in.raters.number(r.Rater), in.replicates.number(r.Replicate), in.words.number(r.Value.text)}
	if int(e.value) == len(in.values) {
		in.values = append(in.values, r.Value)
	}
	if first := in.values[0]; r.Value.IsNumber() != first.IsNumber() {
		in.fault(len(in.entries), none, "unit %q, rater %q: value %q beside %q (expected all numbers or all strings)", r.Unit, r.Rater, r.Value, first)
	}
	if len(in.entries) == cap(in.entries) { // a large list would grow by a quarter, and be copied often
		in.entries = slices.Grow(in.entries, len(in.entries)+fewRows)
	}
	in.entries = append(in.entries, e)
}

// none is the row that a row repeats where it repeats none.
const none = -1

func (in *intake) fault(row, first int, format string, args ...any) {
	in.faults = append(in.faults, RowError{row, first, fmt.Sprintf(format, args...)})
}

// badRows adds the repeated rows to those with values of the wrong kind.
func (in *intake) badRows() error {
	first := make(map[entry]int, len(in.entries))
	for i, e := range in.entries {
		e.value = 0 // whatever it is
		if at, again := first[e]; again {
			in.fault(i, at, "unit %q, rater %q, replicate %q is rated twice (expected one row each)", in.units.list[e.unit], in.raters.list[e.rater], in.replicates.list[e.replicate])
		} else {
			first[e] = i
		}
	}
	slices.SortStableFunc(in.faults, func(a, b RowError) int { return cmp.Compare(a.Row, b.Row) })
	return in.faults
}

// table puts everything at its place in order.
func (in *intake) table() (*Table, error) {
	units, raters := in.units.places(), in.raters.places()
	values := places(len(in.values), func(a, b int32) int { return in.values[a].compare(in.values[b]) })
	t := &Table{
		units: placed(in.units.list, units), raters: placed(in.raters.list, raters), values: placed(in.values, values),
		cells: make([][]cell, len(units)),
	}
	entries, cells := in.sorted(units, raters), make([]cell, len(in.entries))
	for i, e := range entries {
		cells[i] = cell{raters[e.rater], values[e.value]}
		if i > 0 && e.unit == entries[i-1].unit && e.rater == entries[i-1].rater {
			t.replicates = true
			if e.replicate == entries[i-1].replicate {
				return nil, in.badRows()
			}
		}
	}
	for len(entries) > 0 {
		unit := entries[0].unit
		n := 1
		for n < len(entries) && entries[n].unit == unit {
			n++
		}
		row := cells[:n:n]
		slices.SortFunc(row, func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.rater, b.rater), cmp.Compare(a.value, b.value))
		})
		t.cells[units[unit]] = row
		entries, cells = entries[n:], cells[n:]
	}
	return t, nil
}

// sorted are the entries in order of units, raters and replicates.
func (in *intake) sorted(units, raters []int32) []entry {
	replicates := in.replicates.places()
	ends := make([]int32, len(units)) // by place of a unit: where its entries end
	for _, e := range in.entries {
		ends[units[e.unit]]++
	}
	for i := range len(ends) - 1 {
		ends[i+1] += ends[i]
	}
	out := make([]entry, len(in.entries))
	free := slices.Clone(ends)
	for _, e := range in.entries {
		at := &free[units[e.unit]]
		*at--
		out[*at] = e
	}
	from := int32(0)
	for _, end := range ends {
		slices.SortFunc(out[from:end], func(a, b entry) int {
			return cmp.Or(cmp.Compare(raters[a.rater], raters[b.rater]), cmp.Compare(replicates[a.replicate], replicates[b.replicate]))
		})
		from = end
	}
	return out
}

// names numbers texts as they come.
type names struct {
	numbers map[string]int32
	list    []string
	last    int32
}

func newNames() *names { return &names{numbers: make(map[string]int32)} }

// number is that of a text, a new one where it has none. Rows of one unit
// mostly stand together.
func (n *names) number(text string) int32 {
	if len(n.list) > 0 && n.list[n.last] == text {
		return n.last
	}
	at, known := n.numbers[text]
	if !known {
		at = int32(len(n.list))
		n.numbers[text] = at
		n.list = append(n.list, text)
	}
	n.last = at
	return at
}

// places is the place of each text among all of them, bytewise.
func (n *names) places() []int32 {
	return places(len(n.list), func(a, b int32) int { return strings.Compare(n.list[a], n.list[b]) })
}

// places is the place of each of n numbers in an order.
func places(n int, order func(a, b int32) int) []int32 {
	sorted := make([]int32, n)
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, order)
	out := make([]int32, n)
	for place, i := range sorted {
		out[i] = int32(place)
	}
	return out
}

// placed puts each of a list at its place.
func placed[T any](list []T, places []int32) []T {
	out := make([]T, len(list))
	for i, place := range places {
		out[place] = list[i]
	}
	return out
}
