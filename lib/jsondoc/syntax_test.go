package jsondoc

import (
	"errors"
	"strings"
	"testing"

	stdjson "encoding/json"
)

func TestParseRefusesWithPosition(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, tt := range []struct {
		name, text string
		want       string
	}{
		{"empty", "", `f:1:1: not JSON: empty document (expected one JSON value)`},
		{"white space only", " \n\t\n", `f:1:1: not JSON: empty document (expected one JSON value)`},
		{"UTF-8 mark", "\ufeff{}", `f:1:1: not JSON: UTF-8 byte order mark (expected UTF-8 without one)`},
		{"UTF-16 mark", "\xff\xfe{\x00}\x00", `f:1:1: not JSON: UTF-16 byte order mark (expected UTF-8 without one)`},
		{"mark in the middle", "[\ufeff1]", `f:1:2: not JSON: invalid character '\ufeff' at start of value (at /0)`},
		{"cut off", "{\n  \"a\": [1, 2", `f:2:13: not JSON: unexpected end of input (at /a)`},
		{"cut off in a key", `{"a`, `f:1:4: not JSON: unexpected end of input`},
		{"cut off in a string", "{\"a\": \"x\n", `f:1:9: not JSON: line break in a string (expected "\n") (at /a)`},
		{"cut off behind a backslash", `"\`, `f:1:3: not JSON: unexpected end of input`},
		{"cut off, newline at the end", "{\"a\":\n", `f:1:6: not JSON: unexpected end of input (at /a)`},
		{"trailing data", "{}\n{}", `f:2:1: not JSON: more data after the value (expected end of document)`},
		{"trailing bracket", "{}}", `f:1:3: not JSON: more data after the value (expected end of document)`},
		{"duplicate key", "{\"a\": {\"b\": 1,\n\"c\": 2, \"b\": 3}}", `f:2:9: not JSON: duplicate key "b" (at /a)`},
		{"duplicate key, escaped", `{"a": 1, "\u0061": 3}`, `f:1:10: not JSON: duplicate key "a"`},
		{"duplicate key among many", manyKeys(40) + `"k7": 1}`, `f:1:342: not JSON: duplicate key "k7"`},
		{"NaN", `{"a": [NaN]}`, `f:1:8: not JSON: NaN is not a JSON value (at /a/0)`},
		{"Infinity", `[1, Infinity]`, `f:1:5: not JSON: Infinity is not a JSON value (at /1)`},
		{"-Infinity", `[1, -Infinity]`, `f:1:5: not JSON: -Infinity is not a JSON value (at /1)`},
		{"Python's None", `{"a": None}`, `f:1:7: not JSON: None is not a JSON value (at /a)`},
		{"half a literal", `[nul]`, `f:1:5: not JSON: invalid character ']' in literal null (expected 'l') (at /0)`},
		{"comment", "{\n// x\n}", `f:2:1: not JSON: comment (JSON has none)`},
		{"comma first", `[,1]`, `f:1:2: not JSON: comma without a value`},
		{"bad hex in an escape", `["\u00g0"]`, `f:1:3: not JSON: escape "\\u00g0" is half of a character or none (at /0)`},
		{"comma at the end of an array", `[1,]`, `f:1:3: not JSON: comma without a value behind it (in front of ']')`},
		{"comma at the end of an object", `{"a":1,}`, `f:1:7: not JSON: comma without a value behind it (in front of '}')`},
		{"single quotes", `{'a': 1}`, `f:1:2: not JSON: single quote (expected a double quote)`},
		{"number as key", `{1: 1}`, `f:1:2: not JSON: object key without double quotes`},
		{"missing colon", `{"a" 1}`, `f:1:6: not JSON: invalid character '1' after object name (expected ':') (at /a)`},
		{"missing comma", `{"a": 1 "b": 2}`, `f:1:9: not JSON: invalid character '"' after object value (expected ',' or '}')`},
		{"bracket of the other kind", `[1}`, `f:1:3: not JSON: invalid character '}' after array element (expected ',' or ']')`},
		{"leading zero", `[01]`, `f:1:3: not JSON: invalid character '1' after array element (expected ',' or ']')`},
		{"plus sign", `[+1]`, `f:1:2: not JSON: invalid character '+' at start of value (at /0)`},
		{"fraction without digits", `[1.]`, `f:1:4: not JSON: invalid character ']' in number (expected digit) (at /0)`},
		{"bad UTF-8", "[\"äö\", \"\xff\"]", `f:1:9: not JSON: byte 0xff is not UTF-8 (at /1)`},
		{"overlong UTF-8", "[\"\xc0\xaf\"]", `f:1:3: not JSON: byte 0xc0 is not UTF-8 (at /0)`},
		{"surrogate in UTF-8", "[\"\xed\xa0\x80\"]", `f:1:3: not JSON: byte 0xed is not UTF-8 (at /0)`},
		{"lone surrogate", `["a\ud800"]`, `f:1:4: not JSON: escape "\\ud800" is half of a character or none (at /0)`},
		{"surrogates reversed", `["\udc00\ud800"]`, `f:1:3: not JSON: escape "\\udc00" is half of a character or none (at /0)`},
		{"surrogate and another escape", `["\ud800\n"]`, `f:1:3: not JSON: escape "\\ud800" is half of a character or none (at /0)`},
		{"unknown escape", `["\x41"]`, `f:1:3: not JSON: invalid escape sequence ` + "`\\x`" + ` in string (at /0)`},
		{"control character", "[\"a\tb\"]", `f:1:4: not JSON: control character U+0009 in a string (expected an escape) (at /0)`},
		{"NUL", "[1\x00]", `f:1:3: not JSON: NUL byte`},
		{"NUL tail of a crashed disk", "{}\n\x00\x00\x00", `f:2:1: not JSON: more data after the value (expected end of document)`},
		{"column in code points", "[\"日本語\", x]", `f:1:9: not JSON: invalid character 'x' at start of value (at /1)`},
		{"too deep", deep, `f:1:201: not JSON: nested deeper than 200 levels (at ` + shorten(strings.Repeat("/0", 200), 120) + `)`},
		{"too deep, but broken before", "[x," + deep, `f:1:2: not JSON: invalid character 'x' at start of value (at /0)`},
		{"far too deep and never closed", strings.Repeat("[", 1<<20), `f:1:201: not JSON: nested deeper than 200 levels (at ` + shorten(strings.Repeat("/0", 200), 120) + `)`},
		{"escaped quote does not end a string", `["\\\"[", }`, `f:1:9: not JSON: comma without a value behind it (in front of '}')`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Parse("f", []byte(tt.text))
			syntax, ok := errors.AsType[*SyntaxError](err)
			if !ok {
				t.Fatalf("Parse(%.60q) = %v, want a *SyntaxError", tt.text, err)
			}
			if got := syntax.Error(); got != tt.want {
				t.Errorf("Parse(%.60q)\n got %s\nwant %s", tt.text, got, tt.want)
			}
			if doc.Raw != nil || doc.Name != "" {
				t.Errorf("Parse(%.60q) gave a document beside its error", tt.text)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		b.WriteString(`"k` + string(rune('0'+i%10)) + strings.Repeat("x", i/10) + `":0,`)
	}
	return b.String()
}

func TestParseAcceptsWhatJSONAllows(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `"x"`, `-0`, `1e400`, `123456789012345678901234567890`, "\r\n{}\r\n",
		`{"":{"":""}}`, `{"a":1,"A":2}`, `["\ud83d\ude00"]`, `["\u0000"]`, "[\"\u2028\u2029\x7f\"]", "[\"\ufffd\"]",
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
		`["` + strings.Repeat(`[{`, MaxDepth) + `"]`,
	} {
		if _, err := Parse("f", []byte(text)); err != nil {
			t.Errorf("Parse(%.60q) = %v, want it accepted", text, err)
		}
	}
}

func TestParseRefusesSize(t *testing.T) {
	raw := append(make([]byte, 0, MaxSize+1), "x"...)[:MaxSize]
	if _, err := Parse("f", raw); err == nil || strings.Contains(err.Error(), "bytes") {
		t.Fatalf("Parse of exactly MaxSize bytes = %v, want a complaint of its first byte", err)
	}
	_, err := Parse("f", append(raw, ' '))
	if want := "f:1:1: not JSON: more than 67108864 bytes"; err == nil || err.Error() != want {
		t.Errorf("Parse of MaxSize+1 bytes = %v, want %s", err, want)
	}
}

func TestCheckLineNamesTheLine(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"a":1}`, ""},
		{`{"a":`, `s:17:6: not JSON: unexpected end of line (at /a)`},
		{`{} {}`, `s:17:4: not JSON: more data after the value (expected end of line)`},
		{``, `s:17:1: not JSON: empty line (expected one JSON value)`},
	} {
		err := CheckLine("s", 17, []byte(tt.line))
		if got := text(err); got != tt.want {
			t.Errorf("CheckLine(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzParse: no text makes Parse panic, whatever it accepts encoding/json
// accepts too, an error is located inside the text, and its pointer leads to
// a value when the text in front of the fault is complete.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,{"b":null}]}`, `{"a":1,"a":2}`, "\ufeff{}", `[NaN]`, `["\ud800"]`, "[\"\xff\"]", `{"a":`, `{} x`, strings.Repeat("[", 300),
		"{\n\t\"k\" : \"v\\u00e9\\\\\" ,\r\n \"l\":-1.5e+10}", `[1,]`, "\x00", `{'a':1}`, "[1//x\n]", `tru`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := Parse("f", raw)
		if err == nil {
			if !stdjson.Valid(raw) {
				t.Fatalf("accepted %q, which encoding/json refuses", raw)
			}
			if _, err := doc.Value(); err != nil {
				t.Fatalf("Value of %q: %v", raw, err)
			}
			return
		}
		syntax, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Fatalf("error of type %T", err)
		}
		lines := strings.Split(string(raw), "\n")
		if syntax.Line < 1 || syntax.Line > len(lines) || syntax.Col < 1 || syntax.Col > len(lines[syntax.Line-1])+1 {
			t.Fatalf("%q: error at %d:%d is outside of the text", raw, syntax.Line, syntax.Col)
		}
		if syntax.Msg == "" {
			t.Fatalf("%q: error without a message", raw)
		}
		if _, ok := Tokens(syntax.Pointer); !ok {
			t.Fatalf("%q: %q is no pointer", raw, syntax.Pointer)
		}
	})
}
