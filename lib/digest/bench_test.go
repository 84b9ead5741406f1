package digest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

func payload() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"path":"src/module-%d/file.go","locations":["/risks/%d/statement","/a/b"],"text":"Größe <%d> & \"quoted\" text of a usual length, as reports have it","n":%d,"at":null}`, i, i, i, i*i)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// BenchmarkCanonical sets the canonical form beside the nearest thing that
// encoding/json can do, which is to decode and to encode again: keys sorted,
// but escapes and floats of its own.
func BenchmarkCanonical(b *testing.B) {
	raw := payload()
	for _, bb := range []struct {
		name string
		run  func() error
	}{
		{"canonical", func() error { _, err := Canonical(raw); return err }},
		{"digest", func() error { _, err := JSON(raw); return err }},
		{"encoding-json", func() error {
			var v any
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.UseNumber()
			if err := dec.Decode(&v); err != nil {
				return err
			}
			_, err := json.Marshal(v)
			return err
		}},
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
