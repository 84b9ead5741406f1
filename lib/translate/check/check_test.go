package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"okstra/lib/finding"
)

// korean compares an English source with a Korean translation.
func korean() *Checker { return New(Options{Source: language.English, Target: language.Korean}) }

// brief is one line a result: its check, then missing and extra.
func brief(results []Result) []string {
	var lines []string
	for _, r := range results {
		s := r.Check
		if len(r.Missing) > 0 {
			s += " -" + strings.Join(r.Missing, " -")
		}
		if len(r.Extra) > 0 {
			s += " +" + strings.Join(r.Extra, " +")
		}
		lines = append(lines, s)
	}
	return lines
}

// errorsOf leaves the warnings out.
func errorsOf(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Level != finding.Error })
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, source, target string
		want                 []string
	}{
		{"code spans in another order", "`a` then `b`.", "`b` 다음 `a`.", nil},
		{"a code span lost", "Use `fmt` here.", "fmt 를 쓴다.", []string{"code-span -`fmt`"}},
		{"a code span translated", "Use `fmt` here.", "`형식` 를 쓴다.", []string{"code-span -`fmt` +`형식`"}},
		{"code is not looked into", "`%s {x} https://a C-01`", "`%s {x} https://a C-01`", nil},
		{"a fence changed", "```sh\ngo test\n```", "```sh\ngo vet\n```", []string{"code-fence -```sh\ngo test\n +```sh\ngo vet\n"}},
		{"a fence lost its lines", "x\n```\na\nb\n```\ny", "x\n- a\n- b\ny", []string{"code-fence -```\na\nb\n", "structure +bullet"}},

		{"placeholders of every form", "{{a}} {b} ${c} <D> %s %d %1$s %(x)s %5.2f %-3d", "%-3d %5.2f %(x)s %1$s %d %s <D> ${c} {b} {{a}}", nil},
		{"a placeholder more often", "{n} of {n}", "{n}", []string{"placeholder -{n}"}},
		{"a percentage is none", "100 % sure, 50% done.", "100 % 확실, 50% 완료.", nil},
		{"a Turkish percentage is none", "80% done", "%80 완료", nil},
		{"a doubled percent sign is none", "%%s", "%% 기호", nil},
		{"a tag is none", "<b>x</b>", "<b>엑스</b>", nil},

		{"link text may change", "See [the guide](docs/x.md).", "[안내서](docs/x.md) 를 보라.", nil},
		{"link title may change", "[a](x \"Title\")", "[가](x \"제목\")", nil},
		{"reference links", "[a][r]\n\n[r]: https://a.example", "[가][r]\n\n[r]: https://b.example", []string{"link -https://a.example +https://b.example"}},
		{"image", "![a](x.png)", "![가](y.png)", []string{"link -x.png +y.png"}},
		{"bare URL", "At https://a.example/x, now.", "지금 https://a.example/x에서.", nil},
		{"bare URL changed", "At https://a.example/x.", "https://a.example/y 에서.", []string{"url -https://a.example/x +https://a.example/y"}},

		{"ids followed by particles", "C-001 and PAY-7 at a/b.go:12-14, 5f0c0c7d.", "a/b.go:12-14의 C-001과 PAY-7, 5f0c0c7d에서.", nil},
		{"an id changed", "C-001", "C-002", []string{"id -C-001 +C-002"}},
		{"a line number changed", "At x.go:12.", "x.go:13 에서.", []string{"id -x.go:12 +x.go:13"}},
		{"a commit shortened", "In 5f0c0c7d1.", "5f0c0c7 에서.", []string{"id -5f0c0c7d1 +5f0c0c7"}},
		{"plain numbers and words are no ids", "1234567 defaced UTF-8-like", "결함 UTF-8-like", nil},

		{"attributes for people may change", `<a href="x" title="T">y</a>`, `<a href="x" title="티">와</a>`, nil},
		{"an attribute for machines may not", `<a href="x">y</a>`, `<a href="z">와</a>`, []string{`tag -<a href="x"> +<a href="z">`}},
		{"nesting", "<b><i>x</i></b>", "<b><i>엑스</b></i>", []string{"tag"}},
		{"a void tag needs no closing", "a<br>b<hr>", "가<br>나<hr>", nil},

		{"a line break in a cell lost", "a<br>b", "가 나", []string{"structure -<br>"}},
		{"<br/> is <br>", "a<br>b", "가<br/>나", nil},
		{"a pipe that would end a cell", "a or b", "가 | 나", []string{"structure +|"}},
		{"an escaped pipe is none", `a \| b`, `가 \| 나`, nil},
		{"one line has become two", "a b", "가\n나", []string{"structure"}},
		{"several lines may flow anew", "a\nb\nc", "가\n나", nil},
		{"a number that begins a list", "On March 3.", "3. 3월에", []string{"structure +list number"}},
		{"a heading", "No. 1", "# 1번", []string{"structure +heading"}},
		{"a setext heading", "a\nb", "가\n---", []string{"structure +heading"}},
		{"bullets that were there", "- a\n- b", "* 가\n* 나", nil},

		{"a newline lost", "a\n", "가", []string{`newline -\n`}},
		{"a newline too many", "a", "\n가", []string{`newline +\n`}},
		{"a control character", "a", "가\x1b[1m", []string{"control +U+001B"}},
		{"a control character that was there", "a\x07", "가\x07", nil},
		{"a lone CR", "a", "가\r나", []string{"control +U+000D"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(errorsOf(korean().Compare(tt.source, tt.target)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The cases below are what users of other tools reported; the names say where.
func TestReportedFaults(t *testing.T) {
	for _, tt := range []struct {
		name, source, target string
		want                 []string
	}{
		{"weblate 3649: a space between text and destination", "Read [the docs](https://d.example).", "[문서] (https://d.example) 를 읽는다.", []string{"link -https://d.example"}},
		{"weblate 5507: an autolink closed like a tag", "See <https://weblate.org>.", "<https:></https:> 를 본다.", []string{"link -https://weblate.org +https:"}},
		{"weblate 2573: the text of a link is translated", "[Contributing](CONTRIBUTING.md)", "[기여하기](CONTRIBUTING.md)", nil},
		{"weblate 21494: links in another order with their titles", "[a](x \"A\") and [b](y \"B\")", "[나](y \"비\") 그리고 [가](x \"에이\")", nil},
		{"weblate 8172: a word, a placeholder, the word again", "Copy the {x} the user gave.", "그 {x} 그", nil},
		{"weblate 15516: a word, markup, the word again", "in <b>in</b>", "안 <b>안</b>", nil},
		{"dify 31178: a translated placeholder", "{{count}} items", "{{개수}} 개 항목", []string{"placeholder -{{count}} +{{개수}}"}},
		{"tldraw 9867: a translated name", "Hello {name}", "안녕 {이름}", []string{"placeholder -{name} +{이름}"}},
		{"tldraw 9867: a translated tag", "<link>Here</link>", "<링크>여기</링크>", []string{"placeholder +<링크>", "tag -<link> -</link>"}},
		{"tldraw 9867: a translated tag in Latin letters", "<name>x</name>", "<navn>x</navn>", []string{"tag -<name> -</name> +<navn> +</navn>"}},
		{"tldraw 9867: a lone name in angles", "Give <name> first.", "먼저 <navn>.", []string{"placeholder -<name> +<navn>"}},
		{"pontoon 2449, translate 236: <process ID> is no tag", "kill <process ID>", "kill <프로세스 ID>", nil},
		{"jamulus 934: markup inside a sentence moves with its words", "Press <b>OK</b> to go on.", "계속하려면 <b>확인</b>을 누른다.", nil},
		{"po4a 376: a fence is no list", "```\n- a\n- b\n```", "```\n- a\n- b\n```", nil},
		{"po4a 546: list items glued together keep no marker the source lacks", "- a\n- b", "- 가 - 나", nil},
		{"koreader 136: a transposed percent sign", "%1 files", "1% 파일", []string{"placeholder -%1"}},
		{"koreader 136: a percent sign set apart", "%1 files", "% 1 파일", []string{"placeholder -%1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(errorsOf(korean().Compare(tt.source, tt.target)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestICU(t *testing.T) {
	const files = "{n, plural, one {# file} other {# files}}"
	for _, tt := range []struct {
		name, source, target string
		want                 []string
	}{
		{"other categories of another language", files, "{n, plural, other {파일 #개}}", nil},
		{"more categories", files, "{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}", nil},
		{"a keyword translated", files, "{n, 복수, other {파일 #개}}", []string{"icu"}},
		{"a category translated", files, "{n, plural, 하나 {#} other {#}}", []string{"icu +하나"}},
		{"other lost", files, "{n, plural, one {# 파일}}", []string{"icu -other"}},
		{"an empty branch", files, "{n, plural, one {} other {# 개}}", []string{"icu"}},
		{"an argument renamed", files, "{개수, plural, other {#}}", []string{"icu -{n, plural} +{개수, plural}"}},
		{"weblate 8383: few is compared with other, not with one", "{n, plural, one {a file} other {# files}}", "{n, plural, one {plik} few {# pliki} other {# pliku}}", nil},
		{"the number lost where it is needed", files, "{n, plural, other {파일들}}", []string{"icu -#"}},
		{"the number by its name", files, "{n, plural, other {파일 {n}개}}", []string{"icu +{n}"}},
		{"the number may be a word", files, "{n, plural, one {하나} other {#}}", nil},
		{"an exact case lost", "{n, plural, =0 {none} other {#}}", "{n, plural, other {#}}", []string{"icu -=0"}},
		{"a choice translated", "{g, select, female {her} other {their}}", "{g, select, 여성 {그녀} other {그들}}", []string{"icu -female", "icu +여성"}},
		{"a nested argument lost", "{n, plural, other {# of {all}}}", "{n, plural, other {#}}", []string{"icu -{all}"}},
		{"a nested argument lost in one branch", "{n, plural, one {# of {all}} other {# of {all}}}", "{n, plural, one {# of {all}} other {#}}", []string{"icu -{all}"}},
		{"a style translated", "{d, date, short}", "{d, date, 짧게}", []string{"icu -{d, date, short} +{d, date, 짧게}"}},
		{"braces that do not close", files, "{n, plural, other {# 개}", []string{"icu"}},
		{"prose with braces is no message", "a {b, c} d", "가 {나, 다} 라", nil},
		{"an apostrophe quotes a brace", "'{' {n, plural, other {#}}", "'{' {n, plural, other {#}}", nil},
		{"branches are prose, not placeholders", "{n, plural, one {file} other {files}}", "{n, plural, one {파일} other {파일들}}", nil},
		{"what the source lacks is not asked for", "{n, plural, one {}}", "{n, plural, one {}}", nil},
		{"offset", "{n, plural, offset:1 other {#}}", "{n, plural, offset: 1 other {#}}", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(errorsOf(korean().Compare(tt.source, tt.target)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name, lang, source, target string
		want                       []string
	}{
		{"a long text left as it was", "ko", "This was not touched at all.", "This was not touched at all.", []string{"unchanged"}},
		{"three words may be a name", "ko", "Go Test Suite", "Go Test Suite", nil},
		{"the same script", "de", "Port in Berlin and Hamburg", "Port in Berlin and Hamburg", nil},
		{"a number lost", "ko", "Retry 3 times.", "다시 한다.", []string{"number -3"}},
		{"digits of another script", "ar", "12 files.", "١٢ ملفات.", nil},
		{"thousands in another way", "de", "1,000 files.", "1.000 Dateien.", nil},
		{"an id is no number", "ko", "See C-001.", "C-001 을 본다.", nil},
		{"a full stop of the language", "ja", "Done.", "完了。", nil},
		{"a question mark of the language", "ar", "Really?", "حقا؟", nil},
		{"a Greek question", "el", "Really?", "Αλήθεια;", nil},
		{"Thai has no full stop", "th", "Done.", "เสร็จแล้ว", nil},
		{"a full stop lost", "de", "Done.", "Fertig", []string{"end-punctuation -full stop"}},
		{"a mark inside markup", "de", "**Done.**", "**Fertig.**", nil},
		{"another mark", "de", "Done:", "Fertig!", []string{"end-punctuation -colon +exclamation mark"}},
		{"a word twice", "de", "In the house.", "In dem dem Haus.", []string{"double-word +dem"}},
		{"a word twice in the source as well", "de", "That that is.", "Dass dass ist.", nil},
		{"a language that repeats", "id", "Children.", "Anak anak.", nil},
		{"far too long", "de", "This is a sentence of normal length.", strings.Repeat("Das ist ein Satz. ", 12), []string{"length"}},
		{"Korean is short", "ko", "This sentence says something of some length here.", "이 문장은 길이가 좀 있다.", nil},
		{"a bidirectional control", "ko", "Done.", "완료\u202e.", []string{"bidi +U+202E"}},
		{"a zero-width space", "ko", "Done.", "완\u200b료.", []string{"bidi +U+200B"}},
		{"a joiner that Persian needs", "fa", "Done.", "می\u200cشود.", nil},
		{"brackets that do not pair", "ko", "a (b) c", "가 (나 다", []string{"bracket +()"}},
		{"wide brackets pair", "ko", "a (b) c", "가（나）다", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := New(Options{Source: language.English, Target: language.MustParse(tt.lang)})
			results := c.Compare(tt.source, tt.target)
			if diff := cmp.Diff(tt.want, brief(results)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(errorsOf(results)) > 0 {
				t.Errorf("a warning is an error: %q", brief(results))
			}
		})
	}
}

func TestGlossary(t *testing.T) {
	c := New(Options{Source: language.English, Target: language.Korean, Glossary: []Term{{"lease", "임대"}, {"Landlock", ""}}})
	for _, tt := range []struct {
		source, target string
		want           []string
	}{
		{"The lease ends.", "임대가 끝난다.", nil},
		{"The lease ends.", "리스가 끝난다.", []string{"glossary -임대"}},
		{"Please wait.", "기다린다.", nil},
		{"Landlock is on.", "랜드락이 켜졌다.", []string{"glossary -Landlock"}},
		{"Landlock is on.", "Landlock이 켜졌다.", nil},
	} {
		if diff := cmp.Diff(tt.want, brief(c.Compare(tt.source, tt.target))); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tt.source, diff)
		}
	}
}

// weblate 18034: shortcodes of a site generator stay as they are.
func TestTheCallersOwnPlaceholders(t *testing.T) {
	c := New(Options{Source: language.English, Target: language.Korean, Placeholders: []*regexp.Regexp{regexp.MustCompile(`\[\[\w+\]\]|@\w+`)}})
	got := brief(c.Compare("Ask @anna about [[ref]].", "@안나 [[참조]] 에 대해."))
	if want := []string{"placeholder -@anna -[[ref]]"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAWaivedCheckSaysNothing(t *testing.T) {
	c := New(Options{Source: language.English, Target: language.Korean, Waived: []string{"number", "placeholder"}})
	if got := c.Compare("{a} 3.", "삼."); len(got) > 0 {
		t.Errorf("results %q", brief(got))
	}
	if !Known("number") || Known("heading-level") || Known("") {
		t.Error("the names of the checks are not those of the table")
	}
}

// A text with more marks than a person writes is not parsed, and still its code
// is compared and equal to itself.
func TestATextFullOfMarksIsComparedWithoutTheParser(t *testing.T) {
	many := strings.Repeat("[a](b ", 3000)
	for _, tt := range []struct {
		source, target string
		want           []string
	}{
		{many + "`x` and ``y`z``", many + "``y`z`` and `x`", nil},
		{many + "`x`", many + "`y`", []string{"code-span -`x` +`y`"}},
		{strings.Repeat("> ", 3000) + "x", strings.Repeat("> ", 3000) + "x", nil},
	} {
		got := errorsOf(korean().Compare(tt.source, tt.target))
		if diff := cmp.Diff(tt.want, brief(got)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

var pieces = []string{
	"`", "``", "```\n", "\n", "\r\n", "|", `\`, "<", ">", "<b>", "</b>", "<x>", "</x>", "<br>", "[a](b)", "[a] (b)", "![", "](", "{", "}", "{n}", "{{x}}",
	"{n, plural, one {# a} other {# b}}", "{n, plural,", "other {}", "select", "#", "'", "''", "%s", "%1", "%(x)s", "%", "$", "${a}", "- ", "# ", "1. ", "---",
	"https://e.org", "C-001", "x.go:3", "5f0c0c7", "a a", " ", "word", "한글", "\x1b", "\u202e", "\u200d", "(", ")", ".", "。", "3", "٣", "[r]: /u", "~~~",
}

func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 4, -1)), 0, 15).Draw(t, "pieces"), "")
	})
}

func TestATranslationEqualToItsSourceHasNoError(t *testing.T) {
	c := korean()
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "text")
		if got := errorsOf(c.Compare(s, s)); len(got) > 0 {
			t.Fatalf("%q has %q", s, brief(got))
		}
	})
}

// FuzzCompare: no pair of texts makes a check panic, a text equals itself, and
// the same pair always gives the same results.
func FuzzCompare(f *testing.F) {
	f.Add("Use `fmt` {x}.", "`fmt` {y}")
	f.Add("{n, plural, one {# a} other {# b}}", "{n, plural, other {}}")
	f.Add("<a href='x'>[b](c)</a> %1$s", "```\n</a>")
	c := korean()
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := errorsOf(c.Compare(a, a)); len(got) > 0 {
			t.Fatalf("%q has %q", a, brief(got))
		}
		if first, second := fmt.Sprint(c.Compare(a, b)), fmt.Sprint(c.Compare(a, b)); first != second {
			t.Fatalf("%q, %q: %s, then %s", a, b, first, second)
		}
	})
}

// FuzzICU: a parsed message has balanced parts only, and nothing panics.
func FuzzICU(f *testing.F) {
	f.Add("{n, plural, offset:1 =0 {none} one {# a} other {{x} and # b}}")
	f.Add("it''s '{quoted}' {d, date, short}")
	f.Add("{a, select, b {{c, plural, other {#}}} other {}}")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseICU(s)
		if (m == nil) == (err == nil) {
			t.Fatalf("%q: message %v, error %v", s, m, err)
		}
		if err == nil {
			for _, a := range allArguments(m) {
				if a.name == "" || a.kind != "" && !slices.Contains(simpleKinds, a.kind) && !slices.Contains(branchKinds, a.kind) {
					t.Fatalf("%q has argument %+v", s, a)
				}
			}
		}
	})
}
