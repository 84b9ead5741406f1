package price

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// flatAbove is the prompt from which the predecessors of a model with a "flat?"
// tier cost more.
const flatAbove = 200_000

var confidences = []string{"seed", "listed", "second", "guess"}

func newRow(heading, cells []string) (*Row, error) {
	r := &Row{cells: make(map[string]string)}
	for i, h := range heading {
		r.cells[h] = strings.TrimSpace(cells[i])
	}
	r.Model = strings.ToLower(r.cells["model"])
	r.Source, r.Date, r.Confidence = r.cells["source"], r.cells["date"], r.cells["confidence"]
	switch {
	case r.Model == "" || r.Model == "-":
		return nil, fmt.Errorf("no model")
	case !slices.Contains(confidences, r.Confidence):
		return nil, fmt.Errorf("confidence %q (expected %s)", r.Confidence, strings.Join(confidences, ", "))
	}
	switch r.cells["match"] {
	case "=":
	case "*":
		r.Prefix = true
	default:
		return nil, fmt.Errorf("match %q (expected = or *)", r.cells["match"])
	}
	if a := r.cells["aliases"]; a != "-" {
		for alias := range strings.SplitSeq(a, "|") {
			r.Aliases = append(r.Aliases, strings.ToLower(strings.TrimSpace(alias)))
		}
	}
	return r, r.readRates()
}

func (r *Row) readRates() error {
	var err error
	rate := func(column string) Rate {
		v, e := r.rate(column)
		if err == nil {
			err = e
		}
		return v
	}
	base := Rates{Input: rate("input"), Cached: rate("cached"), Output: rate("output")}
	if base.Input != nil {
		base.Write5m, base.Write1h = r.write("write5m", base.Input, &err), r.write("write1h", base.Input, &err)
	}
	r.Fast = rate("fast")
	if err != nil {
		return err
	}
	if (base.Input == nil) != (base.Output == nil) || (base.Input == nil) != (base.Cached == nil) {
		return fmt.Errorf("input, cached and output: all or none")
	}
	if base.Input == nil {
		return nil
	}
	if base.Input.Sign() == 0 {
		return fmt.Errorf("input 0 (expected a price or -)")
	}
	r.Base = &base
	return r.readTier()
}

func (r *Row) readTier() error {
	from := r.cells["tier_from"]
	switch {
	case from == "-":
		return nil
	case from == "flat?":
		r.FlatAbove = flatAbove
		r.Uncertain = append(r.Uncertain, "tier")
		return nil
	}
	digits, atLeast := strings.CutPrefix(from, ">=")
	if !atLeast {
		digits, _ = strings.CutPrefix(from, ">")
	}
	limit, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || limit < 1 || digits == from {
		return fmt.Errorf("tier_from %q (expected >N, >=N, flat? or -)", from)
	}
	t := &Tier{Limit: limit, Reached: atLeast}
	for column, into := range map[string]*Rate{"tier_input": &t.Input, "tier_cached": &t.Cached, "tier_output": &t.Output} {
		if *into, err = r.rate(column); err != nil {
			return err
		}
		if *into == nil {
			return fmt.Errorf("%s: missing beside tier_from", column)
		}
	}
	slices.Sort(r.Uncertain)
	t.Write5m, t.Write1h = r.write("write5m", t.Input, &err), r.write("write1h", t.Input, &err)
	r.Uncertain = slices.Compact(r.Uncertain)
	r.Tier = t
	return err
}

// rate reads a column of decimals; "-" is nil. A question mark behind the number
// makes the column uncertain.
func (r *Row) rate(column string) (Rate, error) {
	cell := r.cells[column]
	if cell == "-" {
		return nil, nil
	}
	digits, uncertain := strings.CutSuffix(cell, "?")
	v, err := decimal(digits)
	if err != nil {
		return nil, fmt.Errorf("%s %q (expected a decimal number, with ? behind it if uncertain, or -)", column, cell)
	}
	if uncertain {
		r.Uncertain = append(r.Uncertain, column)
	}
	return v, nil
}

// write reads a write column: "in" for the input rate or "1.25x" for a multiple
// of it.
func (r *Row) write(column string, input Rate, err *error) Rate {
	cell := r.cells[column]
	text, uncertain := strings.CutSuffix(cell, "?")
	if uncertain && !slices.Contains(r.Uncertain, column) {
		r.Uncertain = append(r.Uncertain, column)
	}
	if text == "in" {
		return input
	}
	factor, multiple := strings.CutSuffix(text, "x")
	v, e := decimal(factor)
	if e != nil || !multiple {
		*err = fmt.Errorf("%s %q (expected in or a multiple such as 1.25x)", column, cell)
		return nil
	}
	return new(big.Rat).Mul(v, input)
}

// decimal reads a plain non-negative decimal of sane length.
func decimal(s string) (*big.Rat, error) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if len(s) > 20 || whole == "" || dotted && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return nil, fmt.Errorf("%q is no decimal number", s)
	}
	v, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%q is no decimal number", s)
	}
	return v, nil
}

// IsUncertain reports whether a column's value is uncertain.
func (r *Row) IsUncertain(column string) bool { return slices.Contains(r.Uncertain, column) }
