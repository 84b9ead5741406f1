package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

func stream() []byte {
	var b bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%d","usage":{"input_tokens":%d,"output_tokens":7},"content":[{"type":"text","text":"some text, größer als nötig, \n with escapes"}]},"timestamp":"2026-09-08T19:40:04.123Z"}`+"\n", i, i)
	}
	return b.Bytes()
}

// BenchmarkRows sets strictly checked rows beside what the standard library
// offers: its decoder, and its scanner with a check of the grammar.
func BenchmarkRows(b *testing.B) {
	raw := stream()
	for _, bb := range []struct {
		name  string
		count func() int
	}{
		{"rows", func() (n int) {
			for _, err := range Rows(bytes.NewReader(raw), "s") {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			return n
		}},
		{"lines", func() (n int) {
			for range Lines(bytes.NewReader(raw), "s") {
				n++
			}
			return n
		}},
		{"encoding-json-decoder", func() (n int) {
			dec := json.NewDecoder(bytes.NewReader(raw))
			for dec.More() {
				var v json.RawMessage
				if err := dec.Decode(&v); err != nil {
					b.Fatal(err)
				}
				n++
			}
			return n
		}},
		{"scanner-and-valid", func() (n int) {
			s := bufio.NewScanner(bytes.NewReader(raw))
			for s.Scan() {
				if !json.Valid(s.Bytes()) {
					b.Fatal("invalid")
				}
				n++
			}
			return n
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if n := bb.count(); n != 20_000 {
					b.Fatal(n)
				}
			}
		})
	}
}
