package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

func TestLineAndBlock(t *testing.T) {
	same := func(s string) [2]string { return [2]string{s, s} }
	for _, tt := range []struct {
		name, in string
		want     [2]string // Line, Block
	}{
		{"empty", "", same("")},
		{"plain", "two words, (all) ~ right!", same("two words, (all) ~ right!")},
		{"scripts and marks", "größe 한국어 日本語 Ελλάδα e\u0301", same("größe 한국어 日本語 Ελλάδα e\u0301")},
		{"line breaks", "a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi", [2]string{"a b c d e f g h i", "a\nb\nc\nd\ne\nf\ng\nh\ni"}},
		{"tab", "a\tb", [2]string{"a b", "a\tb"}},
		{"colours", "\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m", same("red x")},
		{"cursor and screen", "a\x1b[2J\x1b[1;1H\x1b[?25lb", same("ab")},
		{"CSI with intermediate", "\x1b[4 qx\x1b[!px", same("xx")},
		{"title, ended by BEL", "\x1b]0;title\ax", same("x")},
		{"title, ended by ST", "\x1b]2;title\x1b\\x", same("x")},
		{"hyperlink", "\x1b]8;;http://example.org\x1b\\click\x1b]8;;\x1b\\", same("click")},
		{"clipboard", "\x1b]52;c;cm0gLXJmIC8=\ax", same("x")},
		{"DCS", "a\x1bP1$r0m\x1b\\b", same("ab")},
		{"APC, PM, SOS", "a\x1b_x\x1b\\b\x1b^x\x1b\\c\x1bXx\x1b\\d", same("abcd")},
		{"BEL does not end a DCS", "a\x1bPx\ay\x1b\\b", same("ab")},
		{"charset and keypad", "\x1b(0x\x1b)By\x1b=z\x1b>", same("xyz")},
		{"reset", "\x1bcx", same("x")},
		{"8-bit CSI", "a\u009b31mb", same("ab")},
		{"8-bit OSC and ST", "a\u009d0;title\u009cb", same("ab")},
		{"8-bit introducer as a raw byte", "a\x9b31mb", same("a\ufffd31mb")},
		{"sequence cut off by the end", "a\x1b[31", same("a31")},
		{"string without end shows", "a\x1b]0;hidden", same("a0;hidden")},
		{"string broken off by another sequence", "\x1b]0;seen\x1b[31mred", same("0;seenred")},
		{"lone ESC", "a\x1b", same("a")},
		{"ESC in front of a line break", "a\x1b\nb", [2]string{"a b", "a\nb"}},
		{"ESC in front of a letter of another script", "a\x1b한", same("a한")},
		{"ESC ESC", "a\x1b\x1b[31mb", same("ab")},
		{"backspace, bell, NUL, DEL", "a\bb\ac\x00d\x7fe", same("abcde")},
		{"C1", "a\u0080b\u009fc", same("abc")},
		{"bidirectional overrides", "a\u202eb\u202cc\u2066d\u2069e\u200ef\u200fg\u061ch", same("abcdefgh")},
		{"zero width", "a\u200bb\u2060c\ufeffd\u00ade\u180ef\u034fg", same("abcdefg")},
		{"joiners stay", "\u06cc\u200c\u06a9 👩\u200d💻", same("\u06cc\u200c\u06a9 👩\u200d💻")},
		{"variation selector stays", "❤\ufe0f", same("❤\ufe0f")},
		{"tag characters", "x\U000e0041\U000e007fy", same("xy")},
		{"annotation", "x\ufff9y\ufffaz\ufffb", same("xyz")},
		{"prepended mark stays", "\u0600\u0661", same("\u0600\u0661")},
		{"no UTF-8", "a\xffb\xc3", same("a\ufffdb\ufffd")},
		{"no-break and wide blanks stay", "a\u00a0b\u3000c", same("a\u00a0b\u3000c")},
	} {
		for i, f := range []func(string) string{Line, Block} {
			if got := f(tt.in); got != tt.want[i] {
				t.Errorf("%s: %s(%q) = %q, want %q", tt.name, []string{"Line", "Block"}[i], tt.in, got, tt.want[i])
			}
		}
	}
}

