package jsondoc

import (
	"bytes"
	stdjson "encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzValueIsTheStandardLibrarys: whatever strict reading lets through is
// decoded into the very value that encoding/json gives with UseNumber.
func FuzzValueIsTheStandardLibrarys(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, ` "a\u2028\n\ud83d\ude00" `, `-0.0e+10`, `123456789012345678901234567890`,
		`{"a":{"b":[],"c":[{"d":[[1,2.50],true,false,null]}]},"":"","\u0061b":1}`,
		"[\n  \"x\",\t{ \"k\" : [ ] } ]\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := Parse("doc", raw)
		if err != nil {
			return
		}
		got, err := doc.Value()
		if err != nil {
			t.Fatalf("Value(%q): %v", raw, err)
		}
		dec := stdjson.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("encoding/json on %q: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Value(%q) differs (-want +got):\n%s", raw, diff)
		}
	})
}

// BenchmarkValue decodes a row and a document beside encoding/json.
func BenchmarkValue(b *testing.B) {
	row := []byte(`{"runId":"shop:pay:x:error-analysis:002","at":"2026-09-08T19:40:04Z","kind":"progress","line":"PROGRESS: phase-1-intake"}`)
	document := append(append([]byte(`[`), bytes.Repeat(append(row, ','), 500)...), `0]`...)
	for _, in := range []struct {
		name string
		raw  []byte
	}{{"row", row}, {"document", document}} {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.raw)))
			for b.Loop() {
				if _, err := decodeAny(in.raw, "doc"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(in.name+"-encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(in.raw)))
			for b.Loop() {
				dec := stdjson.NewDecoder(bytes.NewReader(in.raw))
				dec.UseNumber()
				var v any
				if err := dec.Decode(&v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
