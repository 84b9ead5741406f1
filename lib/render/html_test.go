package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/render/markup"
	"okstra/lib/safetext"
)

// The tags a page may have, with the attributes of each.
var allowed = map[string]string{
	"html": "lang dir", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "", "a": "class href lang dir rel title",
	"header": "", "h1": "", "h2": "id lang dir", "h3": "id lang dir", "h4": "lang dir", "p": "class role lang dir", "dl": "", "dt": "", "dd": "",
	"nav": "aria-label lang dir", "ol": "start", "ul": "", "li": "class", "main": "id", "div": "class role tabindex aria-label lang dir",
	"table": "", "caption": "lang dir", "thead": "", "tbody": "", "tr": "", "th": "scope class id lang dir", "td": "class",
	"span": "class lang dir translate title", "bdi": "", "code": "class dir translate", "pre": "", "br": "", "hr": "", "em": "", "strong": "", "del": "",
	"blockquote": "", "figure": "dir", "figcaption": "id lang dir", "svg": "xmlns viewBox role aria-labelledby", "rect": "class x y width height rx",
	"text": "x y font-weight", "path": "class d",
}

var voids = []string{"meta", "br", "hr", "rect", "path"}

var (
	tagForm  = regexp.MustCompile(`^<(/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z:-]+="[^"<]*")*)\s*(/?)>`)
	attrForm = regexp.MustCompile(` ([a-zA-Z:-]+)="([^"<]*)"`)
	badAmp   = regexp.MustCompile(`&(?:[a-zA-Z][a-zA-Z0-9]*;|#[0-9]+;|#x[0-9a-fA-F]+;)`)
)

// checkPage reads a page strictly: known tags and attributes only, all closed
// in order, every id once, every link safe and every anchor there.
func checkPage(t interface{ Fatalf(string, ...any) }, page string) {
	rest, ok := strings.CutPrefix(page, "<!DOCTYPE html>\n")
	if !ok {
		t.Fatalf("no doctype")
	}
	before, style, _ := strings.Cut(rest, "<style>")
	style, after, _ := strings.Cut(style, "</style>")
	if style != pageCSS {
		t.Fatalf("the style is not the one the policy names")
	}
	rest = before + "<style></style>" + after
	var open, anchors []string
	ids := make(map[string]bool)
	for rest != "" {
		text, tagged, found := strings.Cut(rest, "<")
		if strings.Contains(badAmp.ReplaceAllString(text, ""), "&") || strings.ContainsAny(text, ">\x00\x1b\u202e") {
			t.Fatalf("unescaped text %q", text)
		}
		if !found {
			break
		}
		rest = "<" + tagged
		m := tagForm.FindStringSubmatch(rest)
		if m == nil {
			t.Fatalf("not a tag: %.80q", rest)
		}
		rest = rest[len(m[0]):]
		name := m[2]
		attrs, known := allowed[name]
		if !known {
			t.Fatalf("tag <%s>", name)
		}
		for _, a := range attrForm.FindAllStringSubmatch(m[3], -1) {
			if !slices.Contains(strings.Fields(attrs), a[1]) {
				t.Fatalf("attribute %s of <%s>", a[1], name)
			}
			switch value := html.UnescapeString(a[2]); {
			case a[1] == "id" && ids[value]:
				t.Fatalf("id %q twice", value)
			case a[1] == "id":
				ids[value] = true
			case a[1] == "href" && strings.HasPrefix(value, "#"):
				anchors = append(anchors, value[1:])
			case a[1] == "href" && !safetext.SafeLink(value):
				t.Fatalf("link to %q", value)
			case a[1] == "aria-labelledby":
				anchors = append(anchors, value)
			}
		}
		switch {
		case slices.Contains(voids, name) || m[4] != "":
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %q", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("never closed: %q", open)
	}
	for _, id := range anchors {
		if !ids[id] && !strings.HasPrefix(id, "fn") && idOrPart.MatchString(id) {
			t.Fatalf("nothing has the id %q", id)
		}
	}
}

// idOrPart is the anchors that the page itself makes; prose may name others.
var idOrPart = regexp.MustCompile(`^(part-|chart-|content$|[A-Z]-[0-9]{3,9}$)`)

// accessible checks what a page needs for those who do not see it: a
// language, a title, one first heading, no level left out, heads and captions
// of tables, names of drawings.
func accessible(t *testing.T, page string) {
	t.Helper()
	for _, form := range []string{`<html lang="[a-zA-Z-]+" dir="(ltr|rtl)">`, `(?s)<head>.*<title>[^<]+</title>.*</head>`, `<a class="skip" href="#content"`, `<main id="content">`, `<nav aria-label=`} {
		if n := len(regexp.MustCompile(form).FindAllString(page, -1)); n != 1 {
			t.Errorf("%d times %s", n, form)
		}
	}
	level := 0
	for _, m := range regexp.MustCompile(`<h([1-6])[ >]`).FindAllStringSubmatch(page, -1) {
		next := int(m[1][0] - '0')
		if next > level+1 {
			t.Errorf("heading of level %d after level %d", next, level)
		}
		level = next
	}
	count := func(part string) int { return strings.Count(page, part) }
	if tables := count("<table>"); count("<caption") != tables || count("<thead>") != tables || count(`tabindex="0"`) != tables {
		t.Errorf("%d tables, %d captions", tables, count("<caption"))
	}
	if svgs := count("<svg "); count(`role="img" aria-labelledby="chart-`) != svgs || count("<figcaption ") != svgs {
		t.Errorf("%d drawings, %d with a name", svgs, count("<figcaption "))
	}
}

func TestHTMLOfWholeReports(t *testing.T) {
	for _, name := range []string{"error-analysis", "implementation-planning"} {
		t.Run(name, func(t *testing.T) {
			got, err := HTMLWith(load(t, name+".data.json"), Options{Prose: markup.HTML})
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, string(got))
			accessible(t, string(got))
			golden(t, name+".html", got)
		})
	}
}

