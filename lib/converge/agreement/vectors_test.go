package agreement

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// columns reads one unit per group, one value per rater, "." for none.
func columns(t *testing.T, units string) *Table {
	t.Helper()
	var rows []Rating
	for u, group := range strings.Split(units, "|") {
		for r, v := range strings.Fields(group) {
			if v != "." {
				rows = append(rows, Rating{Unit: fmt.Sprintf("u%02d", u), Rater: fmt.Sprintf("r%d", r), Value: value(t, v)})
			}
		}
	}
	return table(t, rows)
}

// lines reads one rater per line, one value per unit.
func lines(t *testing.T, raters ...string) *Table {
	t.Helper()
	var rows []Rating
	for r, line := range raters {
		for u, v := range strings.Fields(line) {
			if v != "." {
				rows = append(rows, Rating{Unit: fmt.Sprintf("u%02d", u), Rater: fmt.Sprintf("r%d", r), Value: value(t, v)})
			}
		}
	}
	return table(t, rows)
}

func table(t *testing.T, rows []Rating) *Table {
	t.Helper()
	tab, err := NewTable(slices.Values(rows))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func value(t *testing.T, text string) Value {
	t.Helper()
	if text[0] >= 'a' && text[0] <= 'z' {
		return Word(text)
	}
	v, err := ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near compares to the printed digits. Published figures are now rounded, now
// cut off, so a hair more than half a unit of the last digit is allowed.
func near(t *testing.T, what string, got, want float64, digits int) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 0.505*math.Pow10(-digits) {
		t.Errorf("%s = %.*f, want %.*f", what, digits+2, got, digits, want)
	}
}

func TestKrippendorffVectors(t *testing.T) {
	k1 := columns(t, `1 1 . 1 | 2 2 3 2 | 3 3 3 3 | 3 3 3 3 | 2 2 2 2 | 1 2 3 4 | 4 4 4 4 | 1 1 2 1 | 2 2 2 2 | . 5 5 5 | . . 1 1 | . . 3 .`)
	k2 := lines(t,
		". . . . . 3 4 1 2 1 1 3 3 . 3",
		"1 . 2 1 3 3 4 3 . . . . . . .",
		". . 2 1 3 4 4 . 2 1 1 3 3 . 4")
	k3 := lines(t, "0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
	k4 := lines(t, "a a b b d c c c e d d a", "b a b b b c c c e d d d")
	for _, tt := range []struct {
		name   string
		table  *Table
		metric Metric
		exact  string
		value  float64
		digits int
	}{
		{"K1", k1, Nominal, "113/152", 0.743421, 6},
		{"K1", k1, Ordinal, "108577/133160", 0.815387, 6},
		{"K1", k1, Interval, "951/1120", 0.849107, 6},
		{"K1", k1, Ratio, "18222619/22852465", 0.797403, 6},
		{"K2", k2, Nominal, "56/81", 0.691358, 6},
		{"K2", k2, Interval, "643/793", 0.810845, 6},
		{"K2", k2, Ordinal, "112173/139048", 0.80672, 5},
		{"K2", k2, Ratio, "90503/111878", 0.80894, 5},
		{"K3", k3, Nominal, "2/21", 0.095238, 6},
		{"K4", k4, Nominal, "155/224", 0.691964, 6},
	} {
		t.Run(tt.name+" "+string(tt.metric), func(t *testing.T) {
			got := tt.table.Alpha(tt.metric)
			want, _ := new(big.Rat).SetString(tt.exact)
			if got.Reason != "" || got.Exact.Cmp(want) != 0 {
				t.Errorf("alpha = %s %s, want %s", got.Fraction(), got.Reason, want.RatString())
			}
			near(t, "alpha", got.Value, tt.value, tt.digits)
		})
	}
}

func TestKrippendorffCoincidences(t *testing.T) {
	k1 := columns(t, `1 1 . 1 | 2 2 3 2 | 3 3 3 3 | 3 3 3 3 | 2 2 2 2 | 1 2 3 4 | 4 4 4 4 | 1 1 2 1 | 2 2 2 2 | . 5 5 5 | . . 1 1 | . . 3 .`)
	if got, want := fmt.Sprint(k1.Pairable()), "[9 13 10 5 3]"; got != want {
		t.Errorf("n_c = %s, want %s", got, want)
	}
	for _, o := range []struct {
		c, k int
		want string
	}{
		{1, 1, "7"},
		{1, 2, "4/3"},
		{1, 3, "1/3"},
		{1, 4, "1/3"},
		{2, 2, "10"},
		{2, 3, "4/3"},
		{2, 4, "1/3"},
		{3, 3, "8"},
		{3, 4, "1/3"},
		{4, 4, "4"},
		{5, 5, "3"},
		{2, 1, "4/3"},
		{1, 5, "0"},
	} {
		if got := k1.Coincidence(o.c-1, o.k-1).RatString(); got != o.want {
			t.Errorf("o_%d%d = %s, want %s", o.c, o.k, got, o.want)
		}
	}
	k2 := lines(t, ". . . . . 3 4 1 2 1 1 3 3 . 3", "1 . 2 1 3 3 4 3 . . . . . . .", ". . 2 1 3 4 4 . 2 1 1 3 3 . 4")
	if got, want := fmt.Sprint(k2.Pairable()), "[7 4 10 5]"; got != want {
		t.Errorf("K2: n_c = %s, want %s", got, want)
	}
	k3 := lines(t, "0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
	if a, b, c := k3.Coincidence(0, 0).RatString(), k3.Coincidence(0, 1).RatString(), k3.Coincidence(1, 1).RatString(); a != "10" || b != "4" || c != "2" {
		t.Errorf("K3: o = %s %s %s, want 10 4 2", a, b, c)
	}
}

func TestFleissVector(t *testing.T) {
	counts := `0 0 0 0 14 | 0 2 6 4 2 | 0 0 3 5 6 | 0 3 9 2 0 | 2 2 8 1 1 | 7 7 0 0 0 | 3 2 6 3 0 | 2 5 3 2 2 | 6 5 2 1 0 | 0 2 2 3 7`
	got := fromCounts(t, counts).Fleiss()
	if got.Kappa.Fraction() != "4211/20059" {
		t.Errorf("kappa = %s, want 4211/20059", got.Kappa.Fraction())
	}
	near(t, "kappa", got.Kappa.Value, 0.2099307, 7)
	near(t, "se0", got.SE0.Value, 0.0169651, 7)
	if got.SE0.Exact != nil {
		t.Errorf("se0 is a root, yet exact is %s", got.SE0.Fraction())
	}
	for j, want := range []struct{ share, kappa float64 }{
		{.1429, .2013}, {.2000, .0797}, {.2786, .1716}, {.1500, .0304}, {.2286, .5077},
	} {
		near(t, fmt.Sprintf("p_%d", j+1), got.Categories[j].Share.Value, want.share, 4)
		near(t, fmt.Sprintf("kappa_%d", j+1), got.Categories[j].Kappa.Value, want.kappa, 4)
	}
}

// fromCounts makes ratings from how often each value was given to a unit.
func fromCounts(t *testing.T, units string) *Table {
	t.Helper()
	var rows []Rating
	for u, group := range strings.Split(units, "|") {
		rater := 0
		for j, text := range strings.Fields(group) {
			n := 0
			fmt.Sscan(text, &n)
			for range n {
				rows = append(rows, Rating{Unit: fmt.Sprintf("u%02d", u), Rater: fmt.Sprintf("r%02d", rater), Value: Int(int64(j + 1))})
				rater++
			}
		}
	}
	return table(t, rows)
}

func TestCohenVector(t *testing.T) {
	var rows []Rating
	unit := 0
	for _, cell := range []struct {
		a, b string
		n    int
	}{{"yes", "yes", 20}, {"yes", "no", 5}, {"no", "yes", 10}, {"no", "no", 15}} {
		for range cell.n {
			u := fmt.Sprintf("u%02d", unit)
			rows = append(rows, Rating{Unit: u, Rater: "a", Value: Word(cell.a)}, Rating{Unit: u, Rater: "b", Value: Word(cell.b)})
			unit++
		}
	}
	got := table(t, rows).Cohen()
	if len(got) != 1 || got[0].Kappa.Fraction() != "2/5" || got[0].Units != 50 || got[0].Kappa.Value != 0.4 {
		t.Errorf("cohen = %+v, want one pair with 2/5 over 50 units", got)
	}
}

func TestWilsonVectors(t *testing.T) {
	for _, tt := range []struct {
		k, n                    int
		low, high, ccLow, ccHig float64
	}{
		{81, 263, .255289, .366210, .253509, .368176},
		{15, 148, .062386, .160487, .059778, .164450},
		{0, 20, 0, .161125, 0, .200453},
		{1, 29, .006113, .171755, .001803, .196282},
	} {
		name := fmt.Sprintf("%d/%d", tt.k, tt.n)
		w, c := Wilson(tt.k, tt.n), WilsonCorrected(tt.k, tt.n)
		near(t, name+" low", w.Low, tt.low, 6)
		near(t, name+" high", w.High, tt.high, 6)
		near(t, name+" corrected low", c.Low, tt.ccLow, 6)
		near(t, name+" corrected high", c.High, tt.ccHig, 6)
	}
	for _, tt := range []struct {
		k, n      int
		low, high float64
	}{{2, 3, .2077, .9385}, {3, 3, .4385, 1}, {0, 3, 0, .5615}, {1, 3, .0615, .7923}, {5, 5, .5655, 1}} {
		w := Wilson(tt.k, tt.n)
		near(t, fmt.Sprintf("%d/%d low", tt.k, tt.n), w.Low, tt.low, 4)
		near(t, fmt.Sprintf("%d/%d high", tt.k, tt.n), w.High, tt.high, 4)
	}
}

func TestWilsonEndsAreExact(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for _, form := range []func(int, int) Bounds{Wilson, WilsonCorrected} {
			if low := form(0, n).Low; low != 0 || math.Signbit(low) {
				t.Fatalf("0/%d: low end %g, want exactly 0", n, low)
			}
			if high := form(n, n).High; high != 1 {
				t.Fatalf("%d/%d: high end %g, want exactly 1", n, n, high)
			}
			for k := 0; k <= n; k++ {
				b := form(k, n)
				if p := float64(k) / float64(n); !(0 <= b.Low && b.Low <= p && p <= b.High && b.High <= 1) {
					t.Fatalf("%d/%d: interval %+v does not hold %g", k, n, b, p)
				}
			}
		}
	}
	if Wilson(0, 0).Reason != NoVotes || WilsonCorrected(0, 0).Reason != NoVotes {
		t.Error("no votes at all must have a reason, not an interval")
	}
}
