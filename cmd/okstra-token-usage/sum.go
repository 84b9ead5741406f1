package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/schema"
	"okstra/lib/transcript"
	"okstra/lib/usage"
)

func sumFlags(f *cli.Flags, alwaysPrice bool) cli.Body {
	s := declareScan(f)
	providers := f.Strings("provider")
	by := f.CSV("by", "")
	zone := f.String("timezone", "")
	prices := declarePrices(f)
	priced := &alwaysPrice
	if !alwaysPrice {
		priced = f.Bool("price")
	}
	paths := f.Args("path")
	return func(ctx context.Context, std cli.IO) error {
		keys, err := usage.Keys(*by)
		if err != nil {
			return cli.Usagef("--by: %v", err)
		}
		location, err := location(std, *zone)
		if err != nil {
			return err
		}
		window, err := s.window()
		if err != nil {
			return err
		}
		o := usage.SumOptions{By: keys, Window: window, Location: location}
		scans := *s.homeGiven || len(*providers) > 0 || len(*paths) > 0 && !(len(*paths) == 1 && (*paths)[0] == "-")
		if *priced {
			if !scans && prices.file.Name() == "-" {
				return cli.Usagef("standard input can be read once (--prices and the events both name it)")
			}
			if o.Prices, err = prices.table(std); err != nil {
				return err
			}
		}
		total := usage.NewSum(o)
		if scans {
			r, err := s.events(ctx, std, *providers, *paths)
			if err != nil {
				return err
			}
			for i := range r.Events {
				total.Add(&r.Events[i])
			}
			total.Note(r.Note)
			return std.Document(total.Totals())
		}
		if std.InTTY && len(*paths) == 0 {
			return cli.Usagef("nothing to read: give events on standard input, a path, --home or --provider")
		}
		if err := addStream(std.In, total); err != nil {
			return err
		}
		return std.Document(total.Totals())
	}
}

// addStream reads our own event stream, strictly.
func addStream(in io.Reader, total *usage.Sum) error {
	var errs []error
	for row, err := range jsonl.Rows(in, "-") {
		if err != nil {
			errs = append(errs, cli.BadInput(err))
			continue
		}
		if err := addRow(row, total); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func addRow(row jsonl.Row, total *usage.Sum) error {
	var probe struct {
		Scan json.RawMessage `json:"scan"`
	}
	if jsondoc.Unmarshal(row.Raw, &probe) == nil && probe.Scan != nil {
		var line scanLine
		if err := schema.DecodeLine("-", row.Number, row.Raw, "usage-scan", &line); err != nil {
			return cli.BadInput(err)
		}
		total.Note(line.Scan)
		return nil
	}
	var e transcript.Event
	if err := schema.DecodeLine("-", row.Number, row.Raw, "usage-event", &e); err != nil {
		return cli.BadInput(err)
	}
	if e.At = transcript.Instant(e.TS); e.At == transcript.NoTime && e.TS != "" {
		return cli.BadInput(fmt.Errorf("-:%d: /ts: %q is no time (expected RFC 3339 or \"\")", row.Number, e.TS))
	}
	total.Add(&e)
	return nil
}
