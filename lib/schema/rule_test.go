package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// compileText compiles a schema that stands nowhere but in a test.
func compileText(t testing.TB, text string) (*rule, error) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	l := newLibrary()
	l.texts["test"] = v
	return l.rule(urlPrefix + "test#")
}

// A keyword that the engine does not know must not be ignored in silence.
func TestCompilingRefusesWhatItCannotCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{"oneOf": [true]}`:                          "oneOf: not supported",
		`{"propertyNames": {"type": "string"}}`:      "propertyNames: not supported",
		`{"properties": {"a": {"format": "email"}}}`: "format: not supported",
		`{"type": "text"}`:                           `"text" is no type`,
		`{"type": 7}`:                                "7 is no type",
		`{"enum": [1]}`:                              "enum: value of the wrong type",
		`{"const": 1}`:                               "const: value of the wrong type",
		`{"enum": "a"}`:                              "enum: value of the wrong type",
		`{"pattern": "(?!a)"}`:                       "pattern: error parsing regexp",
		`{"patternProperties": {"(": true}}`:         "patternProperties: error parsing regexp",
		`{"minimum": 1.5}`:                           "minimum:",
		`{"minLength": -1}`:                          "minLength: value of the wrong type",
		`{"required": [1]}`:                          "required: value of the wrong type",
		`{"required": "a"}`:                          "required: value of the wrong type",
		`{"properties": []}`:                         "properties: value of the wrong type",
		`{"allOf": {}}`:                              "allOf: value of the wrong type",
		`{"uniqueItems": "yes"}`:                     "uniqueItems: value of the wrong type",
		`{"$ref": 1}`:                                "$ref: value of the wrong type",
		`{"$ref": "#/nowhere"}`:                      "nothing there",
		`{"items": 3}`:                               "3 is no schema",
		`{"additionalProperties": "no"}`:             `"no" is no schema`,
	} {
		if _, err := compileText(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[string]struct {
		integral, finite bool
		to7              int
	}{
		"7": {true, true, 0}, "7.0": {true, true, 0}, "7.5": {false, true, 1}, "70e-1": {true, true, 0}, "0.7e1": {true, true, 0},
		"-7": {true, true, -1}, "6.999": {false, true, -1}, "0e5": {true, true, -1}, "-0": {true, true, -1}, "0.0E+9": {true, true, -1},
		"1e-400": {false, true, -1}, "1e300": {true, true, 1}, "-1e300": {true, true, -1}, "9223372036854775808": {true, true, 1},
		"-99999999999999999999": {true, true, -1}, "1e999": {false, false, 1}, "1e-999999999": {false, true, -1},
	} {
		number := json.Number(n)
		if got := integral(number); got != want.integral {
			t.Errorf("integral(%s) = %v", n, got)
		}
		if got := finite(number); got != want.finite {
			t.Errorf("finite(%s) = %v", n, got)
		}
		if got := compareNumber(number, 7); want.finite && got != want.to7 {
			t.Errorf("compareNumber(%s, 7) = %d", n, got)
		}
	}
}

func TestReferencesInACircleHaveNoWords(t *testing.T) {
	r, err := compileText(t, `{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.words(); got != "" {
		t.Errorf("words %q", got)
	}
}
