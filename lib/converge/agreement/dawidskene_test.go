package agreement

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// anaesthesia reads testdata/anaesthesia.txt: a patient a line, then what each
// of five observers said, several digits for several examinations.
func anaesthesia(t *testing.T) *Table {
	t.Helper()
	f, err := os.Open("testdata/anaesthesia.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []Rating
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		for o, said := range fields[1:] {
			for i, digit := range said {
				rows = append(rows, Rating{
					Unit: fmt.Sprintf("%02s", fields[0]), Rater: fmt.Sprint(o + 1),
					Replicate: fmt.Sprint(i), Value: Int(int64(digit - '0')),
				})
			}
		}
	}
	return table(t, rows)
}

func TestDawidSkeneVector(t *testing.T) {
	tab := anaesthesia(t)
	for _, tt := range []struct {
		iterations int
		ll         float64
		shares     []float64
	}{
		{1, -205.091138, []float64{.4032, .3968, .1524, .0476}},
		{2, -194.550952, []float64{.4041, .4156, .1223, .0581}},
		{3, -193.159445, []float64{.4017, .4219, .1111, .0653}},
		{maxIterations, -192.890881, []float64{.3996, .4220, .1118, .0667}},
	} {
		got := tab.dawidSkene(tt.iterations)
		near(t, fmt.Sprintf("log likelihood after %d", tt.iterations), got.LogLikelihood, tt.ll, 6)
		for j, want := range tt.shares {
			near(t, fmt.Sprintf("p_%d after %d", j+1, tt.iterations), got.Shares[j], want, 4)
		}
	}
}

func TestDawidSkeneConfusions(t *testing.T) {
	got := anaesthesia(t).DawidSkene()
	if !got.Converged || got.Iterations >= maxIterations {
		t.Errorf("converged %v after %d iterations", got.Converged, got.Iterations)
	}
	want := [][][]float64{
		{{.89, .11, 0, 0}, {.07, .88, .05, 0}, {0, .34, .66, 0}, {0, 0, .56, .44}},
		{{.83, .17, 0, 0}, {.05, .63, .31, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
		{{1, 0, 0, 0}, {.11, .79, .11, 0}, {0, .40, .20, .40}, {0, 0, .67, .33}},
		{{.94, .06, 0, 0}, {.05, .84, .10, 0}, {0, 0, .80, .20}, {0, 0, .33, .67}},
		{{1, 0, 0, 0}, {.16, .73, .11, 0}, {0, .21, .79, 0}, {0, 0, .33, .67}},
	}
	for r, rows := range want {
		for j, row := range rows {
			for l, p := range row {
				near(t, fmt.Sprintf("observer %d, %d read as %d", r+1, j+1, l+1), got.Raters[r].Confusion[j][l], p, 2)
			}
		}
	}
}

func TestDawidSkeneUnits(t *testing.T) {
	got := anaesthesia(t).DawidSkene()
	unsure := map[string][]float64{"07": {.981, .019, 0, 0}, "35": {0, .948, .052, 0}, "38": {0, .021, .979, 0}}
	for _, u := range got.Units {
		want, isUnsure := unsure[u.Unit]
		for j, p := range want {
			near(t, fmt.Sprintf("patient %s, class %d", u.Unit, j+1), u.All[j], p, 3)
		}
		if !isUnsure && u.Probability < .999 {
			t.Errorf("patient %s: %v with %.4f, want a sure class", u.Unit, u.Value, u.Probability)
		}
		// Where the model leaves the plain majority, and where it breaks a tie.
		if class := map[string]string{"02": "4", "36": "4", "12": "3"}[u.Unit]; class != "" && u.Value.String() != class {
			t.Errorf("patient %s: class %v, want %s", u.Unit, u.Value, class)
		}
	}
}

func TestDawidSkeneNeedsUnitsAndRaters(t *testing.T) {
	few := columns(t, "1 1 1 | 2 2 2")
	if got := few.DawidSkene().Reason; got != TooFewUnits {
		t.Errorf("2 units: %q, want %q", got, TooFewUnits)
	}
	two := columns(t, strings.Repeat("1 2 |", 19)+"1 1")
	if got := two.DawidSkene().Reason; got != TooFewRaters {
		t.Errorf("2 raters: %q, want %q", got, TooFewRaters)
	}
	if got := columns(t, strings.Repeat("1 2 1 |", 19)+"1 1 2").DawidSkene(); got.Reason != "" {
		t.Errorf("20 units, 3 raters: %q, want an estimate", got.Reason)
	}
}

func TestPortableFunctionsFollowTheStandardLibrary(t *testing.T) {
	for x := 1e-300; x < 1e300; x *= 1.37 {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 4e-16*math.Max(1, math.Abs(want)) {
			t.Fatalf("ln(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	for x := 0.0; x > -740; x -= 0.173 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 4e-16*want+1e-320 {
			t.Fatalf("exp(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	if exp(math.Inf(-1)) != 0 || !math.IsInf(ln(0), -1) {
		t.Error("exp(-Inf) and ln(0) must be 0 and -Inf")
	}
}
