package agreement

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// maxExactRatio bounds the work up to which the ratio distance is summed as a
// fraction: pairs of distinct values times the bits of a value. The
// denominators share nothing, so the exact sum grows with each pair.
const maxExactRatio = 1 << 17

// ratioBits is the mantissa of sums that are not kept as fractions, over what
// their cancellation costs. It leaves some 100 bits of room below a double, so
// the printed value is the double nearest to the exact one.
const ratioBits = 160

// ratioAlpha is alpha with ((c−k)/(c+k))² as distance, exact where the sums
// are small.
func (co coincidence) ratioAlpha() Figure {
	width := 1
	for _, v := range co.values {
		width = max(width, v.number.Num().BitLen(), v.number.Denom().BitLen())
	}
	if n := len(co.values); n*n*width <= maxExactRatio {
		return co.alpha(co.ratio())
	}
	return co.roundedRatio()
}

// ratio gives the sums as fractions. Two different values that are not
// negative never sum to zero.
func (co coincidence) ratio() (observed, expected *big.Rat) {
	distance := func(c, k int32) *big.Rat {
		a, b := co.values[c].number, co.values[k].number
		d := new(big.Rat).Quo(new(big.Rat).Sub(a, b), new(big.Rat).Add(a, b))
		return d.Mul(d, d)
	}
	expected = new(big.Rat)
	for c := range co.n {
		for k := range c {
			weight := new(big.Rat).SetInt64(2 * co.n[c])
			weight.Mul(weight, new(big.Rat).SetInt64(co.n[k]))
			expected.Add(expected, weight.Mul(weight, distance(int32(c), int32(k))))
		}
	}
	return co.observed(distance), expected
}

// roundedRatio is alpha with the ratio distance for many distinct values, or
// long ones. The order of the sums is fixed, so the rounding is too.
func (co coincidence) roundedRatio() Figure {
	r := ratioSum{coincidence: co, prec: ratioBits + 2*co.lostBits() + 2*uint(bits.Len64(uint64(co.total)))}
	q := r.float().Mul(r.observed(), r.whole(co.total-1))
	q.Quo(q, r.expected())
	v, _ := q.Sub(r.whole(1), q).Float64()
	if math.Abs(v) < 1e-40 {
		v = 0 // one minus one leaves only the rounding of the last bits
	}
	return Figure{Value: v}
}

// lostBits is how many leading bits the nearest two neighbours of the sorted
// values have in common: what is lost when one is taken from the other.
func (co coincidence) lostBits() uint {
	most := 0
	for i := 1; i < len(co.values); i++ {
		low, high := co.values[i-1].number, co.values[i].number
		gap := new(big.Rat).Sub(high, low)
		most = max(most, exponent(high)-exponent(gap))
	}
	return uint(most)
}

func exponent(r *big.Rat) int { return new(big.Float).SetPrec(64).SetRat(r).MantExp(nil) }

// ratioSum sums ratio distances with a wide mantissa.
type ratioSum struct {
	coincidence
	prec uint
}

func (r ratioSum) float() *big.Float              { return new(big.Float).SetPrec(r.prec) }
func (r ratioSum) whole(n int64) *big.Float       { return r.float().SetInt64(n) }
func (r ratioSum) number(c int32) *big.Float      { return r.float().SetRat(r.values[c].number) }
func (r ratioSum) square(x *big.Float) *big.Float { return x.Mul(x, x) }

// observed is Σ o_ck δ²(c,k), over the pairs that meet in a unit.
func (r ratioSum) observed() *big.Float {
	sum := r.float()
	for _, m := range slices.Sorted(maps.Keys(r.per)) {
		part := r.float()
		pairs := r.per[m]
		for _, ck := range slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int32) int {
			return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		}) {
			c, k := r.number(ck[0]), r.number(ck[1])
			d := r.float().Sub(c, k)
			d = r.square(d.Quo(d, c.Add(c, k)))
			part.Add(part, d.Mul(d, r.whole(pairs[ck])))
		}
		sum.Add(sum, part.Quo(part, r.whole(m-1)))
	}
	return sum
}

