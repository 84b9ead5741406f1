package agreement

import "math"

// The standard library computes exp and log in assembly on some machines, and
// the compiler may fuse a product with a sum on others; both change the last
// bit. These two use only operations that IEEE 754 rounds alike everywhere,
// with explicit conversions that forbid fusing.

const (
	ln2High = 6.93147180369123816490e-01 // the upper bits of ln 2, exact times a small integer
	ln2Low  = 1.90821492927058770002e-10
)

// ln is the natural logarithm of a positive finite number; ln(0) is -Inf.
func ln(x float64) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	// ln f = 2 artanh s with s = (f−1)/(f+1), |s| ≤ 0.1716.
	s := (fraction - 1) / (fraction + 1)
	ss := float64(s * s)
	series := 0.0
	for k := 23; k >= 3; k -= 2 {
		series = float64(ss * (series + float64(1/float64(k))))
	}
	low := float64(float64(exponent) * ln2Low)
	rest := float64(2*float64(s*series)) + low
	return float64(float64(exponent)*ln2High) + (float64(2*s) + rest)
}

// exp is e to the power of x, for x ≤ 0; exp(-Inf) is 0.
func exp(x float64) float64 {
	if x < -745 {
		return 0
	}
	k := math.Floor(float64(x/math.Ln2) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	sum := 1.0
	for i := 18; i >= 1; i-- {
		sum = 1 + float64(float64(r*sum)/float64(i))
	}
	return math.Ldexp(sum, int(k))
}
