package agreement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFiguresThatCannotBeEstimated(t *testing.T) {
	words := columns(t, "yes no | no no | yes yes")
	negative := columns(t, "-1 1 | 1 1 | 2 -1")
	one := columns(t, "1 1 1 | 1 1 1")
	alone := columns(t, "1 | 2 | 3")
	unequal := columns(t, "1 1 . | 1 2 1")
	apart := lines(t, "1 2 . .", ". . 1 2")
	twice := table(t, []Rating{
		{Unit: "u", Rater: "a", Value: Int(1)},
		{Unit: "u", Rater: "a", Replicate: "2", Value: Int(2)},
		{Unit: "u", Rater: "b", Value: Int(1)},
	})
	empty := table(t, nil)
	for _, tt := range []struct {
		name string
		got  Figure
		want Reason
	}{
		{"ordinal of words", words.Alpha(Ordinal), NotNumeric},
		{"interval of words", words.Alpha(Interval), NotNumeric},
		{"ratio of words", words.Alpha(Ratio), NotNumeric},
		{"ratio below zero", negative.Alpha(Ratio), Negative},
		{"alpha of one category", one.Alpha(Nominal), OneCategory},
		{"interval alpha of one category", one.Alpha(Interval), OneCategory},
		{"fleiss of one category", one.Fleiss().Kappa, OneCategory},
		{"fleiss error of one category", one.Fleiss().SE0, OneCategory},
		{"cohen of one category", one.Cohen()[0].Kappa, OneCategory},
		{"alpha of single ratings", alone.Alpha(Nominal), NoPairableValues},
		{"fleiss of single ratings", alone.Fleiss().Kappa, OneVote},
		{"fleiss of unequal votes", unequal.Fleiss().Kappa, UnequalVotes},
		{"cohen without common units", apart.Cohen()[0].Kappa, NoCommonUnits},
		{"alpha of replicates", twice.Alpha(Nominal), Replicates},
		{"fleiss of replicates", twice.Fleiss().Kappa, Replicates},
		{"cohen of replicates", twice.Cohen()[0].Kappa, Replicates},
		{"alpha of nothing", empty.Alpha(Nominal), NoPairableValues},
		{"fleiss of nothing", empty.Fleiss().Kappa, NoVotes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got.Reason != tt.want {
				t.Errorf("reason %q (value %g), want %q", tt.got.Reason, tt.got.Value, tt.want)
			}
			raw, err := json.Marshal(tt.got)
			if want := fmt.Sprintf(`{"value":null,"reason":%q}`, tt.want); err != nil || string(raw) != want {
				t.Errorf("JSON %s (%v), want %s", raw, err, want)
			}
		})
	}
	if got := negative.Alpha(Interval); got.Reason != "" {
		t.Errorf("interval distance below zero: %q, want a value", got.Reason)
	}
}

func TestTableRefusesRepeatedAndMixedRows(t *testing.T) {
	_, err := NewTable(slices.Values([]Rating{
		{Unit: "u", Rater: "a", Value: Int(1)},
		{Unit: "u", Rater: "a", Value: Int(2)},
		{Unit: "v", Rater: "a", Replicate: "x", Value: Int(2)},
		{Unit: "v", Rater: "a", Replicate: "x", Value: Int(2)},
	}))
	if err == nil || strings.Count(err.Error(), "rated twice") != 2 {
		t.Errorf("repeated rows: %v, want both named", err)
	}
	_, err = NewTable(slices.Values([]Rating{{Unit: "u", Rater: "a", Value: Word("")}, {Unit: "u", Rater: "b", Value: Int(1)}, {Unit: "u", Rater: "c", Value: Int(2)}}))
	if err == nil || strings.Count(err.Error(), "expected all numbers or all strings") != 2 {
		t.Errorf("mixed rows: %v", err)
	}
}

// TestEveryBadRowIsNamedWithItsPlace: a row of the wrong kind does not hide the
// repeated ones.
func TestEveryBadRowIsNamedWithItsPlace(t *testing.T) {
	_, err := NewTable(slices.Values([]Rating{
		{Unit: "u", Rater: "a", Value: Int(1)},
		{Unit: "u", Rater: "b", Value: Word("x")},
		{Unit: "u", Rater: "a", Value: Int(1)},
		{Unit: "u", Rater: "b", Value: Word("x")},
	}))
	type place struct{ row, first int }
	var got []place
	bad, _ := errors.AsType[BadRows](err)
	for _, r := range bad {
		got = append(got, place{r.Row, r.First})
	}
	if want := []place{{1, none}, {2, 0}, {3, none}, {3, 1}}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func TestParseValue(t *testing.T) {
	for _, tt := range []struct{ raw, text, fault string }{
		{`"yes"`, "yes", ""},
		{`1`, "1", ""},
		{`1.0`, "1", ""},
		{`1.50e0`, "1.5", ""},
		{`-0`, "0", ""},
		{`1e3`, "1000", ""},
		{`null`, "", "expected a string or a number"},
		{`[1]`, "", "expected a string or a number"},
		{`true`, "", "expected a string or a number"},
		{`1e400`, "", "too many digits"},
		{`1e99999999999999999999`, "", "too many digits"},
	} {
		v, err := ParseValue([]byte(tt.raw))
		switch {
		case tt.fault == "" && (err != nil || v.String() != tt.text):
			t.Errorf("ParseValue(%s) = %q, %v, want %q", tt.raw, v, err, tt.text)
		case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
			t.Errorf("ParseValue(%s) = %q, %v, want an error with %q", tt.raw, v, err, tt.fault)
		}
	}
}

// A ratio distance over many values is summed with a wide mantissa; on a table
// small enough for both it must give the double nearest to the exact fraction.
func TestRoundedRatioEqualsExactRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 9)
		tab, err := NewTable(slices.Values(rows))
		if err != nil {
			t.Fatal(err)
		}
		want := tab.Alpha(Ratio)
		if want.Reason != "" {
			t.Skip(want.Reason)
		}
		if got := tab.coincidence().roundedRatio(); got.Value != want.Value {
			t.Errorf("rounded %v, exact %v (%s)", got.Value, want.Value, want.Fraction())
		}
	})
}