// expected is Σ n_c n_k δ²(c,k) over all ordered pairs of values, without a
// loop over pairs. For values above zero the distance is
//
//	((c−k)/(c+k))² = 1 − 4 ck/(c+k)²
//
// so that S = Σ n_c c n_k k / (c+k)² is left to sum; between zero and any
// other value it is one.
//
// Values are parted into bands from one power of two to the next:
//
//	 ├──x──┤├──────x──────┤├────────────x────────────┤
//	1       2              4                          8
//
// With middles a and b of two bands and c = a+x, k = b+y,
//
//	1/(c+k)² = Σ_i (−1)^i (i+1) (x+y)^i / (a+b)^(i+2)
//
// in which |x+y|/(a+b) is at most 1/3 whatever the bands, as no value is
// below zero. The double sum over two bands is so a sum over products of
// their moments Σ n_c c x^i.
func (r ratioSum) expected() *big.Float {
	var zeros int64
	var bands []*band
	for c, n := range r.n {
		x := r.number(int32(c))
		switch {
		case x.Sign() == 0:
			zeros = n
		case len(bands) == 0 || bands[len(bands)-1].exponent != x.MantExp(nil):
			bands = append(bands, &band{exponent: x.MantExp(nil)})
			fallthrough
		default:
			b := bands[len(bands)-1]
			b.x = append(b.x, x)
			b.weights = append(b.weights, r.float().Mul(x, r.whole(n)))
		}
	}
	sum := r.float()
	for i, a := range bands {
		for _, b := range bands[:i] {
			if a.exponent-b.exponent < int(r.prec) { // else ck/(c+k)² is nothing
				s := r.between(a, b)
				sum.Add(sum, s.Add(s, s))
			}
		}
		sum.Add(sum, r.between(a, a))
	}
	above := r.total - zeros
	all := r.float().Mul(r.whole(above), r.whole(above))
	all.Sub(all, sum.Mul(sum, r.whole(4)))
	return all.Add(all, r.float().Mul(r.whole(2*zeros), r.whole(above)))
}

// band is the values with one binary exponent, from small to large.
type band struct {
	exponent int
	x        []*big.Float
	weights  []*big.Float // n_c c
	moments  []*big.Float // Σ n_c c (c−middle)^i / i!
}

func (r ratioSum) middle(b *band) *big.Float {
	m := r.float().Add(b.x[0], b.x[len(b.x)-1])
	return m.Quo(m, r.whole(2))
}

// between is Σ n_c c n_k k / (c+k)² over c of one band and k of another.
func (r ratioSum) between(a, b *band) *big.Float {
	sum, x := r.float(), r.float()
	terms := r.terms(a, b)
	const pair = 8 // products that one pair costs
	if pair*len(a.x)*len(b.x) <= terms*terms+2*terms*(len(a.x)+len(b.x)) {
		for i := range a.x {
			for j := range b.x {
				r.square(x.Add(a.x[i], b.x[j]))
				x.Quo(b.weights[j], x)
				sum.Add(sum, x.Mul(x, a.weights[i]))
			}
		}
		return sum
	}
	r.expand(a, terms)
	r.expand(b, terms)
	over := r.float().Add(r.middle(a), r.middle(b))
	factor := r.float().Quo(r.whole(1), r.square(r.float().Set(over)))
	for i := range terms {
		part := r.float()
		for j := range i + 1 {
			part.Add(part, x.Mul(a.moments[j], b.moments[i-j]))
		}
		sum.Add(sum, part.Mul(part, factor)) // factor is (−1)^i (i+1)! / (a+b)^(i+2)
		factor.Mul(factor, x.SetInt64(-int64(i+2)))
		factor.Quo(factor, over)
	}
	return sum
}

// terms is how many terms of the series leave out nothing that the mantissa
// could hold.
func (r ratioSum) terms(a, b *band) int {
	reach := r.float().Sub(a.x[len(a.x)-1], a.x[0])
	reach.Add(reach, r.float().Sub(b.x[len(b.x)-1], b.x[0]))
	if reach.Sign() == 0 {
		return 1
	}
	over := r.float().Add(r.middle(a), r.middle(b))
	ratio, _ := reach.Quo(reach, over.Add(over, over)).Float64()
	const slack = 24 // bits, for the factor i+1 and the sum of what is left out
	return int(float64(r.prec+slack)/-log2(max(ratio, 1e-300))) + 2
}

// log2 is at least the logarithm of x, and close to it: the tangent at one
// bounds that of the mantissa.
func log2(x float64) float64 {
	mantissa, e := math.Frexp(x)
	return float64(e) + (mantissa-1)*math.Log2E
}

// expand makes sure that a band has so many moments.
func (r ratioSum) expand(b *band, terms int) {
	if len(b.moments) >= terms {
		return
	}
	middle := r.middle(b)
	b.moments = make([]*big.Float, terms)
	for i := range b.moments {
		b.moments[i] = r.float()
	}
	d, term := r.float(), r.float()
	for c := range b.x {
		d.Sub(b.x[c], middle)
		term.Set(b.weights[c])
		for i := range terms {
			b.moments[i].Add(b.moments[i], term)
			term.Mul(term, d)
		}
	}
	factorial := r.whole(1)
	for i := range terms {
		factorial.Mul(factorial, r.whole(int64(max(i, 1))))
		b.moments[i].Quo(b.moments[i], factorial)
	}
}