func TestEveryKindOfReportIsShown(t *testing.T) {
	files, err := filepath.Glob("../schema/testdata/examples/final-report*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example reports, %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			doc, err := jsondoc.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			page, err := HTMLWith(doc, Options{Prose: markup.HTML})
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, string(page))
			accessible(t, string(page))
			text, err := Markdown(doc)
			if err != nil || !bytes.HasPrefix(text, []byte("# Final report: ")) {
				t.Fatalf("Markdown %.60q, error %v", text, err)
			}
		})
	}
}

func TestNothingIsFetchedAndNothingRuns(t *testing.T) {
	page, err := HTMLWith(load(t, "error-analysis.data.json"), Options{Prose: markup.HTML})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<script", "<img", "<link", "<iframe", "@import", "url(", " src=", "http-equiv=\"refresh\""} {
		if bytes.Contains(bytes.ToLower(page), []byte(part)) {
			t.Errorf("the page has %q", part)
		}
	}
	if !bytes.Contains(page, []byte(`content="default-src 'none'; style-src 'sha256-`)) {
		t.Error("the page has no policy that forbids requests")
	}
}

// hostileReport puts texts into every kind of place of a report.
func hostileReport(texts []string) []byte {
	next := 0
	text := func() string {
		next++
		return texts[next%len(texts)]
	}
	raw, err := json.Marshal(map[string]any{
		"kind":        reportKind,
		"header":      map[string]any{"taskKey": text(), "reportLanguage": text(), "previousReport": text(), "generatedAt": text()},
		"verdictCard": map[string]any{"finalConclusion": text(), "verdictToken": text()},
		"consensus": []any{map[string]any{
			"id": text(), "classification": text(), "claim": text(), "evidenceRefs": []any{text(), "E-001"},
			"positions": []any{map[string]any{"workerId": text(), "stance": text(), "note": text()}},
		}},
		"evidence":     []any{map[string]any{"id": "E-001", "ref": text(), "summary": text()}, map[string]any{"id": "E-001", "summary": text()}},
		"usageSummary": map[string]any{"roles": []any{map[string]any{"label": text(), "role": text(), "costUsd": 1}}, "phases": []any{map[string]any{"phase": text(), "wallMs": 3}}, "byProvider": map[string]any{text(): map[string]any{}}, "unavailableReasons": []any{text()}},
		"implementationPlanning": map[string]any{"stages": []any{
			map[string]any{"stage": 1, "title": text(), "dependsOn": []any{2}, "exitCriteria": []any{text()}, "stepwiseExecution": []any{map[string]any{"files": text(), "action": text()}}},
			map[string]any{"stage": 2, "title": text(), "dependsOn": []any{1}},
		}},
		"errorAnalysis":  map[string]any{"validationPath": []any{text(), text()}},
		"releaseHandoff": map[string]any{"prUrl": text(), "commands": []any{map[string]any{"argv": []any{text(), text()}}}},
	})
	if err != nil {
		panic(err)
	}
	return raw
}

