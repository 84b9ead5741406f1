package rawjson

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var texts = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e-3`, `true`, `null`, ` { "a" : [ 1 , 2 ] } `,
	`{"a":{"b":"c\"d\\"},"e":[{},[],""]}`, `"\u00e9\ud83d"`, `"long text without any escape at all in it"`,
	``, `{`, `}`, `[1,]`, `[,1]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `01`, `1.`, `.5`, `1e`, `+1`, `-`, `tru`, `nulll`,
	`"\x"`, `"\u12g4"`, `"\u12`, "\"a\nb\"", "\"a\x00b\"", `"open`, `{}{}`, `1 2`, `[1 2]`, `{"a":1 "b":2}`, "\"\xff\xfe\"", "\ufeff{}", `[[[[[[]]]]]]`, `[}`, `{]`,
	`"12345678\`, `"1234567"`, `"12345678"`, `"123456789"`, "\"\x7f\x80\x1f\"",
}

func accepts(text []byte) bool {
	c := New(text)
	c.Skip()
	return !c.Bad() && c.AtEnd()
}

func TestCursorAcceptsWhatEncodingJSONAccepts(t *testing.T) {
	for _, text := range texts {
		if got, want := accepts([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("accepts(%q) = %v, want %v", text, got, want)
		}
	}
	for _, depth := range []int{maxDepth - 1, maxDepth, maxDepth + 1} {
		text := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := accepts(text), json.Valid(text); got != want {
			t.Errorf("accepts(%d levels) = %v, want %v", depth, got, want)
		}
	}
}

// Every byte at every place of a string, long enough for all ways to look at it.
func TestCursorSeesEveryByteOfAString(t *testing.T) {
	for size := range 100 {
		text := []byte(`"` + strings.Repeat("x", size) + `"` + strings.Repeat(" ", 40))
		for at := 1; at <= size; at++ {
			for c := range 256 {
				text[at] = byte(c)
				cursor := New(text)
				got, ok := cursor.Text()
				want, wantOK := text[1:size+1], c >= 0x20 && c != '\\'
				if c == '"' {
					want = text[1:at]
				}
				if c == '\\' && (at == size || text[at+1] == 'x') {
					want = nil // no escape, or of the closing quotation mark
				}
				if !wantOK {
					want = nil
				}
				if ok != wantOK || string(got) != string(want) {
					t.Fatalf("%q: %q, %v, want %q, %v", text, got, ok, want, wantOK)
				}
			}
			text[at] = 'x'
		}
	}
}

func FuzzCursor(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := accepts(text), json.Valid(text); got != want {
			t.Errorf("accepts(%q) = %v, want %v", text, got, want)
		}
	})
}

func TestObjectMembersInOrder(t *testing.T) {
	c := New([]byte(`{"a":1,"b":{"a":2,"c":[{},3]},"":true,"d":"x\ty"}`))
	var got []string
	c.Object()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		got = append(got, fmt.Sprintf("%s=%s", key, c.Skip()))
	}
	want := `[a=1 b={"a":2,"c":[{},3]} =true d="x\ty"]`
	if fmt.Sprint(got) != want || !c.AtEnd() {
		t.Errorf("members = %v (at end %v), want %s", got, c.AtEnd(), want)
	}
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{`plain`: "plain", `a\"b\\\u00e9\n`: "a\"b\\é\n", ``: ""} {
		if got := string(Unquote([]byte(raw))); got != want {
			t.Errorf("Unquote(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestParseCount(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"7", 7, true},
		{"null", 0, true},
		{"-0", 0, true},
		{"-0.0e9", 0, true},
		{"1.0", 1, true},
		{"1e3", 1000, true},
		{"1.5e1", 15, true},
		{"100e-2", 1, true},
		{"12000e-3", 12, true},
		{"9007199254740992", 1 << 53, true},
		{"9007199254740993", 0, false},
		{"9.007199254740992e15", 1 << 53, true},
		{"9007199254740991.5", 0, false},
		{"1.00000000000000000001", 0, false},
		{"0.00000000000000000001e20", 1, true},
		{"-1", 0, false},
		{"1.5", 0, false},
		{"1e400", 0, false},
		{"1e-400", 0, false},
		{"0e99999999999999999999", 0, true},
		{"1e99999999999999999999", 0, false},
		{"1e-99999999999999999999", 0, false},
		{`"7"`, 0, false},
		{"true", 0, false},
		{"{}", 0, false},
		{"[]", 0, false},
		{"99999999999999999999", 0, false},
	} {
		got, ok := ParseCount([]byte(tt.raw))
		if got != tt.want || ok != tt.ok {
			t.Errorf("ParseCount(%s) = %d, %v, want %d, %v", tt.raw, got, ok, tt.want, tt.ok)
		}
	}
}

func TestParseCountAgreesWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := fmt.Sprintf("%d", rapid.Int64Range(-2, 1<<60).Draw(t, "int"))
		if rapid.Bool().Draw(t, "fraction") {
			raw += "." + rapid.StringMatching(`[0-9]{1,20}`).Draw(t, "digits")
		}
		if rapid.Bool().Draw(t, "scaled") {
			raw += fmt.Sprintf("e%d", rapid.IntRange(-25, 25).Draw(t, "exponent"))
		}
		want, _ := new(big.Rat).SetString(raw)
		wantOK := want.IsInt() && want.Sign() >= 0 && want.Num().Cmp(big.NewInt(MaxCount)) <= 0
		got, ok := ParseCount([]byte(raw))
		if ok != wantOK || ok && big.NewInt(got).Cmp(want.Num()) != 0 {
			t.Errorf("ParseCount(%s) = %d, %v, want %s, %v", raw, got, ok, want, wantOK)
		}
	})
}
