package agreement

import (
	"iter"
	"slices"
	"strings"
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
// are words. Its error is BadRows, all of them. It goes through the rows once
// and keeps none.
func NewTable(rows iter.Seq[Rating]) (*Table, error) {
	in := newIntake()
	for r := range rows {
		in.add(r)
	}
	if len(in.faults) > 0 {
		return nil, in.badRows()
	}
	return in.table()
}

// BadRows are the rows that keep a table from being made, in their order.
type BadRows []RowError

// RowError is what is wrong with one row. Rows count from 0 as they were given.
// First is the row that it repeats, or -1 where it repeats none.
type RowError struct {
	Row, First int
	Text       string
}

func (b BadRows) Error() string {
	texts := make([]string, len(b))
	for i, r := range b {
		texts[i] = r.Text
	}
	return strings.Join(texts, "\n")
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
