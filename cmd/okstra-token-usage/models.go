package main

import (
	"context"
	"fmt"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/price"
	"okstra/lib/safetext"
)

// priceColumns are the columns of a price in a listing.
var priceColumns = []string{"input", "cached", "output", "write5m", "write1h", "fast"}

// tierColumns are those of the price of long prompts.
var tierColumns = []string{"tier_from", "tier_input", "tier_cached", "tier_output"}

func modelsFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "text", "text", "json")
	prices := declarePrices(f)
	names := f.Args("name")
	return func(_ context.Context, std cli.IO) error {
		t, err := prices.table(std)
		if err != nil {
			return err
		}
		if len(*names) == 0 {
			return listModels(std, t, *format)
		}
		return explainModels(std, t, *format, *names)
	}
}

// modelRow is a row of the table as JSON.
type modelRow struct {
	Model      string            `json:"model"`
	Aliases    []string          `json:"aliases"`
	Prefix     bool              `json:"prefix"`
	Prices     map[string]string `json:"prices"`
	Tier       map[string]string `json:"tier"` // null when there is none
	Uncertain  []string          `json:"uncertain"`
	Source     string            `json:"source"`
	Date       string            `json:"date"`
	Confidence string            `json:"confidence"`
}

func newModelRow(r *price.Row) modelRow {
	row := modelRow{
		Model: r.Model, Aliases: append([]string{}, r.Aliases...), Prefix: r.Prefix, Prices: map[string]string{},
		Uncertain: append([]string{}, r.Uncertain...), Source: r.Source, Date: r.Date, Confidence: r.Confidence,
	}
	for _, column := range priceColumns {
		row.Prices[column] = strings.TrimSuffix(r.Cell(column), "?")
	}
	if r.Tier == nil {
		return row
	}
	row.Tier = map[string]string{}
	for _, column := range tierColumns {
		row.Tier[strings.TrimPrefix(column, "tier_")] = strings.TrimSuffix(r.Cell(column), "?")
	}
	return row
}

func listModels(std cli.IO, t *price.Table, format string) error {
	if format == "json" {
		rows := []modelRow{}
		for _, r := range t.Rows {
			rows = append(rows, newModelRow(r))
		}
		return std.Document(struct {
			Models []modelRow `json:"models"`
		}{rows})
	}
	for _, r := range t.Rows {
		if err := printRow(std, r); err != nil {
			return err
		}
	}
	return nil
}

func printRow(std cli.IO, r *price.Row) error {
	line := fmt.Sprintf("%-22s in %-6s cached %-7s out %-7s writes %-9s %-7s %s %s%s", r.Model, r.Cell("input"), r.Cell("cached"), r.Cell("output"),
		r.Cell("write5m")+"/"+r.Cell("write1h"), r.Confidence, r.Date, r.Source, extras(r))
	return std.Printf("%s\n", safetext.Line(line))
}

// extras are what most rows have not: other rates for long prompts, a factor
// for fast mode.
func extras(r *price.Row) string {
	var list []string
	switch {
	case r.Tier != nil:
		list = append(list, fmt.Sprintf("prompts %s: in %s cached %s out %s", r.Cell("tier_from"), r.Cell("tier_input"), r.Cell("tier_cached"), r.Cell("tier_output")))
	case r.FlatAbove > 0:
		list = append(list, fmt.Sprintf("long prompts at the same rates?, from %d", r.FlatAbove))
	}
	if r.Fast != nil {
		list = append(list, "fast "+r.Cell("fast")+"x")
	}
	if list == nil {
		return ""
	}
	return " [" + strings.Join(list, "; ") + "]"
}

// found tells how a name finds its price.
type found struct {
	Name   string    `json:"name"`
	Rule   string    `json:"rule"`
	Priced bool      `json:"priced"`
	Row    *modelRow `json:"row"`
}

func explainModels(std cli.IO, t *price.Table, format string, names []string) error {
	out := []found{}
	for _, name := range names {
		m := t.Lookup(name)
		one := found{Name: name, Rule: m.Rule, Priced: m.Priced()}
		if m.Row != nil {
			row := newModelRow(m.Row)
			one.Row = &row
		}
		out = append(out, one)
	}
	if format == "json" {
		return std.Document(struct {
			Models []found `json:"models"`
		}{out})
	}
	for i, name := range names {
		m := t.Lookup(name)
		switch {
		case m.Row == nil:
			if err := std.Printf("%s: no row fits %q: unpriced\n", safetext.Line(name), m.Name); err != nil {
				return err
			}
		case !out[i].Priced:
			if err := std.Printf("%s: %s match with %s, which has no public rate: unpriced\n", safetext.Line(name), m.Rule, m.Row.Model); err != nil {
				return err
			}
		default:
			if err := std.Printf("%s: %s match: ", safetext.Line(name), m.Rule); err != nil {
				return err
			}
			if err := printRow(std, m.Row); err != nil {
				return err
			}
		}
	}
	return nil
}
