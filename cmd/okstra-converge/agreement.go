package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/converge/agreement"
	"okstra/lib/jsonl"
)

func agreementFlags(f *cli.Flags) cli.Body {
	level := f.Enum("level", converge.LevelNominal, converge.LevelNominal, converge.LevelOrdinal)
	leveled := f.Given("level")
	ratings := f.InputFlag("ratings")
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		switch {
		case ratings.Set() && file.Set():
			return cli.Usagef("--ratings beside a state (expected one of them)")
		case ratings.Set() && *leveled:
			return cli.Usagef("--level is how votes are read; a table of ratings has its own values")
		case ratings.Set():
			table, err := readRatings(std, ratings)
			if err != nil {
				return err
			}
			return out.Document(std, table.Report())
		}
		s, err := states().read(std, file)
		if err != nil {
			return err
		}
		return out.Document(std, converge.Agree(s, *level))
	}
}

// readRatings reads a table of ratings; all bad rows are named, in order.
func readRatings(std cli.IO, file *cli.Input) (*agreement.Table, error) {
	in, err := file.Open(std)
	if err != nil {
		return nil, err
	}
	r := parseRatings(in, file.Name())
	closed := in.Close()
	table, err := agreement.NewTable(slices.Values(r.rows))
	if bad, ok := errors.AsType[agreement.BadRows](err); ok {
		r.repeatedOrMixed(bad)
	}
	if err := errors.Join(r.errors(), closed); err != nil {
		return nil, err
	}
	return table, nil
}

// ratings are the rows of a file that could be read, and what is wrong with it.
type ratings struct {
	name  string
	rows  []agreement.Rating
	lines []int // of the rows
	bad   []badLine
}

type badLine struct {
	line int
	err  error
}

func parseRatings(in io.Reader, name string) *ratings {
	r := &ratings{name: name}
	for row, err := range jsonl.Rows(in, name) {
		var rating agreement.Rating
		if err == nil {
			if rating, err = agreement.ParseRating(row.Raw); err != nil {
				err = fmt.Errorf("%s:%d: %w", name, row.Number, err)
			}
		}
		if err != nil {
			r.bad = append(r.bad, badLine{row.Number, err})
			continue
		}
		r.rows, r.lines = append(r.rows, rating), append(r.lines, row.Number)
	}
	return r
}

// repeatedOrMixed adds what is wrong with rows beside each other.
func (r *ratings) repeatedOrMixed(rows agreement.BadRows) {
	for _, row := range rows {
		text := row.Text
		if row.First >= 0 {
			text += fmt.Sprintf(", first in line %d", r.lines[row.First])
		}
		line := r.lines[row.Row]
		r.bad = append(r.bad, badLine{line, fmt.Errorf("%s:%d: %s", r.name, line, text)})
	}
}

// errors makes one error of all that is wrong, in order of lines.
func (r *ratings) errors() error {
	slices.SortStableFunc(r.bad, func(a, b badLine) int { return cmp.Compare(a.line, b.line) })
	errs := make([]error, len(r.bad))
	for i, b := range r.bad {
		errs[i] = cli.BadInput(b.err)
	}
	return errors.Join(errs...)
}
