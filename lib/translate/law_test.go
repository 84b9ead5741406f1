package translate

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// readBack prepares sources, reads the file and restores every string.
func readBack(t interface{ Fatalf(string, ...any) }, sources []string) []string {
	ids := make([]string, len(sources))
	for i := range sources {
		ids[i] = ID(i + 1)
	}
	raw := FormatBlocks("A note.\nOf two lines.\n\n", ids, sources)
	got, err := ReadBlocks("T.md", raw, ids)
	if err != nil {
		t.Fatalf("ReadBlocks: %v", err)
	}
	for _, f := range got.Faults {
		if f.Check != CheckEmpty {
			t.Fatalf("%d: %s %s in\n%s", f.Line, f.Check, f.Message, raw)
		}
	}
	if len(got.Blocks) != len(sources) {
		t.Fatalf("%d blocks for %d sources", len(got.Blocks), len(sources))
	}
	back := make([]string, len(sources))
	for i, b := range got.Blocks {
		back[i] = Restore(sources[i], b.Text)
	}
	return back
}

func checkLaw(t interface{ Fatalf(string, ...any) }, sources []string) {
	for i, got := range readBack(t, sources) {
		if got != sources[i] {
			t.Fatalf("item %d came back as %q, went in as %q", i+1, got, sources[i])
		}
	}
}

// awkward are the pieces that an escape, a line end or a heading is made of.
var awkward = []string{
	"`", `\`, "\n", "\n", "\r", "\r\n", " ", "   ", "    ", "\t", "#", "##", "## ", "### ", "## T-", "## T-003", "T-001", "T-1000",
	"T-", "1", "\n---\n", "\n===", "-", "&#13;", "&amp;#13;", "&", "amp;", "#13;", "\u2028", "\u2029", "\u0085", "\v", "\f", "\u00a0",
	"\u3000", "\ufeff", "\x00", "\x1b", "x", "가", "텍스트", "<!--", "```", "|", "\\`", "`` ` ``",
}

func awkwardText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringN(0, 3, -1)), 0, 12).Draw(t, "pieces"), "")
	})
}

func TestReadingWhatWasPreparedGivesItBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkLaw(t, rapid.SliceOfN(awkwardText(), 1, 6).Draw(t, "sources"))
	})
}

func TestIdentityOfSourcesThatLookLikeTheGrammar(t *testing.T) {
	for _, source := range []string{
		"a \\` b", "`code` and \\`not code\\`", `\## T-001`, `\\## T-001`, "## T-001", "## T-x", "## T-", `\## T-`, "first\n## T-003\nlast",
		"### T-1000 among others", "##T-001", "## T-001 ##", "T-001\n---\nsetext", "   T-007", "    T-007", "#\u00a0T-001",
		"&#13;", "&amp;#13;", "&amp;amp;#13;", "a\rb", "a\r\nb", "a&\rb", "\n\n  a\n\n", "\r\nx\r\n", "only\n\n\ninner\n\nlines",
		"\u2028x\u2028", "\u00a0x\u3000", "\ufeff", "```\n## T-001\n```", "<!--\n## T-001\n-->", "T-shirt", `\T-001`, "", "\n", " ",
	} {
		t.Run(fmt.Sprintf("%q", source), func(t *testing.T) { checkLaw(t, []string{"before", source, "after"}) })
	}
}

func TestIdentityOfTenThousandItems(t *testing.T) {
	sources := make([]string, 10_000)
	for i := range sources {
		sources[i] = fmt.Sprintf("item %d\n%s", i+1, awkward[i%len(awkward)])
	}
	checkLaw(t, sources)
}

func TestBareBackticksAreReadLikeEscapedOnes(t *testing.T) {
	got, err := ReadBlocks("T.md", []byte("## T-001\nUse `fmt` here.\n\n## T-002\nUse \\`fmt\\` here.\n"), []string{"T-001", "T-002"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range got.Blocks {
		if b.Text != "Use `fmt` here." {
			t.Errorf("%s = %q, want a plain code span", b.ID, b.Text)
		}
	}
}

func TestATranslationGetsTheOuterWhiteSpaceOfItsSource(t *testing.T) {
	for _, tt := range []struct{ source, text, want string }{
		{"\n a \n", "\n\nb", "\n b \n"},
		{"a", " b\n", "b"},
		{"a\r\n", "b", "b\r\n"},
		{"\u00a0a", "b", "b"},
		{"  ", "", "  "},
	} {
		if got := Restore(tt.source, tt.text); got != tt.want {
			t.Errorf("Restore(%q, %q) = %q, want %q", tt.source, tt.text, got, tt.want)
		}
	}
}

// FuzzIdentity states the law for three strings at once.
func FuzzIdentity(f *testing.F) {
	f.Add("Use `fmt` here.", "\n## T-003\n", "a\rb\\`c&#13;")
	f.Add("T-001\n---", `\## T-002`, "&amp;#13;\u2028")
	f.Add("", "\ufeff", "##T-001 ##")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || !utf8.ValidString(c) {
			t.Skip("a document is UTF-8")
		}
		checkLaw(t, []string{a, b, c})
	})
}

// FuzzReadBlocks reads any file: it must not panic, and every block it gives
// is text that a block can hold.
func FuzzReadBlocks(f *testing.F) {
	f.Add([]byte("## T-001\none\n\n## T-002\ntwo\n"))
	f.Add([]byte("\ufeffnote\r\n### T-001\r\n\r\n##T-002\n## T-003 ##\nT-004\n----\n"))
	f.Add([]byte("## T-002: x\n## T-001 \n## T-"))
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		ask := []string{"T-001", "T-002", "T-004"}
		got, err := ReadBlocks("T.md", raw, ask)
		if err != nil {
			if utf8.Valid(raw) || len(got.Blocks) > 0 {
				t.Fatalf("error %v with %d blocks", err, len(got.Blocks))
			}
			return
		}
		whole := len(got.Faults) == 0
		for i, b := range got.Blocks {
			if b.Line < 1 || b.Text != strings.Trim(b.Text, outerSpace) {
				t.Fatalf("block %+v", b)
			}
			if whole && b.ID != ask[i] {
				t.Fatalf("block %d is %s in a file without faults", i, b.ID)
			}
		}
		if whole && len(got.Blocks) != len(ask) {
			t.Fatalf("%d blocks and no fault", len(got.Blocks))
		}
	})
}
