package agreement

// Kind and version of the document of figures.
const (
	Kind    = "okstra-agreement"
	Version = "1.0"
)

// Report is every figure of a table, as the document okstra-agreement. A
// figure that cannot be estimated is there with a null and its reason.
type Report struct {
	SchemaVersion     string             `json:"schemaVersion"`
	Kind              string             `json:"kind"`
	Units             int                `json:"units"`
	Raters            int                `json:"raters"`
	KrippendorffAlpha AlphaFigures       `json:"krippendorffAlpha"`
	FleissKappa       FleissFigures      `json:"fleissKappa"`
	CohenKappa        []PairFigure       `json:"cohenKappa"`
	DawidSkene        ReliabilityFigures `json:"dawidSkene"`
}

// AlphaFigures is alpha at each level of measurement.
type AlphaFigures struct {
	Nominal  Figure `json:"nominal"`
	Ordinal  Figure `json:"ordinal"`
	Interval Figure `json:"interval"`
	Ratio    Figure `json:"ratio"`
}

// FleissFigures is Fleiss' kappa as a document holds it: error and categories
// are there only with the kappa.
type FleissFigures struct {
	Value      *float64          `json:"value"`
	Exact      *string           `json:"exact,omitempty"`
	Reason     Reason            `json:"reason,omitempty"`
	SE0        *float64          `json:"se0,omitempty"`
	Categories []CategoryFigures `json:"categories,omitempty"`
}

// CategoryFigures is one category of Fleiss' kappa.
type CategoryFigures struct {
	Category Value  `json:"category"`
	Share    Figure `json:"share"`
	Kappa    Figure `json:"kappa"`
}

// PairFigure is Cohen's kappa of a pair of raters; Units is how many both
// rated.
type PairFigure struct {
	Raters [2]string `json:"raters"`
	Units  int64     `json:"units"`
	Value  *float64  `json:"value"`
	Exact  *string   `json:"exact,omitempty"`
	Reason Reason    `json:"reason,omitempty"`
}

// ReliabilityFigures is the estimate of Dawid and Skene, or a Reason alone.
type ReliabilityFigures struct {
	Value         *null            `json:"value,omitempty"` // only beside a Reason
	Reason        Reason           `json:"reason,omitempty"`
	LogLikelihood *float64         `json:"logLikelihood,omitempty"`
	Iterations    int              `json:"iterations,omitempty"`
	Converged     *bool            `json:"converged,omitempty"`
	Values        []Value          `json:"values,omitempty"`
	Shares        []float64        `json:"shares,omitempty"`
	Raters        []RaterFigures   `json:"raters,omitempty"`
	Units         []EstimateFigure `json:"units,omitempty"`
}

// null is the value of what cannot be estimated.
type null struct{}

// MarshalJSON writes null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// RaterFigures is a rater's confusion: rows are the true values, columns what
// the rater says, both in the order of the values.
type RaterFigures struct {
	Rater     string      `json:"rater"`
	Confusion [][]float64 `json:"confusion"`
}

// EstimateFigure is the most probable value of a unit.
type EstimateFigure struct {
	Unit        string  `json:"unit"`
	Value       Value   `json:"value"`
	Probability float64 `json:"probability"`
}

// Report computes every figure. Rule: docs/agreement.md.
func (t *Table) Report() Report {
	r := Report{
		SchemaVersion: Version, Kind: Kind, Units: len(t.units), Raters: len(t.raters),
		KrippendorffAlpha: AlphaFigures{t.Alpha(Nominal), t.Alpha(Ordinal), t.Alpha(Interval), t.Alpha(Ratio)},
		FleissKappa:       t.Fleiss().figures(),
		CohenKappa:        []PairFigure{},
		DawidSkene:        t.DawidSkene().figures(),
	}
	for _, p := range t.Cohen() {
		f := PairFigure{Raters: p.Raters, Units: p.Units}
		f.Value, f.Exact, f.Reason = p.Kappa.parts()
		r.CohenKappa = append(r.CohenKappa, f)
	}
	return r
}

// parts is a figure as three fields of a document; value is nil where there is
// a reason.
func (f Figure) parts() (value *float64, fraction *string, why Reason) {
	if f.Reason != "" {
		return nil, nil, f.Reason
	}
	if f.Exact != nil {
		fraction = new(f.Exact.RatString())
	}
	return &f.Value, fraction, ""
}

func (k FleissKappa) figures() FleissFigures {
	var f FleissFigures
	f.Value, f.Exact, f.Reason = k.Kappa.parts()
	if f.Reason != "" {
		return f
	}
	f.SE0 = &k.SE0.Value
	for _, c := range k.Categories {
		f.Categories = append(f.Categories, CategoryFigures{c.Value, c.Share, c.Kappa})
	}
	return f
}

func (r Reliability) figures() ReliabilityFigures {
	if r.Reason != "" {
		return ReliabilityFigures{Value: &null{}, Reason: r.Reason}
	}
	f := ReliabilityFigures{
		LogLikelihood: &r.LogLikelihood, Iterations: r.Iterations, Converged: &r.Converged,
		Values: r.Values, Shares: r.Shares,
	}
	for _, c := range r.Raters {
		f.Raters = append(f.Raters, RaterFigures(c))
	}
	f.Units = make([]EstimateFigure, 0, len(r.Units))
	for _, u := range r.Units {
		f.Units = append(f.Units, EstimateFigure{u.Unit, u.Value, u.Probability})
	}
	return f
}
