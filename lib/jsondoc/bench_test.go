package jsondoc

import (
	stdjson "encoding/json"
	"testing"
)

// BenchmarkParse sets strict reading beside encoding/json, which checks the
// grammar only, or also builds the value.
func BenchmarkParse(b *testing.B) {
	raw := largeDocument(40_000)
	for _, bb := range []struct {
		name string
		run  func() error
	}{
		{"jsondoc", func() error { _, err := Parse("f", raw); return err }},
		{"encoding-json-valid", func() error { stdjson.Valid(raw); return nil }},
		{"encoding-json-any", func() error { var v any; return stdjson.Unmarshal(raw, &v) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := bb.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode sets decoding into a struct beside encoding/json.
func BenchmarkDecode(b *testing.B) {
	raw := largeDocument(40_000)
	doc, err := Parse("f", raw)
	if err != nil {
		b.Fatal(err)
	}
	type rows struct {
		Rows []struct {
			ID   string `json:"id"`
			Text string `json:"text"`
			N    int    `json:"n"`
		} `json:"rows"`
	}
	for _, bb := range []struct {
		name string
		run  func(*rows) error
	}{
		{"jsondoc", func(v *rows) error { return doc.Decode(v) }},
		{"encoding-json", func(v *rows) error { return stdjson.Unmarshal(raw, v) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				var v rows
				if err := bb.run(&v); err != nil || len(v.Rows) != 10_000 {
					b.Fatal(err)
				}
			}
		})
	}
}
