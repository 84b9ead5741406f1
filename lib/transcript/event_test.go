package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func encoded(t interface{ Fatal(...any) }, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Every byte at every place of a text, long enough for all ways to look at it.
func TestStringsAreWrittenAsEncodingJSONWritesThem(t *testing.T) {
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				text := []byte(strings.Repeat("x", size))
				text[at] = byte(c)
				if got, want := string(AppendString(nil, string(text))), encoded(t, string(text)); got != want {
					t.Fatalf("%q: %s, want %s", text, got, want)
				}
			}
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("plain text of some length")
	f.Add("\u2028 <b> & \x7f \xff\x00 \"quoted\" \\")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(AppendString([]byte("…"), s)), "…"+encoded(t, s); got != want {
			t.Fatalf("%q: %s, want %s", s, got, want)
		}
	})
}

func TestEventsAreWrittenAsEncodingJSONWritesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z0-9/:."\\\\-]{0,40}`))
		count := rapid.Int64Range(0, 1<<53)
		e := Event{
			Provider: text.Draw(t, "provider"), Session: text.Draw(t, "session"), Agent: text.Draw(t, "agent"), CWD: text.Draw(t, "cwd"),
			TS: text.Draw(t, "ts"), Model: text.Draw(t, "model"), Speed: rapid.SampledFrom([]string{"", "fast"}).Draw(t, "speed"),
			Counts:      Counts{Input: count.Draw(t, "input"), CacheRead: count.Draw(t, "read"), CacheWrite5m: count.Draw(t, "5m"), CacheWrite1h: count.Draw(t, "1h"), Output: count.Draw(t, "output"), Reasoning: count.Draw(t, "reasoning")},
			Placeholder: rapid.Bool().Draw(t, "placeholder"), Incomplete: rapid.Bool().Draw(t, "incomplete"), Calls: rapid.Int64Range(0, 5).Draw(t, "calls"),
			Source: Source{Path: text.Draw(t, "path"), Line: rapid.IntRange(1, 1<<40).Draw(t, "line")},
		}
		if got, want := string(e.AppendJSON(nil)), encoded(t, e); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}

func TestNotesAreWrittenAsEncodingJSONWritesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Note{
			Files: rapid.Int().Draw(t, "files"), Bytes: rapid.Int64().Draw(t, "bytes"),
			SkippedLines: rapid.Int64().Draw(t, "skipped"), BadNumbers: rapid.Int64().Draw(t, "bad"),
			ContextFills: rapid.Int64().Draw(t, "fills"), Inherited: rapid.Int64().Draw(t, "inherited"),
		}
		if got, want := string(n.AppendJSON(nil)), encoded(t, n); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}

// What was kept stays, whatever is kept after it and whatever becomes of its source.
func TestKeptTextsLast(t *testing.T) {
	var texts Texts
	var kept, want []string
	buf := make([]byte, 0, 1<<17)
	for i := range 3000 {
		buf = append(buf[:0], strings.Repeat(string(rune('a'+i%26)), i%700)...)
		if i%1000 == 999 {
			buf = append(buf[:0], strings.Repeat("long", 1<<15)...)
		}
		kept, want = append(kept, texts.Keep(buf)), append(want, string(buf))
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("text %d is %.40q, want %.40q", i, kept[i], want[i])
		}
	}
}

// sized is a text that says how much of it is left, or what it takes that to be.
type sized struct {
	*strings.Reader
	wrong int64
}

func (s sized) Rest() int64 { return max(0, int64(s.Len())+s.wrong) }

func TestAllIsReadWhateverTheSizeIsTakenToBe(t *testing.T) {
	text := strings.Repeat("text ", 5000)
	for _, wrong := range []int64{0, -100, 100, -1 << 20} {
		if got, err := ReadAll(sized{strings.NewReader(text), wrong}); err != nil || string(got) != text {
			t.Errorf("%d bytes wrong: %d of %d bytes, %v", wrong, len(got), len(text), err)
		}
	}
	if got, err := ReadAll(strings.NewReader(text)); err != nil || string(got) != text {
		t.Errorf("without a size: %d bytes, %v", len(got), err)
	}
}
