package agreement

import (
	"encoding/json"
	"math/big"
)

// Reason says in one word why a figure cannot be estimated.
type Reason string

// The reasons a figure may have for not being a number.
const (
	NoPairableValues Reason = "no-pairable-values" // alpha: fewer than two values that meet in a unit
	OneCategory      Reason = "one-category"       // no chance disagreement to compare with
	NotNumeric       Reason = "values-not-numeric" // a distance of words
	Negative         Reason = "values-negative"    // ratio distance below zero
	UnequalVotes     Reason = "unequal-votes"      // Fleiss: units with different numbers of ratings
	OneVote          Reason = "one-vote"           // Fleiss: one rating a unit
	NoCommonUnits    Reason = "no-common-units"    // Cohen: the pair never met
	TooFewUnits      Reason = "too-few-units"      // Dawid-Skene
	TooFewRaters     Reason = "too-few-raters"     // Dawid-Skene
	TooManyValues    Reason = "too-many-values"    // Dawid-Skene
	Replicates       Reason = "replicates"         // a rater rated a unit twice
	NoVotes          Reason = "no-votes"           // a share of nothing
)

// Figure is one number of a report. It is estimable iff Reason is empty.
// Exact is the reduced fraction, or nil where the value is not rational; Value
// is the double nearest to it.
type Figure struct {
	Value  float64
	Exact  *big.Rat
	Reason Reason
}

func exact(r *big.Rat) Figure {
	v, _ := r.Float64()
	return Figure{Value: v, Exact: r}
}

func missing(why Reason) Figure { return Figure{Reason: why} }

// Fraction is Exact as text, "" when there is none.
func (f Figure) Fraction() string {
	if f.Exact == nil {
		return ""
	}
	return f.Exact.RatString()
}

// MarshalJSON writes {"value", "exact"}, or {"value": null, "reason"} for a
// figure that cannot be estimated: never NaN, and never a zero in its place.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Reason != "" {
		return json.Marshal(struct {
			Value  *float64 `json:"value"`
			Reason Reason   `json:"reason"`
		}{nil, f.Reason})
	}
	out := struct {
		Value float64 `json:"value"`
		Exact *string `json:"exact"`
	}{Value: f.Value}
	if f.Exact != nil {
		text := f.Exact.RatString()
		out.Exact = &text
	}
	return json.Marshal(out)
}