func drawRows(t *rapid.T, values int) []Rating {
	var rows []Rating
	units := rapid.IntRange(1, 12).Draw(t, "units")
	raters := rapid.IntRange(2, 5).Draw(t, "raters")
	for u := range units {
		for r := range raters {
			if v := rapid.IntRange(-1, values).Draw(t, "value"); v >= 0 {
				rows = append(rows, Rating{Unit: fmt.Sprint("u", u), Rater: fmt.Sprint("r", r), Value: Int(int64(v))})
			}
		}
	}
	return rows
}

func TestLawRowOrderNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, 4)
		shuffled := rapid.Permutation(rows).Draw(t, "order")
		if a, b := everything(t, rows), everything(t, shuffled); a != b {
			t.Errorf("rows in order give\n%s\nshuffled\n%s", a, b)
		}
	})
}

func everything(t *rapid.T, rows []Rating) string {
	tab, err := NewTable(slices.Values(rows))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(fmt.Sprint(tab.Fleiss(), tab.Cohen(), tab.dawidSkene(50)))
	for _, m := range []Metric{Nominal, Ordinal, Interval, Ratio} {
		raw, err := json.Marshal(tab.Alpha(m))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(string(raw))
	}
	return out.String()
}

// The slow definition, straight from the formula over ordered pairs of values.
func TestAlphaEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab, err := NewTable(slices.Values(drawRows(t, 4)))
		if err != nil {
			t.Fatal(err)
		}
		n := tab.Pairable()
		var total, below int64
		rank := make([]*big.Rat, len(n))
		for c := range n {
			rank[c] = big.NewRat(2*below+n[c], 2)
			below += n[c]
			total += n[c]
		}
		distances := map[Metric]func(c, k int) *big.Rat{
			Nominal: func(int, int) *big.Rat { return big.NewRat(1, 1) },
			Ordinal: func(c, k int) *big.Rat { d := new(big.Rat).Sub(rank[c], rank[k]); return d.Mul(d, d) },
			Interval: func(c, k int) *big.Rat {
				d := new(big.Rat).Sub(tab.values[c].number, tab.values[k].number)
				return d.Mul(d, d)
			},
		}
		for metric, distance := range distances {
			observed, expected := new(big.Rat), new(big.Rat)
			for c := range n {
				for k := range n {
					if c != k {
						observed.Add(observed, new(big.Rat).Mul(tab.Coincidence(c, k), distance(c, k)))
						expected.Add(expected, new(big.Rat).Mul(big.NewRat(n[c]*n[k], 1), distance(c, k)))
					}
				}
			}
			got := tab.Alpha(metric)
			if expected.Sign() == 0 {
				if got.Reason == "" {
					t.Errorf("%s: %s without expected disagreement", metric, got.Fraction())
				}
				continue
			}
			want := oneMinus(observed.Mul(observed, big.NewRat(total-1, 1)), expected)
			if got.Exact == nil || got.Exact.Cmp(want) != 0 {
				t.Errorf("%s: %s, want %s", metric, got.Fraction(), want.RatString())
			}
		}
	})
}

func TestLawPerfectAgreementIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []Rating
		for u := range rapid.IntRange(2, 20).Draw(t, "units") {
			v := Int(int64(u%2 + 1))
			for r := range 3 {
				rows = append(rows, Rating{Unit: fmt.Sprint("u", u), Rater: fmt.Sprint("r", r), Value: v})
			}
		}
		tab, err := NewTable(slices.Values(rows))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Metric{Nominal, Ordinal, Interval, Ratio} {
			if got := tab.Alpha(m); got.Fraction() != "1" {
				t.Errorf("%s alpha = %s%s, want 1", m, got.Fraction(), got.Reason)
			}
		}
		if got := tab.Fleiss().Kappa; got.Fraction() != "1" {
			t.Errorf("fleiss = %s, want 1", got.Fraction())
		}
	})
}

func TestNoFigureIsEverNaN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab, err := NewTable(slices.Values(drawRows(t, 2)))
		if err != nil {
			t.Fatal(err)
		}
		figures := []Figure{tab.Alpha(Nominal), tab.Alpha(Ordinal), tab.Alpha(Interval), tab.Alpha(Ratio), tab.Fleiss().Kappa, tab.Fleiss().SE0}
		for _, p := range tab.Cohen() {
			figures = append(figures, p.Kappa)
		}
		for _, f := range figures {
			if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) || (f.Reason != "" && (f.Value != 0 || f.Exact != nil)) {
				t.Errorf("figure %+v", f)
			}
		}
	})
}
