// Package price turns a model's name and its tokens into money: the public list
// price, however the account is billed. The prices are data (prices.tsv), each
// with its source, date and confidence; a model that has no row stays unpriced
// rather than being billed at its neighbour's rate. Rules: docs/prices.md.
package price

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
)

//go:embed prices.tsv
var embedded []byte

// Rate is USD per million tokens, exact. A nil rate is unknown.
type Rate = *big.Rat

// Rates are the five buckets' rates.
type Rates struct {
	Input, Cached, Write5m, Write1h, Output Rate
}

// Tier holds the rates of requests with a long prompt. All buckets of such a
// request take them.
type Tier struct {
	Limit   int64 // a prompt of more tokens is in the tier
	Reached bool  // and one of just as many
	Rates
}

// Row is the price of one model.
type Row struct {
	Model      string
	Aliases    []string
	Prefix     bool // the row also prices names that continue the model's
	Base       *Rates
	Tier       *Tier
	FlatAbove  int64 // prompts beyond this are assumed to cost no more; 0 when that is known or does not arise
	Fast       Rate  // multiplier of fast mode, nil when there is none
	Source     string
	Date       string
	Confidence string // seed, listed, second or guess
	Uncertain  []string

	cells map[string]string
}

// Cell is a column of the row as the table writes it, question mark included.
func (r *Row) Cell(column string) string { return r.cells[column] }

// Table finds rows by name.
type Table struct {
	Rows  []*Row
	names map[string]*Row // ids
	alias map[string]*Row
}

// Default is the embedded table.
func Default() *Table { return loadDefault() }

var loadDefault = sync.OnceValue(func() *Table {
	t, err := Parse(embedded, "prices.tsv")
	if err != nil {
		panic("price: the embedded table is broken: " + err.Error())
	}
	return t
})

var columns = []string{
	"model", "aliases", "match", "input", "cached", "output", "write5m", "write1h",
	"tier_from", "tier_input", "tier_cached", "tier_output", "fast", "source", "date", "confidence",
}

// Parse reads a price table: tab-separated lines under a heading that names the
// columns in any order; empty lines and lines that begin with # are left out.
// The error names every line that is wrong.
func Parse(text []byte, name string) (*Table, error) {
	t := &Table{names: make(map[string]*Row), alias: make(map[string]*Row)}
	var faults []string
	fault := func(line int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s", name, line, fmt.Sprintf(format, args...)))
	}
	var heading []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if heading == nil {
			heading = cells
			if missing := missingColumns(heading); missing != "" {
				return nil, fmt.Errorf("%s:%d: no column %s", name, n, missing)
			}
			continue
		}
		if len(cells) != len(heading) {
			fault(n, "%d columns (expected %d)", len(cells), len(heading))
			continue
		}
		row, err := newRow(heading, cells)
		if err == nil {
			err = t.add(row)
		}
		if err != nil {
			fault(n, "%v", err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if heading == nil {
		return nil, fmt.Errorf("%s:1: no heading (expected the columns %s)", name, strings.Join(columns, " "))
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return t, nil
}

func missingColumns(heading []string) string {
	var missing []string
	for _, c := range columns {
		if !slices.Contains(heading, c) {
			missing = append(missing, c)
		}
	}
	return strings.Join(missing, ", ")
}

func (t *Table) add(row *Row) error {
	if t.names[row.Model] != nil {
		return fmt.Errorf("model %q: second row", row.Model)
	}
	if found := clean(row.Model); found != row.Model {
		return fmt.Errorf("model %q: no name finds it, for names are looked up as %q", row.Model, found)
	}
	t.names[row.Model] = row
	for _, a := range row.Aliases {
		if found := clean(a); found != a {
			return fmt.Errorf("alias %q: no name finds it, for names are looked up as %q", a, found)
		}
		if t.alias[a] != nil {
			return fmt.Errorf("alias %q: already of model %q", a, t.alias[a].Model)
		}
		t.alias[a] = row
	}
	t.Rows = append(t.Rows, row)
	return nil
}

// Listed is a price from elsewhere, as a provider file states it: USD per
// million tokens of input, cached input and output.
type Listed struct {
	Model                 string
	Aliases               []string
	Input, Cached, Output string // decimal
	Source                string
}

// With returns the table with further rows. A model that the table already has,
// under its own name or another, keeps its row.
func (t *Table) With(more []Listed) (*Table, error) {
	out := &Table{names: make(map[string]*Row), alias: make(map[string]*Row)}
	for _, row := range t.Rows {
		if err := out.add(row); err != nil {
			return nil, err
		}
	}
	for _, m := range more {
		id := clean(m.Model)
		if id == "" || out.names[id] != nil || out.alias[id] != nil {
			continue
		}
		var aliases []string
		for _, a := range m.Aliases {
			if a = clean(a); a != "" && out.alias[a] == nil && a != id && !slices.Contains(aliases, a) {
				aliases = append(aliases, a)
			}
		}
		cells := []string{
			id, orDash(strings.Join(aliases, "|")), "=", m.Input, m.Cached, m.Output, "in?", "in?",
			"-", "-", "-", "-", "-", m.Source, "-", "listed",
		}
		row, err := newRow(columns, cells)
		if err != nil {
			return nil, fmt.Errorf("model %q: %w", m.Model, err)
		}
		if err := out.add(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
