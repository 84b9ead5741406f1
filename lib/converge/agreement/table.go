package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Rating is one rater's value for one unit. Replicate tells the ratings of
// one rater for one unit apart; it is "" where there is only one.
type Rating struct {
	Unit, Rater, Replicate string
	Value                  Value
}

// Table is a set of ratings with units, raters and values in a fixed order,
// whatever order the rows came in.
type Table struct {
	units      []string
	raters     []string
	values     []Value
	cells      [][]cell // per unit, by rater and value
	replicates bool
}

// cell is one rating with its rater and value as indexes.
type cell struct{ rater, value int32 }

// NewTable sorts rows into a table. It refuses a row that repeats unit, rater
// and replicate of another one, and values of which some are numbers and some
// are words; all such faults are reported together.
func NewTable(rows []Rating) (*Table, error) {
	if err := checkTypes(rows); err != nil {
		return nil, err
	}
	t := &Table{
		units:  distinct(rows, func(r Rating) string { return r.Unit }),
		raters: distinct(rows, func(r Rating) string { return r.Rater }),
		values: distinctValues(rows),
	}
	if err := t.fill(rows); err != nil {
		return nil, err
	}
	return t, nil
}

func checkTypes(rows []Rating) error {
	var errs []error
	for _, r := range rows {
		if r.Value.IsNumber() != rows[0].Value.IsNumber() {
			errs = append(errs, fmt.Errorf("unit %q, rater %q: value %q beside %q (expected all numbers or all strings)", r.Unit, r.Rater, r.Value, rows[0].Value))
		}
	}
	return errors.Join(errs...)
}

// fill sorts the rows of each unit by rater, which brings repeated ones
// together.
func (t *Table) fill(rows []Rating) error {
	unitAt, raterAt, valueAt := index(t.units), index(t.raters), t.valueIndex()
	byUnit := make([][]int32, len(t.units))
	for i, r := range rows {
		u := unitAt[r.Unit]
		byUnit[u] = append(byUnit[u], int32(i))
	}
	var errs []error
	t.cells = make([][]cell, len(t.units))
	for u, at := range byUnit {
		slices.SortFunc(at, func(a, b int32) int {
			return cmp.Or(cmp.Compare(rows[a].Rater, rows[b].Rater), cmp.Compare(rows[a].Replicate, rows[b].Replicate))
		})
		for i, row := range at {
			r := rows[row]
			if i > 0 && rows[at[i-1]].Rater == r.Rater {
				t.replicates = true
				if rows[at[i-1]].Replicate == r.Replicate {
					errs = append(errs, fmt.Errorf("unit %q, rater %q, replicate %q is rated twice (expected one row each)", r.Unit, r.Rater, r.Replicate))
				}
			}
			t.cells[u] = append(t.cells[u], cell{raterAt[r.Rater], valueAt[r.Value.text]})
		}
		slices.SortFunc(t.cells[u], func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.rater, b.rater), cmp.Compare(a.value, b.value))
		})
	}
	return errors.Join(errs...)
}

// Units is the number of rated units.
func (t *Table) Units() int { return len(t.units) }

// Raters lists the raters in order.
func (t *Table) Raters() []string { return slices.Clone(t.raters) }

// Values lists the distinct values in order.
func (t *Table) Values() []Value { return slices.Clone(t.values) }

// counts is how often each value was given to a unit; into is reused.
func (t *Table) counts(unit int, into []int64) []int64 {
	for i := range into {
		into[i] = 0
	}
	for _, c := range t.cells[unit] {
		into[c.value]++
	}
	return into
}

func distinct(rows []Rating, key func(Rating) string) []string {
	set := make(map[string]struct{})
	for _, r := range rows {
		set[key(r)] = struct{}{}
	}
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func distinctValues(rows []Rating) []Value {
	set := make(map[string]Value)
	for _, r := range rows {
		if _, ok := set[r.Value.text]; !ok {
			set[r.Value.text] = r.Value
		}
	}
	out := make([]Value, 0, len(set))
	for _, v := range set {
		out = append(out, v)
	}
	slices.SortFunc(out, Value.compare)
	return out
}

func (t *Table) valueIndex() map[string]int32 {
	at := make(map[string]int32, len(t.values))
	for i, v := range t.values {
		at[v.text] = int32(i)
	}
	return at
}

func index(names []string) map[string]int32 {
	at := make(map[string]int32, len(names))
	for i, n := range names {
		at[n] = int32(i)
	}
	return at
}
