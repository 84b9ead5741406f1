package agreement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent bounds the decimal exponent of a rating: an exact fraction of
// 1e999999999 would fill the memory.
const maxExponent = 300

// Value is a rating: a word or an exact decimal number.
type Value struct {
	text   string
	number *big.Rat
}

// Word is a value without order or distance.
func Word(s string) Value { return Value{text: s} }

// Int is a whole number.
func Int(n int64) Value {
	return Value{text: strconv.FormatInt(n, 10), number: new(big.Rat).SetInt64(n)}
}

// ParseValue reads a JSON string or number. Equal numbers are equal values,
// however they are written.
func ParseValue(raw []byte) (Value, error) {
	text := strings.TrimSpace(string(raw))
	if strings.HasPrefix(text, `"`) {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return Value{}, fmt.Errorf("value %s: %w", text, err)
		}
		return Word(s), nil
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil || n == "" {
		return Value{}, fmt.Errorf("value %s (expected a string or a number)", text)
	}
	if err := checkExponent(text); err != nil {
		return Value{}, err
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return Value{}, fmt.Errorf("value %s (expected a string or a number)", text)
	}
	return Value{text: decimal(r), number: r}, nil
}

func checkExponent(text string) error {
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	e, digits := 0, 3*maxExponent // what a number with an exponent may be written out as
	if has {
		digits = maxExponent
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			e = maxExponent + 1
		}
	}
	if e > maxExponent || e < -maxExponent || len(mantissa) > digits {
		return fmt.Errorf("value %.40s has too many digits (expected at most %d)", text, maxExponent)
	}
	return nil
}

// decimal writes a number that has a finite decimal form without needless
// zeros.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// IsNumber tells a number from a word.
func (v Value) IsNumber() bool { return v.number != nil }

// String is the word, or the number in decimal.
func (v Value) String() string { return v.text }

// MarshalJSON writes the value with the type it was read with, and a word's
// characters as themselves.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.IsNumber() {
		return []byte(v.text), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v.text)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// compare orders numbers by size and words bytewise.
func (v Value) compare(w Value) int {
	if v.IsNumber() && w.IsNumber() {
		return v.number.Cmp(w.number)
	}
	return strings.Compare(v.text, w.text)
}
