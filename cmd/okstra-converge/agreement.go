package main

import (
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

// readRatings reads a table of ratings; all bad rows are named.
func readRatings(std cli.IO, file *cli.Input) (*agreement.Table, error) {
	in, err := file.Open(std)
	if err != nil {
		return nil, err
	}
	rows, lines, err := parseRatings(in, file.Name())
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	table, err := agreement.NewTable(slices.Values(rows))
	if faults, ok := errors.AsType[agreement.RowFaults](err); ok {
		var errs []error
		for _, f := range faults {
			errs = append(errs, fmt.Errorf("%s:%d: %s", file.Name(), lines[f.Row], f.Message))
		}
		return nil, cli.BadInput(errors.Join(errs...))
	}
	return table, err
}

// parseRatings gives the rows with the numbers of their lines.
func parseRatings(in io.Reader, name string) (rows []agreement.Rating, lines []int, err error) {
	var errs []error
	for row, err := range jsonl.Rows(in, name) {
		if err == nil {
			var r agreement.Rating
			if r, err = agreement.ParseRating(row.Raw); err == nil {
				rows, lines = append(rows, r), append(lines, row.Number)
				continue
			}
			err = fmt.Errorf("%s:%d: %w", name, row.Number, err)
		}
		errs = append(errs, cli.BadInput(err))
	}
	return rows, lines, errors.Join(errs...)
}
