package jsondoc

import (
	stdjson "encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type config struct {
	Kind     string             `json:"kind"`
	Rounds   int                `json:"maxRounds"`
	Port     uint16             `json:"port"`
	Stage    *int               `json:"stage"`
	List     []string           `json:"list"`
	Workers  []worker           `json:"workers"`
	ByID     map[string]worker  `json:"byId"`
	At       time.Time          `json:"at"`
	Wait     time.Duration      `json:"wait"`
	Any      any                `json:"any"`
	Raw      stdjson.RawMessage `json:"raw"`
	Number   stdjson.Number     `json:"number"`
	Ratio    float64            `json:"ratio"`
	Flag     bool               `json:"flag"`
	Pair     [2]int             `json:"pair"`
	Bytes    []byte             `json:"bytes"`
	Level    level              `json:"level"`
	Small    int8               `json:"small"`
	Embedded                    // promoted like encoding/json does
}

type worker struct {
	ID string `json:"workerId"`
	N  int    `json:"n,omitempty"`
}

// Neither reader takes a key of another letter case.
func TestKeysMatchExactly(t *testing.T) {
	const text = `{"workerId": "a", "WorkerID": "b", "WORKERID": 1, "n": 2, "N": 3}`
	var decoded, stored worker
	doc, err := Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Decode(&decoded); err != nil {
		t.Error(err)
	}
	if err := Unmarshal([]byte(text), &stored); err != nil {
		t.Error(err)
	}
	if want := (worker{"a", 2}); decoded != want || stored != want {
		t.Errorf("Decode gives %v, Unmarshal %v, want %v", decoded, stored, want)
	}
}

// level reads itself and knows no text at all.
type level int

func (*level) UnmarshalText([]byte) error { return errors.New("no level") }

type Embedded struct {
	Inner string `json:"inner"`
}

func TestDecode(t *testing.T) {
	var got config
	doc := mustParse(t, `{"kind":"x","maxRounds":3,"port":65535,"stage":null,"list":["a"],"workers":[{"workerId":"w","new":1}],
		"byId":{"a.b":{"workerId":"w","n":2}},"at":"2026-09-08T19:40:04Z","wait":1500000000,"any":{"big":12345678901234567890,"l":[1.0,{"n":1e3}]},
		"raw": {"b":1, "a":2.0},"number":1.50,"ratio":0.5,"flag":true,"pair":[1,2],"bytes":"aGk=","inner":"i","unknown":[1]}`)
	if err := doc.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := config{
		Kind: "x", Rounds: 3, Port: 65535, List: []string{"a"}, Workers: []worker{{ID: "w"}},
		ByID: map[string]worker{"a.b": {ID: "w", N: 2}}, At: time.Date(2026, 9, 8, 19, 40, 4, 0, time.UTC), Wait: 1500 * time.Millisecond,
		Any: map[string]any{"big": stdjson.Number("12345678901234567890"), "l": []any{stdjson.Number("1.0"), map[string]any{"n": stdjson.Number("1e3")}}},
		Raw: stdjson.RawMessage(`{"b":1, "a":2.0}`), Number: "1.50", Ratio: 0.5, Flag: true, Pair: [2]int{1, 2}, Bytes: []byte("hi"),
		Embedded: Embedded{Inner: "i"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A schema looks at "promptPath" only; a decoder that also took "PromptPath"
// could be made to use what nobody checked.
func TestDecodeMatchesKeysExactly(t *testing.T) {
	var got config
	if err := mustParse(t, `{"kind":"checked","KIND":"smuggled","Kind":"smuggled"}`).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "checked" {
		t.Errorf("Kind = %q, want %q", got.Kind, "checked")
	}
}

func TestDecodeErrorNamesThePlace(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{\n  \"maxRounds\": \"3\"}", `f:2:16: /maxRounds: string "3" (expected an integer)`},
		{`{"maxRounds": 1.5}`, `f:1:15: /maxRounds: number 1.5 (expected an integer)`},
		{`{"maxRounds": 99999999999999999999}`, `f:1:15: /maxRounds: number 99999999999999999999 (expected an integer from -9223372036854775808 to 9223372036854775807)`},
		{`{"port": 65536}`, `f:1:10: /port: number 65536 (expected an integer from 0 to 65535)`},
		{`{"port": -1}`, `f:1:10: /port: number -1 (expected an integer from 0 to 65535)`},
		{`{"stage": {}}`, `f:1:11: /stage: an object (expected an integer)`},
		{`{"list": ["a", 2]}`, `f:1:16: /list/1: number 2 (expected a string)`},
		{`{"list": {"a": 2}}`, `f:1:10: /list: an object (expected an array)`},
		{`{"workers": [{"workerId": "a"}, {"workerId": ["x"]}]}`, `f:1:46: /workers/1/workerId: an array (expected a string)`},
		{`{"byId": {"a/b": {"n": true}}}`, `f:1:24: /byId/a~1b/n: true (expected an integer)`},
		{`{"byId": {"a": 7}}`, `f:1:16: /byId/a: number 7 (expected an object)`},
		{`{"flag": 1}`, `f:1:10: /flag: number 1 (expected true or false)`},
		{`{"kind": 1}`, `f:1:10: /kind: number 1 (expected a string)`},
		{`{"ratio": "0.5"}`, `f:1:11: /ratio: string "0.5" (expected a number)`},
		{`{"at": "yesterday"}`, `f:1:8: /at: string "yesterday" (expected a time such as 2026-09-08T19:40:04Z)`},
		{`{"bytes": "%%"}`, `f:1:11: /bytes: string "%%" (expected base64 text)`},
		{`{"pair": [1,2,3]}`, `f:1:10: /pair: an array (expected an array of 2)`},
		{`{"number": "x"}`, `f:1:12: /number: string "x" (expected a number)`},
		{`{"level": "high"}`, `f:1:11: /level: string "high" (expected a value of jsondoc.level: no level)`},
		{`{"small": -129}`, `f:1:11: /small: number -129 (expected an integer from -128 to 127)`},
		{`[]`, `f:1:1: an array (expected an object)`},
		{`"x"`, `f:1:1: string "x" (expected an object)`},
	} {
		var got config
		err := mustParse(t, tt.text).Decode(&got)
		if text(err) != tt.want {
			t.Errorf("Decode(%s)\n got %s\nwant %s", tt.text, text(err), tt.want)
		}
		decode, ok := errors.AsType[*DecodeError](err)
		if !ok || decode.ExitStatus() != 2 {
			t.Errorf("Decode(%s) = %T, want a *DecodeError of status 2", tt.text, err)
		}
	}
}

func TestDecodeIntoNoPointerIsAnError(t *testing.T) {
	if err := mustParse(t, `{}`).Decode(config{}); err == nil {
		t.Error("Decode into a value succeeded, want an error")
	}
}

func TestValueKeepsDigits(t *testing.T) {
	got, err := mustParse(t, `{"a":[12345678901234567890,1.0,"x",true,null]}`).Value()
	want := map[string]any{"a": []any{stdjson.Number("12345678901234567890"), stdjson.Number("1.0"), "x", true, nil}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Value: %v\n%s", err, diff)
	}
}
