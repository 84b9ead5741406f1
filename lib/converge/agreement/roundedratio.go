package agreement

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
)

// ratioBits is the mantissa of the sums that are not kept as fractions. It
// leaves some 190 bits of room below a double, so the printed value is the
// double nearest to the exact one.
const ratioBits = 256

// roundedRatio is alpha with the ratio distance for many distinct values. The
// order of the sums is fixed, so the rounding is too.
func (co coincidence) roundedRatio() Figure {
	x := make([]*big.Float, len(co.values))
	for i, v := range co.values {
		x[i] = wide().SetRat(v.number)
	}
	distance := func(c, k int32) *big.Float {
		d := wide().Quo(wide().Sub(x[c], x[k]), wide().Add(x[c], x[k]))
		return d.Mul(d, d)
	}
	observed := wide()
	for _, m := range slices.Sorted(maps.Keys(co.per)) {
		part := wide()
		pairs := co.per[m]
		keys := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int32) int {
			return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		})
		for _, ck := range keys {
			part.Add(part, wide().Mul(distance(ck[0], ck[1]), wide().SetInt64(pairs[ck])))
		}
		observed.Add(observed, part.Quo(part, wide().SetInt64(m-1)))
	}
	expected := wide()
	for c := range co.n {
		for k := range c {
			weight := wide().Mul(wide().SetInt64(2*co.n[c]), wide().SetInt64(co.n[k]))
			expected.Add(expected, weight.Mul(weight, distance(int32(c), int32(k))))
		}
	}
	q := wide().Quo(observed.Mul(observed, wide().SetInt64(co.total-1)), expected)
	v, _ := q.Sub(wide().SetInt64(1), q).Float64()
	if math.Abs(v) < 1e-60 {
		v = 0 // one minus one leaves only the rounding of the last bits
	}
	return Figure{Value: v}
}

func wide() *big.Float { return new(big.Float).SetPrec(ratioBits) }
