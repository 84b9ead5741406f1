package agreement

import "math"

// z95 is the 97.5 % point of the normal distribution, for intervals of 95 %.
const z95 = 1.959963984540054

// Bounds is a range of shares that a count is compatible with. It is
// estimable iff Reason is empty.
type Bounds struct {
	Low, High float64
	Reason    Reason
}

// Wilson is the 95 % score interval of k in n. The ends are exactly 0 and 1
// where no or every vote confirms.
func Wilson(k, n int) Bounds {
	if n == 0 {
		return Bounds{Reason: NoVotes}
	}
	N, p := float64(n), float64(k)/float64(n)
	q := float64(n-k) / N
	zz := float64(z95 * z95)
	scale := float64(1) + float64(zz/N)
	centre := (p + float64(zz/float64(2*N))) / scale
	spread := float64(float64(p*q)/N) + float64(zz/float64(4*float64(N*N)))
	half := float64(float64(z95/scale) * math.Sqrt(spread))
	return clamp(Bounds{Low: centre - half, High: centre + half}, k, n)
}

// WilsonCorrected is the same with continuity correction (Newcombe 1998,
// method 4), which is wider and never covers less than it says.
func WilsonCorrected(k, n int) Bounds {
	if n == 0 {
		return Bounds{Reason: NoVotes}
	}
	N, p := float64(n), float64(k)/float64(n)
	q := float64(n-k) / N
	zz := float64(z95 * z95)
	middle := float64(2*float64(N*p)) + zz
	below := float64(z95 * root(zz-2-float64(1/N)+float64(4*float64(p*(float64(N*q)+1)))))
	above := float64(z95 * root(zz+2-float64(1/N)+float64(4*float64(p*(float64(N*q)-1)))))
	width := float64(2 * (N + zz))
	return clamp(Bounds{
		Low:  (middle - 1 - below) / width,
		High: (middle + 1 + above) / width,
	}, k, n)
}

// root guards the corrected form: its radicand is below zero only at an end
// that clamp replaces.
func root(x float64) float64 { return math.Sqrt(max(x, 0)) }

// clamp sets the ends that are known, where the floating error would leave
// something like -1e-17, and keeps the others within 0 and 1.
func clamp(i Bounds, k, n int) Bounds {
	i.Low, i.High = max(i.Low, 0), min(i.High, 1)
	if k == 0 {
		i.Low = 0
	}
	if k == n {
		i.High = 1
	}
	return i
}
