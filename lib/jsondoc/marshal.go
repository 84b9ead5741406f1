package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Marshal writes v as a document of ours: two spaces of indentation, the
// fields of structs in their order and the keys of maps sorted, <, > and &
// as themselves, a final newline. A json.RawMessage or []byte is taken as
// JSON text: it keeps its order of keys and the digits of its numbers and is
// only laid out anew. Text that is no UTF-8 gets U+FFFD.
func Marshal(v any) ([]byte, error) {
	return marshal(v, jsontext.Multiline(true), jsontext.WithIndent("  "))
}

// MarshalLine writes v like Marshal, but on one line: a record of a stream.
func MarshalLine(v any) ([]byte, error) {
	return marshal(v)
}

func marshal(v any, layout ...jsontext.Options) ([]byte, error) {
	raw, err := encode(v)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(raw)
	if err := value.Format(layout...); err != nil {
		return nil, fmt.Errorf("marshal JSON: %w", err)
	}
	return append(value, '\n'), nil
}

// encode gives JSON text in some layout that the caller may write to.
func encode(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return bytes.Clone(v), nil
	case stdjson.RawMessage:
		return bytes.Clone(v), nil
	}
	var buf bytes.Buffer
	enc := stdjson.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("marshal JSON: %w", err)
	}
	return buf.Bytes(), nil
}
