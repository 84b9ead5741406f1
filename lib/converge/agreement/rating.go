package agreement

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ParseRating reads one row of a rating table: an object with the texts unit
// and rater, a value that is a text or a number, and perhaps a text replicate.
// Other keys are a table's own business and are skipped. raw is JSON that was
// read strictly.
func ParseRating(raw []byte) (Rating, error) {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(raw, &row); err != nil || row == nil {
		return Rating{}, fmt.Errorf("%.40s is no row (expected {\"unit\", \"rater\", \"value\"})", raw)
	}
	var r Rating
	for _, key := range []string{"unit", "rater", "value"} {
		if _, ok := row[key]; !ok {
			return Rating{}, fmt.Errorf("no key %q beside %s (expected unit, rater and value)", key, strings.Join(slices.Sorted(maps.Keys(row)), ", "))
		}
	}
	for _, text := range []struct {
		key string
		to  *string
	}{{"unit", &r.Unit}, {"rater", &r.Rater}, {"replicate", &r.Replicate}} {
		given, ok := row[text.key]
		if !ok {
			continue
		}
		if !strings.HasPrefix(string(given), `"`) {
			return Rating{}, fmt.Errorf("/%s: %.40s (expected a string)", text.key, given)
		}
		if err := json.Unmarshal(given, text.to); err != nil {
			return Rating{}, fmt.Errorf("/%s: %w", text.key, err)
		}
	}
	if r.Unit == "" || r.Rater == "" {
		return Rating{}, fmt.Errorf("unit %q, rater %q (expected two names)", r.Unit, r.Rater)
	}
	v, err := ParseValue(row["value"])
	if err != nil {
		return Rating{}, fmt.Errorf("/value: %w", err)
	}
	r.Value = v
	return r, nil
}
