package stream

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// benchStream is a stream of some megabytes with the kinds of events that
// agents print most: pieces of text, replies, tool calls and their results.
func benchStream() []byte {
	var out bytes.Buffer
	out.WriteString(`{"type":"system","subtype":"init","session_id":"s-1","cwd":"/srv/shop"}` + "\n")
	text := strings.Repeat("a line of words that says something; ", 6)
	for i := range 4000 {
		fmt.Fprintf(&out, `{"type":"text","data":%q}`+"\n", text)
		fmt.Fprintf(&out, `{"type":"assistant","message":{"id":"m%d","content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"output_tokens":7}}}`+"\n", i, text, i)
		fmt.Fprintf(&out, `{"type":"item.completed","item":{"type":"command_execution","command":"ls","aggregated_output":%q,"exit_code":0}}`+"\n", "a.txt\nb.txt\n")
		fmt.Fprintf(&out, `{"type":"text","data":%q}`+"\n", strings.Repeat("합의한 결과를 적는다 ", 10))
	}
	out.WriteString(`{"type":"result","is_error":false,"usage":{"input_tokens":5,"output_tokens":6}}` + "\n")
	return out.Bytes()
}

// BenchmarkReader is what reading a stream costs, beside the mere check
// whether each line is JSON.
func BenchmarkReader(b *testing.B) {
	text := benchStream()
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r := NewReader(claude, io.Discard)
			_, _ = r.Write(text)
			r.Close()
		}
	})
	b.Run("gjson-valid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for line := range bytes.Lines(text) {
				if !gjson.ValidBytes(line) {
					b.Fatal(string(line))
				}
			}
		}
	})
}