func TestNoTextBreaksOutOfItsPlaceInHTML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(hostileText(), 1, 5).Draw(t, "texts")
		doc, err := jsondoc.Parse("x", hostileReport(texts))
		if err != nil {
			t.Skip("not a document")
		}
		opt := Options{Lang: rapid.SampledFrom([]string{"", "ar", "ko", "en", "\"><x"}).Draw(t, "lang"), SourceLang: "\"><y", Untranslated: map[string]bool{"/verdictCard/finalConclusion": true, "/errorAnalysis/validationPath/0": true}, Notice: texts[0]}
		page, err := HTMLWith(doc, opt)
		if err != nil {
			t.Fatal(err)
		}
		checkPage(t, string(page))
	})
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<b>x</b>", "[x](javascript:a)", "\"><script>", "```\n</code>", "![a](x)"} {
		f.Add(s, "C-001")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		doc, err := jsondoc.Parse("x", hostileReport([]string{a, b}))
		if err != nil {
			t.Skip("not a document")
		}
		page, err := HTMLWith(doc, Options{Prose: markup.HTML})
		if err != nil {
			t.Fatal(err)
		}
		checkPage(t, string(page))
	})
}

// A page of any JSON that has the right kind is made without a panic.
func TestOddShapesAreShown(t *testing.T) {
	for _, text := range []string{
		`{"kind":"okstra-final-report"}`,
		`{"kind":"okstra-final-report","header":[],"consensus":{},"risks":"x","usageSummary":[],"finalVerification":3,"evidence":[null,1,"x",[]]}`,
		`{"kind":"okstra-final-report","implementationPlanning":{"stages":[{"stage":1,"dependsOn":[1]},{"stage":1},{"stage":"x"},{"stage":9007199254740993}]}}`,
		`{"kind":"okstra-final-report","usageSummary":{"costUsd":-1,"roles":[{}],"phases":[{}],"byProvider":{"":null}}}`,
	} {
		doc := parse(t, text)
		page, err := HTMLWith(doc, Options{Prose: markup.HTML})
		if err != nil {
			t.Fatal(err)
		}
		checkPage(t, string(page))
		if _, err := Markdown(doc); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnotherKindOfDocumentIsRefused(t *testing.T) {
	for _, text := range []string{`{"kind":"okstra-job"}`, `[]`, `{}`} {
		if _, err := Markdown(parse(t, text)); err == nil || !strings.Contains(err.Error(), `expected "okstra-final-report"`) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestLanguageAndDirection(t *testing.T) {
	doc := load(t, "error-analysis.data.json")
	for lang, dir := range map[string]string{"ar": "rtl", "he-IL": "rtl", "fa": "rtl", "ko": "ltr", "az-Arab": "rtl", "ar-Latn": "ltr", "pt-BR": "ltr", "uz-Latn-UZ": "ltr", "de-1996": "ltr"} {
		page, err := HTMLWith(doc, Options{Lang: lang})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`<html lang="%s" dir="%s">`, lang, dir); !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %s", want)
		}
		if !bytes.Contains(page, []byte(`<h2 id="part-1"><span lang="en" dir="ltr">1. Findings</span></h2>`)) {
			t.Errorf("%s: our own headings are not marked as English", lang)
		}
	}
}

// A page from right to left once showed nothing at all: what was moved off the
// page at its beginning had moved the page. Our sentences stay in one piece.
func TestAPageFromRightToLeftIsInPlace(t *testing.T) {
	if strings.Contains(pageCSS, "-100rem") || regexp.MustCompile(`(left|right|start|end|top): *-[0-9]`).MatchString(pageCSS) {
		t.Error("the style moves something off the page")
	}
	page, err := HTMLWith(load(t, "error-analysis.data.json"), Options{Lang: "ar"})
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, string(page))
	if regexp.MustCompile(`<(h[1-4]|p|nav|th|td|li|caption|figcaption)[^>]* dir=`).Match(page) {
		t.Error("a block has a direction of its own and leaves the side where the page begins")
	}
	if !bytes.Contains(page, []byte(`<p><span lang="en" dir="ltr"><span lang="en" dir="ltr">3 findings: </span>`)) {
		t.Error("the count of the findings is not one run")
	}
}

func TestAChromiumReadsThePage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	page, err := HTMLWith(load(t, "error-analysis.data.json"), Options{Prose: markup.HTML})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	dom, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "file://"+path).Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	if !bytes.Contains(dom, []byte(`<main id="content">`)) || bytes.Count(dom, []byte("<svg ")) != 4 {
		t.Errorf("the page is read as\n%.600s", dom)
	}
}
