package render

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"okstra/lib/safetext"
)

func TestPlainTextShowsLetterByLetter(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"scope-a", "scope-a"},
		{"retry_test.go", "retry_test.go"},
		{"__init__", `\_\_init\_\_`},
		{"a*b [x](y) <b> & | `c` \\", `a\*b \[x\](y) &lt;b> &amp; &#124; &#96;c&#96; \\`},
		{"two\nlines", "two<br>lines"},
		{"\x1b[31mred\x1b[0m\u202e", "red"},
	} {
		if got := markdownPlain(tt.in, place{}); got != tt.want {
			t.Errorf("markdownPlain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestProseKeepsLightMarkdown(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		at             place
	}{
		{"code span", "Use `fmt` here.", "Use `fmt` here.", place{}},
		{"code span with a pipe in a cell", "`a|b`", "`a\\|b`", place{table: true}},
		{"code span with a pipe elsewhere", "`a|b`", "`a|b`", place{}},
		{"code span over two lines", "`a\nb`", "`a b`", place{}},
		{"markup in a code span", "`<b>&amp;`", "`<b>&amp;`", place{}},
		{"open backtick", "a ` b", "a &#96; b", place{}},
		{"no span across paragraphs", "a ` b\n\nc ` d", "a &#96; b<br><br>c &#96; d", place{}},
		{"escaped backtick", "\\`a`", "&#96;a&#96;", place{}},
		{"emphasis", "**now** and _then_", "**now** and _then_", place{}},
		{"link", "[here](https://example.org/a)", "[here](https://example.org/a)", place{}},
		{"relative link", "[here](docs/x.md \"title\")", "[here](docs/x.md \"title\")", place{}},
		{"link with a pipe in a cell", "[a|b](x?y|z)", "[a&#124;b](x?y%7Cz)", place{table: true}},
		{"script link", "[x](javascript:alert)", `\[x](javascript:alert)`, place{}},
		{"script link in disguise", "[x](JAVA&#115;CRIPT&colon;a)", `\[x](JAVA&#115;CRIPT&colon;a)`, place{}},
		{"data link", "[x](data:text/html,a)", `\[x](data:text/html,a)`, place{}},
		{"link to another host", "[x](//example.org)", `\[x](//example.org)`, place{}},
		{"reference definition", "[x]: https://example.org", `\[x]: https://example.org`, place{start: true}},
		{"image", "![x](https://example.org/a.png)", `\![x](https://example.org/a.png)`, place{}},
		{"html", "<script>x</script>", "&lt;script>x&lt;/script>", place{}},
		{"autolink", "<https://example.org>", "&lt;https://example.org>", place{}},
		{"pipe", "a | b", "a &#124; b", place{table: true}},
		{"escaped pipe", `a \| b`, "a &#124; b", place{table: true}},
		{"backslash at a line end", "a\\\nb", `a\\<br>b`, place{}},
		{"backslash before a letter", `C:\dir`, `C:\\dir`, place{}},
		{"heading", "# x", `\# x`, place{start: true}},
		{"quote", "> x", `\> x`, place{start: true}},
		{"bullet", "- x", `\- x`, place{start: true}},
		{"number", "1. x", `1\. x`, place{start: true}},
		{"rule", "---", `\---`, place{start: true}},
		{"a hash in the middle of a cell", "# x", "# x", place{table: true}},
		{"a minus that is no bullet", "-1 is less", "-1 is less", place{start: true}},
		{"fence", "Run:\n```sh\ngo test\ngo vet\n```\nDone.", "Run:<br>`go test`<br>`go vet`<br>Done.", place{}},
		{"open fence", "```\nx | y", "`x \\| y`", place{table: true}},
		{"lines", "a\nb\r\nc\u2028d", "a<br>b<br>c<br>d", place{}},
		{"empty", " \n ", "", place{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := markdownProse(tt.in, tt.at); got != tt.want {
				t.Errorf("markdownProse(%q)\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

// hostile is what breaks out of a line, a cell, a paragraph or into markup.
var hostile = []string{
	"`", "``", "```", "\n", "\n\n", "|", `\`, "<", ">", "</td>", "<script>", "<!--", "-->", "[", "]", "(", ")", "](", "![", "[x](javascript:a)",
	"[x](https://a)", "javascript:", "&#58;", "&", "*", "**", "_", "~~", "~~~", "#", "# ", "- ", "1. ", "---", "===", "> ", "\t", "    ", " ", "a", "한",
	"\x1b[2J", "\x00", "\u202e", "\u2028", "<br>", "&lt;", "https://e.org", "| --- |", ":", "!", "\"", "[x]: /u",
}

func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 3, -1)), 0, 14).Draw(t, "pieces"), "")
	})
}

// checkMarkdownLaws writes a text in every place and reads the result with a
// Markdown parser.
func checkMarkdownLaws(t interface{ Fatalf(string, ...any) }, s string) {
	for name, write := range map[string]func(string, place) string{"plain": markdownPlain, "prose": markdownProse, "code": markdownCode} {
		for _, at := range []place{{start: true}, {table: true}, {}} {
			got := write(s, at)
			if strings.ContainsAny(got, "\n\r\x1b\x00") {
				t.Fatalf("%s of %q is more than one line, or holds controls: %q", name, s, got)
			}
			doc := got + "\n"
			switch {
			case at.table:
				doc = "| a | b |\n| --- | --- |\n| " + got + " | end |\n"
			case !at.start:
				doc = "label " + got + "\n"
			}
			checkTree(t, name, s, doc, at)
		}
	}
}

func checkTree(t interface{ Fatalf(string, ...any) }, name, s, doc string, at place) {
	tree := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader([]byte(doc)))
	cells := 0
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Text, *ast.String, *ast.Emphasis, *ast.CodeSpan, *east.Strikethrough:
		case *ast.Paragraph:
			if at.table || n.Parent().ChildCount() != 1 {
				t.Fatalf("%s of %q makes a paragraph:\n%s", name, s, doc)
			}
		case *east.Table, *east.TableHeader, *east.TableRow:
			if !at.table {
				t.Fatalf("%s of %q makes a table:\n%s", name, s, doc)
			}
		case *east.TableCell:
			cells++
		case *ast.RawHTML:
			if raw := string(n.Segments.Value([]byte(doc))); raw != "<br>" {
				t.Fatalf("%s of %q makes HTML %q:\n%s", name, s, raw, doc)
			}
		case *ast.Link:
			if !safetext.SafeLink(string(n.Destination)) {
				t.Fatalf("%s of %q links to %q:\n%s", name, s, n.Destination, doc)
			}
		default:
			t.Fatalf("%s of %q makes a %s:\n%s", name, s, n.Kind(), doc)
		}
		return ast.WalkContinue, nil
	})
	if err != nil || at.table && cells != 4 {
		t.Fatalf("%s of %q gives %d cells, not 4 (%v):\n%s", name, s, cells, err, doc)
	}
}

func TestNoTextBreaksOutOfItsPlaceInMarkdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkMarkdownLaws(t, hostileText().Draw(t, "text")) })
}

func FuzzMarkdownText(f *testing.F) {
	for _, s := range []string{"Use `fmt` here.", "`a|b`|<x>", "[x](javascript:a)\n# y", "\\`` a `` \\|", "~~~\n|\n~~~", "1) x\n---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkdownLaws(t, s) })
}
