package digest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// slowCanonical makes the canonical form in the plainest way from what
// encoding/json decodes: it shares no code, no library and no trick with
// Canonical. Keys are compared as lists of code points.
func slowCanonical(raw []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	text, err := slowValue(v)
	return []byte(text), err
}

func slowValue(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return fmt.Sprint(v), nil
	case string:
		return slowString(v), nil
	case json.Number:
		n, ok := new(big.Int).SetString(v.String(), 10)
		if !ok {
			return "", fmt.Errorf("%s is no integer", v)
		}
		return n.String(), nil
	case []any:
		var parts []string
		for _, element := range v {
			part, err := slowValue(element)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		return "[" + strings.Join(parts, ",") + "]", nil
	case map[string]any:
		var keys [][]rune
		for key := range v {
			keys = append(keys, []rune(key))
		}
		slices.SortFunc(keys, slices.Compare)
		var parts []string
		for _, key := range keys {
			part, err := slowValue(v[string(key)])
			if err != nil {
				return "", err
			}
			parts = append(parts, slowString(string(key))+":"+part)
		}
		return "{" + strings.Join(parts, ",") + "}", nil
	}
	return "", fmt.Errorf("unexpected %T", v)
}

func slowString(s string) string {
	names := map[rune]string{'"': `\"`, '\\': `\\`, 8: `\b`, 9: `\t`, 10: `\n`, 12: `\f`, 13: `\r`}
	var text strings.Builder
	text.WriteByte('"')
	for _, r := range s {
		switch name, ok := names[r]; {
		case ok:
			text.WriteString(name)
		case r < 32:
			fmt.Fprintf(&text, `\u%04x`, r)
		default:
			text.WriteRune(r)
		}
	}
	return text.String() + `"`
}
