package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// decodeAny is the first value of raw in maps, slices and json.Number, as the
// standard library decodes it with UseNumber. What strict reading has let
// through takes a third to a half of the library's time; the rest goes to the
// library, which says what is wrong with it.
func decodeAny(raw []byte, name string) (any, error) {
	fast := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	if v, err := anyValue(fast); err == nil {
		return v, nil
	}
	dec := stdjson.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// anyValue reads the next value. Tokens are copied before the next is read,
// for that one takes their place.
func anyValue(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return anyObject(dec)
	case '[':
		return anyArray(dec)
	case '"':
		return token.String(), nil
	case '0':
		return stdjson.Number(token.String()), nil
	case 'n':
		return nil, nil
	default:
		return token.Bool(), nil
	}
}

func anyObject(dec *jsontext.Decoder) (any, error) {
	object := make(map[string]any)
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		if object[name], err = anyValue(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.ReadToken()
	return object, err
}

func anyArray(dec *jsontext.Decoder) (any, error) {
	list := []any{}
	for dec.PeekKind() != ']' {
		element, err := anyValue(dec)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	_, err := dec.ReadToken()
	return list, err
}
