package agreement

import (
	"math"
	"math/big"
)

// FleissKappa is Fleiss' kappa with the kappa of each value and the standard
// error under the hypothesis of no agreement beyond chance (Fleiss, Nee and
// Landis 1979).
type FleissKappa struct {
	Kappa      Figure
	SE0        Figure
	Categories []CategoryKappa
}

// CategoryKappa is the kappa of one value against all others, and the share
// of ratings it has.
type CategoryKappa struct {
	Value Value
	Share Figure
	Kappa Figure
}

// Fleiss needs the same number of ratings for every unit: with missing values
// alpha is the figure to read.
func (t *Table) Fleiss() FleissKappa {
	n, why := t.ratingsPerUnit()
	if why != "" {
		return FleissKappa{Kappa: missing(why), SE0: missing(why)}
	}
	perValue := make([]int64, len(t.values)) // Σ_i n_ij
	apart := make([]int64, len(t.values))    // Σ_i n_ij (n − n_ij)
	counts := make([]int64, len(t.values))
	for u := range t.cells {
		for j, c := range t.counts(u, counts) {
			perValue[j] += c
			apart[j] += c * (n - c)
		}
	}
	units := int64(len(t.units))
	pairs := new(big.Rat).SetInt64(units)
	pairs.Mul(pairs, new(big.Rat).SetInt64(n*(n-1))) // N n (n−1)

	// Disagreement observed and by chance: Σ_j apart_j / (N n (n−1)) and
	// Σ_j p_j q_j, which is 1 − P_e.
	observed, chance, skew := new(big.Rat), new(big.Rat), new(big.Rat)
	out := FleissKappa{}
	for j := range t.values {
		p := big.NewRat(perValue[j], units*n)
		q := new(big.Rat).Sub(big.NewRat(1, 1), p)
		pq := new(big.Rat).Mul(p, q)
		off := new(big.Rat).Quo(new(big.Rat).SetInt64(apart[j]), pairs)
		observed.Add(observed, off)
		chance.Add(chance, pq)
		skew.Add(skew, new(big.Rat).Mul(pq, new(big.Rat).Sub(q, p)))
		kappa := missing(OneCategory)
		if pq.Sign() != 0 {
			kappa = exact(oneMinus(off, pq))
		}
		out.Categories = append(out.Categories, CategoryKappa{t.values[j], exact(p), kappa})
	}
	if chance.Sign() == 0 {
		out.Kappa, out.SE0 = missing(OneCategory), missing(OneCategory)
		return out
	}
	out.Kappa = exact(oneMinus(observed, chance))
	square := new(big.Rat).Mul(chance, chance)
	variance := new(big.Rat).Sub(square, skew)
	variance.Mul(variance, big.NewRat(2, 1))
	variance.Quo(variance, pairs.Mul(pairs, square))
	v, _ := variance.Float64()
	out.SE0 = Figure{Value: math.Sqrt(v)}
	return out
}

// ratingsPerUnit is the common number of ratings, or why there is none.
func (t *Table) ratingsPerUnit() (int64, Reason) {
	switch {
	case len(t.cells) == 0:
		return 0, NoVotes
	case t.replicates:
		return 0, Replicates
	}
	n := len(t.cells[0])
	for _, row := range t.cells {
		if len(row) != n {
			return 0, UnequalVotes
		}
	}
	if n == 1 {
		return 0, OneVote
	}
	return int64(n), ""
}

// oneMinus is 1 − a/b.
func oneMinus(a, b *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(a, b)
	return q.Sub(big.NewRat(1, 1), q)
}

// PairKappa is Cohen's kappa of two raters over the units both rated.
type PairKappa struct {
	Raters [2]string
	Units  int64
	Kappa  Figure
}

// Cohen gives the kappa of every pair of raters, in order of their names.
func (t *Table) Cohen() []PairKappa {
	joint := t.joint()
	var out []PairKappa
	for a := range t.raters {
		for b := a + 1; b < len(t.raters); b++ {
			pair := PairKappa{Raters: [2]string{t.raters[a], t.raters[b]}}
			if t.replicates {
				pair.Kappa = missing(Replicates)
			} else {
				pair.Units, pair.Kappa = cohen(joint[[2]int32{int32(a), int32(b)}])
			}
			out = append(out, pair)
		}
	}
	return out
}

// joint counts, per pair of raters, how often they gave which two values.
func (t *Table) joint() map[[2]int32]map[[2]int32]int64 {
	joint := make(map[[2]int32]map[[2]int32]int64)
	if t.replicates {
		return joint
	}
	for _, row := range t.cells {
		for i, a := range row {
			for _, b := range row[i+1:] {
				key := [2]int32{a.rater, b.rater}
				if joint[key] == nil {
					joint[key] = make(map[[2]int32]int64)
				}
				joint[key][[2]int32{a.value, b.value}]++
			}
		}
	}
	return joint
}

func cohen(counts map[[2]int32]int64) (units int64, kappa Figure) {
	first, second := make(map[int32]int64), make(map[int32]int64)
	var same int64
	for values, n := range counts {
		units += n
		first[values[0]] += n
		second[values[1]] += n
		if values[0] == values[1] {
			same += n
		}
	}
	if units == 0 {
		return 0, missing(NoCommonUnits)
	}
	// In units of 1/N²: chance agreement and both complements.
	square := new(big.Int).Mul(big.NewInt(units), big.NewInt(units))
	chance := new(big.Int)
	for v, n := range first {
		chance.Add(chance, new(big.Int).Mul(big.NewInt(n), big.NewInt(second[v])))
	}
	expected := new(big.Int).Sub(square, chance)
	if expected.Sign() == 0 {
		return units, missing(OneCategory)
	}
	observed := new(big.Int).Mul(big.NewInt(units-same), big.NewInt(units))
	return units, exact(oneMinus(new(big.Rat).SetInt(observed), new(big.Rat).SetInt(expected)))
}