func TestGraphemeCount(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"e\u0301x", 2},
		{"👩\u200d👩\u200d👧🇰🇷x", 3},
		{"한국어", 3},
		{"\u1112\u1161\u11ab\u1100", 2},
	} {
		if got := GraphemeCount(tt.s); got != tt.want {
			t.Errorf("GraphemeCount(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"größe", 5},
		{"한국어", 6},
		{"日本、。", 8},
		{"ｆｕｌｌ", 8},
		{"ｶﾅ", 2},
		{"e\u0301", 1},
		{"\u0301", 0},
		{"😀", 2},
		{"👩\u200d👩\u200d👧", 2},
		{"🇰🇷", 2},
		{"❤", 1},
		{"❤\ufe0f", 2},
		{"1\ufe0f\u20e3", 2},
		{"\u1112\u1161\u11ab", 2},
		{"क्ष", 2},
		{"\u200d", 0},
	} {
		if got := Width(tt.s); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s       string
		columns int
		want    string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 1, "…"},
		{"abcd", 0, ""},
		{"abcd", -5, ""},
		{"", 0, ""},
		{"한국어", 6, "한국어"},
		{"한국어", 5, "한국…"},
		{"한국어", 4, "한…"},
		{"한국어", 2, "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👩\u200d💻 x", 3, "👩\u200d💻…"},
	} {
		if got := Cut(tt.s, tt.columns); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.columns, got, tt.want)
		}
	}
}

var seeds = []string{
	"plain", "\x1b[31mred\x1b[0m", "\x1b]0;t\a", "\x1bP\x1b\\", "\u009b1m\u009d\u009c", "a\xff\x9b", "\x1b", "\x1b[", "\r\n\r", "한국어 👩\u200d💻", "\u202e\u200b\ufeff", "\x1b\x1b]\x1b[", "e\u0301\u0301", "\x1b \x1b#",
}

// FuzzLine: what is shown holds no escape, no control and no hidden character,
// is UTF-8, is left alone by a second pass, and is all of the input when that
// was harmless.
func FuzzLine(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, shown := range []struct {
			name, text, allowed string
			again               func(string) string
		}{
			{"Line", Line(s), "", Line},
			{"Block", Block(s), "\n\t", Block},
		} {
			if !utf8.ValidString(shown.text) {
				t.Fatalf("%s(%q) = %q is not UTF-8", shown.name, s, shown.text)
			}
			for _, r := range shown.text {
				if (unicode.IsControl(r) || hidden(r)) && !strings.ContainsRune(shown.allowed, r) {
					t.Fatalf("%s(%q) = %q holds %U", shown.name, s, shown.text, r)
				}
			}
			if again := shown.again(shown.text); again != shown.text {
				t.Fatalf("%s(%q) = %q, of which it is %q", shown.name, s, shown.text, again)
			}
		}
		if harmless(s) && Line(s) != s {
			t.Fatalf("Line(%q) = %q, want it unchanged", s, Line(s))
		}
	})
}

func harmless(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == '\u180e' || r == '\u034f'
	})
}

// FuzzCut: the cut text fits, is the text itself or a part of whole grapheme
// clusters from its beginning and an ellipsis, and nothing panics.
func FuzzCut(f *testing.F) {
	for i, seed := range seeds {
		f.Add(seed, i-2)
	}
	f.Fuzz(func(t *testing.T, s string, columns int) {
		got := Cut(s, columns)
		if w := Width(got); w > max(columns, 0) {
			t.Fatalf("Cut(%q, %d) = %q of %d columns", s, columns, got, w)
		}
		if got == s {
			return
		}
		kept, ok := strings.CutSuffix(got, ellipsis)
		if !ok && got != "" || !strings.HasPrefix(s, kept) {
			t.Fatalf("Cut(%q, %d) = %q is no beginning with an ellipsis", s, columns, got)
		}
		// Where bytes are no UTF-8 the clusters of a part are not those of the whole.
		if utf8.ValidString(s) && !endsCluster(s, len(kept)) {
			t.Fatalf("Cut(%q, %d) = %q cuts a grapheme cluster", s, columns, got)
		}
	})
}

// endsCluster reports whether a grapheme cluster of s ends at end.
func endsCluster(s string, end int) bool {
	clusters := graphemes.FromString(s)
	for clusters.Next() {
		if clusters.End() >= end {
			break
		}
	}
	return end == 0 || clusters.End() == end
}

// A hostile text costs time in proportion to its length.
func BenchmarkHostile(b *testing.B) {
	for _, bb := range []struct{ name, piece string }{
		{"strings-without-end", "\x1b]"}, {"8-bit-strings-without-end", "\u009d"}, {"CSI", "\x1b[0"}, {"parameters", "0"}, {"plain", "word "},
	} {
		text := "\x1b[" + strings.Repeat(bb.piece, 100_000)
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Line(text)
			}
		})
	}
}

func BenchmarkWidth(b *testing.B) {
	text := strings.Repeat("word 한국어 e\u0301 👩\u200d💻 ", 1000)
	b.Run("width", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Width(text)
		}
	})
	b.Run("clusters-alone", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for clusters := graphemes.FromString(text); clusters.Next(); {
			}
		}
	})
}
