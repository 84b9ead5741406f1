package lines

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var needles = []*Needle{
	NewNeedle('g', `"usage"`),
	NewNeedle('.', `"usage.record"`),
	NewNeedle('_', `"token_count"`, `"turn_context"`, `"task_started"`, `"session_meta"`, `"token_usage_record"`),
}

// byWord is what Index means: the earliest place of any of the words.
func byWord(n *Needle, text string) int {
	first := len(text)
	for _, w := range n.words {
		if i := strings.Index(text, w); i >= 0 {
			first = min(first, i)
		}
	}
	return first
}

func TestNeedleFindsWordsAtEveryPlaceAndLength(t *testing.T) {
	for _, n := range needles {
		for _, word := range n.words {
			for size := range 80 {
				for at := 0; at+len(word) <= size; at++ {
					text := strings.Repeat(`"`, at) + word + strings.Repeat("_", size-at-len(word))
					if got, want := n.Index([]byte(text)), byWord(n, text); got != want {
						t.Fatalf("%q: %d, want %d", text, got, want)
					}
				}
			}
		}
	}
}

// The search for two bytes at once agrees with a search word by word on text
// that is full of beginnings of words.
func TestNeedleAgreesWithASearchWordByWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(needles).Draw(t, "needle")
		part := rapid.OneOf(rapid.SampledFrom(n.words), rapid.SampledFrom([]string{`"`, `_`, `"usag`, `token_`, `"turn_contex`, "\x00", "é", "g", `"..."`}), rapid.StringN(0, 20, 40))
		text := strings.Join(rapid.SliceOfN(part, 0, 30).Draw(t, "parts"), "")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		for _, s := range []string{text, text[:cut], text[cut:]} {
			if got, want := n.Index([]byte(s)), byWord(n, s); got != want {
				t.Fatalf("%q: %d, want %d", s, got, want)
			}
		}
	})
}

func TestNeedleRefusesWordsThatItCannotFind(t *testing.T) {
	for _, words := range [][]string{{"_x"}, {`"a_`, `xa_`}, {`"_`, `"a_`, `"ab_`, `"abc_`}, {`"none"`}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q accepted", words)
				}
			}()
			NewNeedle('_', words...)
		}()
	}
}

func FuzzNeedle(f *testing.F) {
	f.Add(0, []byte(`{"a":1,"usage":{}}`))
	f.Add(2, []byte(`"token_"token_usage_record"`))
	f.Fuzz(func(t *testing.T, which int, text []byte) {
		n := needles[uint(which)%uint(len(needles))]
		if got, want := n.Index(text), byWord(n, string(text)); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	})
}
