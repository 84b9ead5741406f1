package agreement

import (
	"encoding/binary"
	"math"
	"slices"
)

// What Dawid-Skene needs to say anything, and when it stops. A confusion of
// more values than maxClasses says nothing about a rater and grows with their
// square: measurements are not classes.
const (
	maxClasses    = 64
	minUnits      = 20
	minRaters     = 3
	maxIterations = 500
	tolerance     = 1e-9
)

// Reliability is what the model of Dawid and Skene (1979) estimates without
// knowing the truth: how frequent each value is, what each rater makes of it,
// and which value each unit has. It is estimable iff Reason is empty.
type Reliability struct {
	Reason        Reason
	LogLikelihood float64
	Iterations    int
	Converged     bool
	Values        []Value
	Shares        []float64        // by value: how many units have it
	Raters        []RaterConfusion // in order of their names
	Units         []UnitEstimate   // in order of their names
}

// RaterConfusion is how often a rater says the value of the column where the
// value of the row is true. A row of zeros is one for which no rating counts.
type RaterConfusion struct {
	Rater     string
	Confusion [][]float64
}

// UnitEstimate is the most probable value of a unit; of equally probable ones
// the first.
type UnitEstimate struct {
	Unit        string
	Value       Value
	Probability float64
	All         []float64 // by value
}

// DawidSkene runs expectation maximisation from the shares of each unit's
// ratings until the log likelihood moves by less than 1e-9, at most 500 times.
func (t *Table) DawidSkene() Reliability { return t.dawidSkene(maxIterations) }

func (t *Table) dawidSkene(iterations int) Reliability {
	switch {
	case len(t.units) < minUnits:
		return Reliability{Reason: TooFewUnits}
	case len(t.raters) < minRaters:
		return Reliability{Reason: TooFewRaters}
	case len(t.values) > maxClasses:
		return Reliability{Reason: TooManyValues}
	}
	em := newEM(t)
	out := Reliability{Values: t.values}
	last := math.Inf(-1)
	for out.Iterations < iterations && !out.Converged {
		em.maximise()
		out.LogLikelihood = em.expect()
		out.Iterations++
		out.Converged = math.Abs(out.LogLikelihood-last) < tolerance
		last = out.LogLikelihood
	}
	em.report(t, &out)
	return out
}

// em holds the estimates. Units with the same ratings by the same raters have
// the same posterior, so they are kept once with a weight: a table of 100,000
// units and five raters has at most a few hundred such patterns.
type em struct {
	patterns  [][]cell
	weight    []float64
	patternOf []int32     // by unit
	posterior [][]float64 // T: by pattern, by value
	share     []float64   // p: by value
	confusion [][]float64 // π: by rater, row-major
	classes   int
}

func newEM(t *Table) *em {
	k := len(t.values)
	m := &em{classes: k, share: make([]float64, k), patternOf: make([]int32, len(t.units))}
	for range t.raters {
		m.confusion = append(m.confusion, make([]float64, k*k))
	}
	seen := make(map[string]int32)
	var key []byte
	for u, row := range t.cells {
		key = key[:0]
		for _, c := range row {
			key = binary.AppendVarint(key, int64(c.rater))
			key = binary.AppendVarint(key, int64(c.value))
		}
		at, ok := seen[string(key)]
		if !ok {
			at = int32(len(m.patterns))
			seen[string(key)] = at
			m.patterns = append(m.patterns, row)
			m.weight = append(m.weight, 0)
			m.posterior = append(m.posterior, shares(row, k))
		}
		m.patternOf[u] = at
		m.weight[at]++
	}
	return m
}

// shares is the start: the share of each value among a unit's ratings.
func shares(row []cell, classes int) []float64 {
	out := make([]float64, classes)
	for _, c := range row {
		out[c.value]++
	}
	for j := range out {
		out[j] /= float64(len(row))
	}
	return out
}

// maximise estimates shares and confusions from the posteriors.
func (m *em) maximise() {
	total := 0.0
	clear(m.share)
	for _, pi := range m.confusion {
		clear(pi)
	}
	for i, row := range m.patterns {
		total += m.weight[i]
		for j, p := range m.posterior[i] {
			w := float64(m.weight[i] * p)
			m.share[j] += w
			for _, c := range row {
				m.confusion[c.rater][j*m.classes+int(c.value)] += w
			}
		}
	}
	for j := range m.share {
		m.share[j] /= total
	}
	for _, pi := range m.confusion {
		for j := range m.classes {
			normalise(pi[j*m.classes : (j+1)*m.classes])
		}
	}
}

func normalise(row []float64) {
	sum := 0.0
	for _, x := range row {
		sum += x
	}
	if sum == 0 {
		return
	}
	for i := range row {
		row[i] /= sum
	}
}

// expect estimates the posteriors and gives the log likelihood of the data
// under the current shares and confusions. A factor of zero makes a value
// impossible; a zero that no rating meets costs nothing, because only the
// ratings that were given are multiplied.
func (m *em) expect() float64 {
	logShare := logs(m.share)
	logConfusion := make([][]float64, len(m.confusion))
	for r, pi := range m.confusion {
		logConfusion[r] = logs(pi)
	}
	total := 0.0
	for i, row := range m.patterns {
		post := m.posterior[i]
		top := math.Inf(-1)
		for j := range post {
			sum := logShare[j]
			for _, c := range row {
				sum += logConfusion[c.rater][j*m.classes+int(c.value)]
			}
			post[j] = sum
			top = max(top, sum)
		}
		if math.IsInf(top, -1) {
			continue // no value explains the unit; cannot happen after maximise
		}
		sum := 0.0
		for j := range post {
			post[j] = exp(post[j] - top)
			sum += post[j]
		}
		for j := range post {
			post[j] /= sum
		}
		total += float64(m.weight[i] * (top + ln(sum)))
	}
	return total
}

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = ln(x)
	}
	return out
}

func (m *em) report(t *Table, out *Reliability) {
	out.Shares = m.share
	for r, name := range t.raters {
		rows := make([][]float64, 0, m.classes)
		for row := range slices.Chunk(m.confusion[r], m.classes) {
			rows = append(rows, row)
		}
		out.Raters = append(out.Raters, RaterConfusion{name, rows})
	}
	out.Units = make([]UnitEstimate, 0, len(t.units))
	for u, name := range t.units {
		post := m.posterior[m.patternOf[u]]
		best := 0
		for j := range post {
			if post[j] > post[best] {
				best = j
			}
		}
		out.Units = append(out.Units, UnitEstimate{name, t.values[best], post[best], post})
	}
}
