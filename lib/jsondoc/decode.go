package jsondoc

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"
)

// DecodeError is a document whose value at Pointer does not fit where it was
// to go. Found and Expected are texts for people.
type DecodeError struct {
	Name      string
	Line, Col int
	Pointer   string
	Found     string
	Expected  string
}

// Error gives "name:line:col: /pointer: found (expected …)".
func (e *DecodeError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = shorten(e.Pointer, 120) + ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s (expected %s)", e.Name, e.Line, e.Col, at, e.Found, e.Expected)
}

// ExitStatus says that such a document is the caller's mistake.
func (e *DecodeError) ExitStatus() int { return statusBadInput }

// decodeOptions: names match exactly, or "promptPath" could be overruled by a
// "PromptPath" that no schema looks at; numbers in untyped places stay
// json.Number, so that no digit is lost.
var decodeOptions = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		v1.FormatDurationAsNano(true),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(unmarshalNumber),
			json.UnmarshalFromFunc(unmarshalAny),
		)),
	)
})

// Unmarshal stores JSON text in v as Decode does, for a part of a document or
// a line that was read strictly before. Unlike the function of that name in
// encoding/json it takes no "Role" for "role". Its error has no position.
// Rule: docs/strict-reading.md, "Into Go values".
func Unmarshal(raw []byte, v any) error { return json.Unmarshal(raw, v, decodeOptions()) }

// Decode stores the document in v, a pointer, by its json tags. Keys match
// exactly, unknown keys are skipped, and a number that is stored in an empty
// interface becomes an encoding/json Number. The error is a *DecodeError
// unless v cannot be decoded into at all.
// Rule: docs/strict-reading.md, "Into Go values".
func (d Doc) Decode(v any) error {
	err := json.Unmarshal(d.Raw, v, decodeOptions())
	if err == nil {
		return nil
	}
	se, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	pointer := string(se.JSONPointer)
	raw, ok := d.Lookup(pointer)
	if !ok {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	e := &DecodeError{Name: d.Name, Pointer: pointer, Found: found(raw), Expected: expected(se)}
	e.Line, e.Col = d.Position(pointer)
	return e
}

// Value gives the document as map[string]any, []any, string, encoding/json
// Number, bool and nil.
func (d Doc) Value() (any, error) { return decodeAny(d.Raw, d.Name) }

func unmarshalNumber(dec *jsontext.Decoder, n *stdjson.Number) error {
	kind := dec.PeekKind()
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch kind {
	case '0':
		*n = stdjson.Number(raw)
	case 'n':
		*n = ""
	default: // the library would take a string, which Number is underneath
		return errors.New("no number")
	}
	return nil
}

func unmarshalAny(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != '0' || *v != nil {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*v = stdjson.Number(raw)
	return nil
}

// found tells a value in a few words: scalars as they stand, containers by kind.
func found(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "string " + shorten(string(raw), 60)
	case 't', 'f', 'n':
		return string(raw)
	}
	return "number " + shorten(string(raw), 60)
}

// expected tells what the Go type would have taken, in JSON's words.
func expected(se *json.SemanticError) string {
	t := se.GoType
	if t == nil {
		return "another value"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name, ok := typeNames[t]; ok {
		return name
	}
	if hasOwnForm(t) {
		return fmt.Sprintf("a value of %s: %v", t, se.Err)
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer" + signedRange(t.Bits(), errors.Is(se.Err, strconv.ErrRange))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("an integer from 0 to %d", uint64(math.MaxUint64)>>(64-t.Bits()))
	case reflect.Array:
		return fmt.Sprintf("an array of %d", t.Len())
	}
	if name, ok := kindNames[t.Kind()]; ok {
		return name
	}
	return "a value of " + t.String()
}

// signedRange is told only where it is not the range of every integer, or
// where it was left.
func signedRange(bits int, left bool) string {
	if bits == 64 && !left {
		return ""
	}
	most := int64(math.MaxInt64) >> (64 - bits)
	return fmt.Sprintf(" from %d to %d", -most-1, most)
}

// hasOwnForm reports whether a type reads itself.
func hasOwnForm(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[stdjson.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

var typeNames = map[reflect.Type]string{
	reflect.TypeFor[stdjson.Number](): "a number",
	reflect.TypeFor[time.Time]():      "a time such as 2026-09-08T19:40:04Z",
	reflect.TypeFor[[]byte]():         "base64 text",
}

var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string",
	reflect.Float32: "a number", reflect.Float64: "a number",
	reflect.Map: "an object", reflect.Struct: "an object", reflect.Slice: "an array",
}
