package jsondoc

import (
	stdjson "encoding/json"
	"testing"
)

func TestMarshal(t *testing.T) {
	type row struct {
		B string         `json:"b"`
		A []int          `json:"a"`
		M map[string]int `json:"m,omitempty"`
	}
	for _, tt := range []struct {
		name string
		v    any
		doc  string
		line string
	}{
		{"struct order", row{B: "x", A: []int{1}}, "{\n  \"b\": \"x\",\n  \"a\": [\n    1\n  ]\n}\n", "{\"b\":\"x\",\"a\":[1]}\n"},
		{"map sorted", map[string]int{"b": 1, "a": 2}, "{\n  \"a\": 2,\n  \"b\": 1\n}\n", "{\"a\":2,\"b\":1}\n"},
		{"empty containers", map[string]any{"a": []int{}, "o": map[string]int{}}, "{\n  \"a\": [],\n  \"o\": {}\n}\n", "{\"a\":[],\"o\":{}}\n"},
		{"no HTML escapes", "<a&b>\u2028\u2029\x7f", "\"<a&b>\u2028\u2029\x7f\"\n", "\"<a&b>\u2028\u2029\x7f\"\n"},
		{"raw keeps order and digits", stdjson.RawMessage(`{"b":1.0,  "a":12345678901234567890, "\u0063":"\u003c"}`), "{\n  \"b\": 1.0,\n  \"a\": 12345678901234567890,\n  \"c\": \"<\"\n}\n", "{\"b\":1.0,\"a\":12345678901234567890,\"c\":\"<\"}\n"},
		{"bytes are JSON", []byte(" [1,\n2] "), "[\n  1,\n  2\n]\n", "[1,2]\n"},
		{"raw inside", map[string]any{"r": stdjson.RawMessage(`{"z":1,"a":"<"}`)}, "{\n  \"r\": {\n    \"z\": 1,\n    \"a\": \"<\"\n  }\n}\n", "{\"r\":{\"z\":1,\"a\":\"<\"}}\n"},
		{"bad UTF-8", "a\xffb", "\"a\ufffdb\"\n", "\"a\ufffdb\"\n"},
		{"nil", nil, "null\n", "null\n"},
	} {
		doc, err := Marshal(tt.v)
		if string(doc) != tt.doc || err != nil {
			t.Errorf("%s: Marshal = %q %v, want %q", tt.name, doc, err, tt.doc)
		}
		line, err := MarshalLine(tt.v)
		if string(line) != tt.line || err != nil {
			t.Errorf("%s: MarshalLine = %q %v, want %q", tt.name, line, err, tt.line)
		}
	}
}

func TestMarshalRefusesBrokenRaw(t *testing.T) {
	for _, v := range []any{[]byte(`{"a":`), []byte(``), stdjson.RawMessage(`{} {}`), []byte(`{"a":1,"a":2}`), func() {}, []byte("\"\xff\"")} {
		if got, err := Marshal(v); err == nil {
			t.Errorf("Marshal(%v) = %q, want an error", v, got)
		}
	}
}

func TestMarshalLeavesTheInputAlone(t *testing.T) {
	raw := []byte(`{"b":1,"a":2}`)
	if _, err := Marshal(raw); err != nil || string(raw) != `{"b":1,"a":2}` {
		t.Errorf("after Marshal the input is %s (%v)", raw, err)
	}
}
