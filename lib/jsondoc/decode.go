package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

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

// decodeOptions: names match exactly, or "promptPath" could be overruled by a
// "PromptPath" that no schema looks at; numbers in untyped places stay
// json.Number, so that no digit is lost.
func decodeOptions() json.Options {
	return json.JoinOptions(
		v1.FormatDurationAsNano(true),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(unmarshalNumber),
			json.UnmarshalFromFunc(unmarshalAny),
		)),
	)
}

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

func decodeAny(raw []byte, name string) (any, error) {
	dec := stdjson.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func unmarshalNumber(dec *jsontext.Decoder, n *stdjson.Number) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*n = stdjson.Number(raw)
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
	name := kindNames[t.Kind()]
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		name = "base64 text"
	}
	if name == "" || se.JSONKind == 0 || se.Err != nil {
		return strings.TrimSpace(strings.Join([]string{name, reason(se.Err, t)}, " "))
	}
	return name
}

var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string",
	reflect.Int: "an integer", reflect.Int8: "an integer", reflect.Int16: "an integer",
	reflect.Int32: "an integer", reflect.Int64: "an integer",
	reflect.Uint: "an integer from 0", reflect.Uint8: "an integer from 0", reflect.Uint16: "an integer from 0",
	reflect.Uint32: "an integer from 0", reflect.Uint64: "an integer from 0",
	reflect.Float32: "a number", reflect.Float64: "a number",
	reflect.Map: "an object", reflect.Struct: "an object",
	reflect.Slice: "an array", reflect.Array: "an array",
}

// reason adds what the type's own unmarshaller had to say.
func reason(err error, t reflect.Type) string {
	if err == nil {
		return t.String()
	}
	return "of type " + t.String() + ": " + err.Error()
}
