package agreement

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// closeTable has two raters and many distinct values that differ behind so
// many zeros.
func closeTable(t *testing.T, values, zeros int) *Table {
	t.Helper()
	var rows []Rating
	for i := range values {
		for j, rater := range []string{"a", "b"} {
			rows = append(rows, Rating{Unit: fmt.Sprint("u", i), Rater: rater, Value: value(t, fmt.Sprintf("1.%s%d", strings.Repeat("0", zeros), 1000+(i+j)%values))})
		}
	}
	return table(t, rows)
}

// TestValuesThatDifferInTheirLastDigits keep their ratio distance, however far
// behind the point they differ: the rounded sum agrees with the exact one.
func TestValuesThatDifferInTheirLastDigits(t *testing.T) {
	for _, zeros := range []int{0, 20, 60, 90, 200, 800} {
		tab := closeTable(t, 6, zeros)
		co := tab.coincidence()
		exact, rounded := co.alpha(co.ratio()), co.roundedRatio()
		if rounded.Value != exact.Value || rounded.Reason != "" {
			t.Errorf("%d zeros: %v, exactly %v", zeros, rounded, exact.Value)
		}
	}
}

// pairs is the expected sum as its definition says, pair by pair.
func (r ratioSum) pairs() *big.Float {
	sum := r.float()
	for c := range r.n {
		for k := range c {
			a, b := r.number(int32(c)), r.number(int32(k))
			d := r.float().Sub(a, b)
			d = r.square(d.Quo(d, a.Add(a, b)))
			sum.Add(sum, d.Mul(d, r.whole(2*r.n[c]*r.n[k])))
		}
	}
	return sum
}

// TestTheRatioSumOverBandsEqualsTheSumOverPairs, to far more digits than a
// double has, for values of one band, of many, with zero among them, and far
// apart.
func TestTheRatioSumOverBandsEqualsTheSumOverPairs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value func(i int) string
	}{
		{"one band", func(i int) string { return fmt.Sprintf("1.%04d", i) }},
		{"a tight cluster", func(i int) string { return fmt.Sprintf("7.000000000%04d", i) }},
		{"whole numbers from zero", func(i int) string { return fmt.Sprint(i) }},
		{"many bands", func(i int) string { return fmt.Sprintf("%de%d", i+1, i%40-20) }},
		{"two clusters far apart", func(i int) string { return fmt.Sprintf("%de%d", 10000+i, i%2*290) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const values = 300
			var rows []Rating
			for i := range values {
				for j, rater := range []string{"a", "b"} {
					rows = append(rows, Rating{Unit: fmt.Sprint("u", i), Rater: rater, Value: value(t, tt.value((i+7*j)%values))})
				}
			}
			co := table(t, rows).coincidence()
			r := ratioSum{coincidence: co, prec: ratioBits + 2*co.lostBits() + 64}
			bands, pairs := r.expected(), r.pairs()
			off, _ := bands.Quo(bands.Sub(bands, pairs), pairs).Float64()
			if math.Abs(off) > 0x1p-120 {
				t.Errorf("off by %g of it", off)
			}
		})
	}
}

func BenchmarkAlphaOfManyValues(b *testing.B) {
	for _, values := range []int{1000, 10000} {
		b.Run(fmt.Sprint(values), func(b *testing.B) {
			var rows []Rating
			for i := range values {
				rows = append(rows, Rating{Unit: fmt.Sprint("u", i), Rater: "a", Value: Int(int64(i + 1))}, Rating{Unit: fmt.Sprint("u", i), Rater: "b", Value: Int(int64((i+7)%values + 1))})
			}
			tab, err := NewTable(slices.Values(rows))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if f := tab.Alpha(Ratio); f.Reason != "" {
					b.Fatal(f.Reason)
				}
			}
		})
	}
}
