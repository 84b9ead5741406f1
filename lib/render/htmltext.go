package render

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// htmlLines shows a text letter by letter, with its lines.
func htmlLines(s string) string {
	return strings.ReplaceAll(html.EscapeString(clean(s)), "\n", "<br>")
}

// htmlCode shows a text as code, from left to right whatever the page does.
func htmlCode(s string) string {
	return `<code dir="ltr" translate="no">` + htmlLines(s) + "</code>"
}

// htmlProse shows prose with its Markdown. A text that is one paragraph gets
// no paragraph around it.
func htmlProse(s string) string {
	s = clean(s)
	if !strings.ContainsAny(s, "`*_[]<>#&\\!~|\n:@+-=.)") {
		return html.EscapeString(s)
	}
	if !parsable(s) {
		return htmlLines(s)
	}
	var out bytes.Buffer
	if err := proseRenderer().Convert([]byte(s), &out); err != nil {
		return htmlLines(s)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	inner, ok := strings.CutPrefix(text, "<p>")
	if inner, closed := strings.CutSuffix(inner, "</p>"); ok && closed && !strings.Contains(inner, "<p>") {
		return inner
	}
	return text
}

// maxMarks bounds the marks of each kind in prose that is parsed: the parser's
// time grows with their square, and no text of a person has so many. Others are
// shown letter by letter.
const maxMarks = 400

func parsable(s string) bool {
	if len(s) <= maxMarks {
		return true
	}
	for _, mark := range []string{"[", "*", "_", ">", "`", "~"} {
		if strings.Count(s, mark) > maxMarks {
			return false
		}
	}
	return true
}

// proseRenderer is goldmark with everything replaced that would make a text
// more than text: raw HTML is shown, images and unsafe links are not followed,
// and headings do not enter the page's outline.
var proseRenderer = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(proseNodes{}, 100))),
	)
})

type proseNodes struct{}

func (proseNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, shownHTML)
	r.Register(ast.KindHTMLBlock, shownHTMLBlock)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindAutoLink, autoLink)
	r.Register(ast.KindHeading, heading)
}

func shownHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			segment := segments.At(i)
			_, _ = w.WriteString(html.EscapeString(string(segment.Value(source))))
		}
	}
	return ast.WalkSkipChildren, nil
}

func shownHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var text strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text.Write(line.Value(source))
	}
	if block := n.(*ast.HTMLBlock); block.HasClosure() {
		text.Write(block.ClosureLine.Value(source))
	}
	_, _ = w.WriteString("<p>" + htmlLines(text.String()) + "</p>\n")
	return ast.WalkSkipChildren, nil
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l := n.(*ast.Link)
	if !safeLink(string(l.Destination)) {
		return ast.WalkContinue, nil
	}
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<a rel="noopener noreferrer" href="` + href(l.Destination) + `"`)
	if l.Title != nil {
		_, _ = w.WriteString(` title="` + html.EscapeString(string(util.UnescapePunctuations(l.Title))) + `"`)
	}
	_, _ = w.WriteString(">")
	return ast.WalkContinue, nil
}

// href is a destination as an attribute: what Markdown lets be escaped in it
// is unescaped, what a URL cannot hold is percent-encoded.
func href(destination []byte) string {
	return html.EscapeString(string(util.URLEscape(destination, true)))
}

// image shows the description of a picture; fetching it would be a request.
func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	i := n.(*ast.Image)
	if !safeLink(string(i.Destination)) {
		return ast.WalkContinue, nil
	}
	if entering {
		_, _ = w.WriteString(`<a rel="noopener noreferrer" href="` + href(i.Destination) + `">`)
	} else {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	l := n.(*ast.AutoLink)
	shown := html.EscapeString(string(l.Label(source)))
	destination := l.URL(source)
	if l.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(destination), []byte("mailto:")) {
		destination = append([]byte("mailto:"), destination...)
	}
	if !safeLink(string(destination)) {
		_, _ = w.WriteString(shown)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<a rel="noopener noreferrer" href="` + href(destination) + `">` + shown + "</a>")
	return ast.WalkContinue, nil
}

func heading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<p><strong>")
	} else {
		_, _ = w.WriteString("</strong></p>\n")
	}
	return ast.WalkContinue, nil
}

var langForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// htmlLang is a language tag fit for an attribute, "" for unknown otherwise.
func htmlLang(tag string) string {
	tag = strings.ReplaceAll(tag, "_", "-")
	if !langForm.MatchString(tag) {
		return ""
	}
	return tag
}

func baseLang(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(htmlLang(tag)), "-")
	return base
}

var (
	rightToLeft        = []string{"ar", "arc", "ckb", "dv", "fa", "ha-arab", "he", "iw", "ku-arab", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}
	rightToLeftScripts = []string{"adlm", "arab", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa"}
)

// direction is the writing direction of a language: that of its script where
// the tag names one, else that of the script it is usually written in.
func direction(tag string) string {
	parts := strings.Split(strings.ToLower(htmlLang(tag)), "-")
	for _, p := range parts[1:] {
		if len(p) == 4 && p[0] > '9' {
			if slices.Contains(rightToLeftScripts, p) {
				return "rtl"
			}
			return "ltr"
		}
	}
	if slices.Contains(rightToLeft, parts[0]) {
		return "rtl"
	}
	return "ltr"
}
