package agreement

import (
	"math/big"
	"slices"
)

// Metric is a distance between values, as Krippendorff's alpha takes it.
type Metric string

// The four levels of measurement.
const (
	Nominal  Metric = "nominal"
	Ordinal  Metric = "ordinal"
	Interval Metric = "interval"
	Ratio    Metric = "ratio"
)

// coincidence is the coincidence table of the pairable values: for ordered
// pairs of different values per[m][c][k] how many stand in units with m
// values, of which each counts 1/(m−1); n[c] how often a value is pairable.
// Keeping the counts apart by m keeps them whole numbers.
type coincidence struct {
	values []Value
	per    map[int64]map[[2]int32]int64
	n      []int64
	total  int64
}

// Coincidence is the coincidence o_ck of two values of the table: the ordered
// pairs of them within units, each weighted with 1/(m−1) of its unit.
func (t *Table) Coincidence(c, k int) *big.Rat {
	co := t.coincidence()
	sum := new(big.Rat)
	if c != k {
		for m, pairs := range co.per {
			sum.Add(sum, big.NewRat(pairs[[2]int32{int32(c), int32(k)}], m-1))
		}
		return sum
	}
	// A row of the table sums to n_c, so the diagonal is what the rest leaves.
	sum.SetInt64(co.n[c])
	for other := range co.values {
		if other != c {
			sum.Sub(sum, t.Coincidence(c, other))
		}
	}
	return sum
}

// Pairable is how often each value stands in a unit with two values or more.
func (t *Table) Pairable() []int64 { return t.coincidence().n }

func (t *Table) coincidence() coincidence {
	co := coincidence{
		values: t.values,
		per:    make(map[int64]map[[2]int32]int64),
		n:      make([]int64, len(t.values)),
	}
	counts := make([]int64, len(t.values))
	var present []int32
	for u, row := range t.cells {
		m := int64(len(row))
		if m < 2 {
			continue
		}
		t.counts(u, counts)
		present = present[:0]
		for _, c := range row {
			if counts[c.value] > 0 && !contains(present, c.value) {
				present = append(present, c.value)
			}
		}
		pairs := co.per[m]
		if pairs == nil {
			pairs = make(map[[2]int32]int64)
			co.per[m] = pairs
		}
		for _, c := range present {
			co.n[c] += counts[c]
			co.total += counts[c]
			for _, k := range present {
				if c != k {
					pairs[[2]int32{c, k}] += counts[c] * counts[k]
				}
			}
		}
	}
	return co
}

func contains(list []int32, v int32) bool {
	return slices.Contains(list, v)
}

// Alpha is Krippendorff's alpha with missing values allowed: one minus
// observed over expected disagreement,
//
//	α = 1 − (n−1) Σ o_ck δ²(c,k) / Σ n_c n_k δ²(c,k)
//
// over all ordered pairs of different values. It is not estimable where no
// two values meet in a unit, where only one value occurs (there is no chance
// disagreement, and agreement on it proves nothing), and where the distance
// is not defined for the values.
func (t *Table) Alpha(metric Metric) Figure {
	if t.replicates {
		return missing(Replicates)
	}
	if why := t.refuses(metric); why != "" {
		return missing(why)
	}
	co := t.coincidence()
	if co.total < 2 {
		return missing(NoPairableValues)
	}
	if co.categories() < 2 {
		return missing(OneCategory)
	}
	switch metric {
	case Nominal:
		return co.alpha(co.nominal())
	case Ordinal:
		return co.alpha(co.squares(co.midranks()))
	case Interval:
		return co.alpha(co.squares(co.numbers()))
	default:
		return co.ratioAlpha()
	}
}

func (t *Table) refuses(metric Metric) Reason {
	if metric == Nominal {
		return ""
	}
	for _, v := range t.values {
		if !v.IsNumber() {
			return NotNumeric
		}
		if metric == Ratio && v.number.Sign() < 0 {
			return Negative
		}
	}
	return ""
}

func (co coincidence) categories() int {
	n := 0
	for _, c := range co.n {
		if c > 0 {
			n++
		}
	}
	return n
}

// alpha puts observed and expected sums together.
func (co coincidence) alpha(observed, expected *big.Rat) Figure {
	q := new(big.Rat).Quo(observed, expected)
	q.Mul(q, new(big.Rat).SetInt64(co.total-1))
	return exact(q.Sub(big.NewRat(1, 1), q))
}

// observed is Σ o_ck δ²(c,k); pairs of equal values have no distance.
func (co coincidence) observed(distance func(c, k int32) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for m, pairs := range co.per {
		part := new(big.Rat)
		for ck, count := range pairs {
			d := distance(ck[0], ck[1])
			part.Add(part, new(big.Rat).Mul(d, new(big.Rat).SetInt64(count)))
		}
		sum.Add(sum, part.Quo(part, new(big.Rat).SetInt64(m-1)))
	}
	return sum
}

// nominal: different is different, so the expected sum is n² − Σ n_c².
func (co coincidence) nominal() (observed, expected *big.Rat) {
	one := big.NewRat(1, 1)
	n := new(big.Int).SetInt64(co.total)
	n.Mul(n, n)
	for _, c := range co.n {
		square := big.NewInt(c)
		n.Sub(n, square.Mul(square, square))
	}
	return co.observed(func(int32, int32) *big.Rat { return one }), new(big.Rat).SetInt(n)
}

// squares takes (x_c − x_k)² as distance. The expected sum over all pairs is
// then 2 (n Σ n_c x_c² − (Σ n_c x_c)²), without a loop over pairs.
func (co coincidence) squares(x []*big.Rat) (observed, expected *big.Rat) {
	sum, sumSquares := new(big.Rat), new(big.Rat)
	for c, n := range co.n {
		term := new(big.Rat).Mul(x[c], new(big.Rat).SetInt64(n))
		sum.Add(sum, term)
		sumSquares.Add(sumSquares, new(big.Rat).Mul(term, x[c]))
	}
	expected = sumSquares.Mul(sumSquares, new(big.Rat).SetInt64(co.total))
	expected.Sub(expected, sum.Mul(sum, sum))
	expected.Mul(expected, big.NewRat(2, 1))
	return co.observed(func(c, k int32) *big.Rat {
		d := new(big.Rat).Sub(x[c], x[k])
		return d.Mul(d, d)
	}), expected
}

func (co coincidence) numbers() []*big.Rat {
	x := make([]*big.Rat, len(co.values))
	for i, v := range co.values {
		x[i] = v.number
	}
	return x
}

// midranks turns the ordinal distance Σ_{g=c..k} n_g − (n_c+n_k)/2 into a
// difference: the mean rank of a value is what lies below it plus half of its
// own count.
func (co coincidence) midranks() []*big.Rat {
	x := make([]*big.Rat, len(co.values))
	below := int64(0)
	for i, n := range co.n {
		x[i] = big.NewRat(2*below+n, 2)
		below += n
	}
	return x
}
