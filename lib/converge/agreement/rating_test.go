package agreement

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A row is refused whole or read whole, and a row that was read is written and
// read back to the same rating.
func FuzzRating(f *testing.F) {
	for _, seed := range []string{
		`{"unit": "u", "rater": "a", "value": 1}`, `{"unit": "u", "rater": "a", "value": "x", "replicate": "2", "note": {}}`,
		`{"unit": "u", "rater": "a", "value": 1.50e2}`, `{"unit": null, "rater": "a", "value": 1}`, `{"Unit": "u", "rater": "a", "value": 1}`,
		`[]`, `null`, `{}`, `{"unit": "u", "rater": "a", "value": -0.0}`, `{"unit": "\ud800", "rater": "a", "value": ""}`, `{"unit":"u","rater":"a","value":1e-300}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := ParseRating([]byte(raw))
		if err != nil {
			if r != (Rating{}) {
				t.Fatalf("%q: %v beside %+v", raw, err, r)
			}
			return
		}
		value, err := r.Value.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(map[string]any{"unit": r.Unit, "rater": r.Rater, "replicate": r.Replicate, "value": json.RawMessage(value)})
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseRating(again)
		if err != nil || back.Unit != r.Unit || back.Rater != r.Rater || back.Replicate != r.Replicate || back.Value.text != r.Value.text {
			t.Fatalf("%q: %+v becomes %+v (%v)", raw, r, back, err)
		}
	})
}

func TestKeysOfARatingMatchExactly(t *testing.T) {
	_, err := ParseRating([]byte(`{"Unit": "u", "rater": "a", "value": 1}`))
	if err == nil || !strings.Contains(err.Error(), `no key "unit"`) {
		t.Errorf("a key in capitals: %v", err)
	}
}

// Thousands of different measurements are no classes: their confusion would
// fill the memory.
func TestDawidSkeneRefusesManyValues(t *testing.T) {
	var rows []Rating
	for u := range 3000 {
		for _, rater := range []string{"a", "b", "c"} {
			rows = append(rows, Rating{Unit: strings.Repeat("u", 1+u%7) + string(rune('a'+u/300)) + string(rune(0x100+u)), Rater: rater, Value: Int(int64(u))})
		}
	}
	tab, err := NewTable(slices.Values(rows))
	if err != nil {
		t.Fatal(err)
	}
	if got := tab.DawidSkene().Reason; got != TooManyValues {
		t.Errorf("reason %q, want %q", got, TooManyValues)
	}
}
