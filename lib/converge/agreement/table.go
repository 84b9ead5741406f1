package agreement

import (
	"iter"
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
// are words. All values of the wrong kind are reported together; where there
// is none, all repeated rows: the error is a RowFaults. It goes through the rows once and keeps none.
func NewTable(rows iter.Seq[Rating]) (*Table, error) {
	in := newIntake()
	for r := range rows {
		in.add(r)
	}
	if err := in.err(); err != nil {
		return nil, err
	}
	return in.table()
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
