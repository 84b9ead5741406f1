// Package markup shows the prose of a report as HTML: the light Markdown that
// reports are written in, with everything shown, not obeyed, that would be more
// than text. It is a package of its own for the programs that write no HTML: the
// parser behind it takes milliseconds to start, used or not.
// Rule: docs/report.md.
package markup

import (
	"bytes"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"okstra/lib/safetext"
)

// HTML shows prose with its Markdown. A text that is one paragraph gets no
// paragraph around it.
func HTML(s string) string {
	s = safetext.Prose(s)
	if !strings.ContainsAny(s, "`*_[]<>#&\\!~|\n:@+-=.)") {
		return html.EscapeString(s)
	}
	if !parsable(s) {
		return lines(s)
	}
	var out bytes.Buffer
	if err := proseRenderer().Convert([]byte(s), &out); err != nil {
		return lines(s)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	inner, ok := strings.CutPrefix(text, "<p>")
	if inner, closed := strings.CutSuffix(inner, "</p>"); ok && closed && !strings.Contains(inner, "<p>") {
		return inner
	}
	return text
}

// lines shows a text letter by letter, with its lines.
func lines(s string) string {
	return strings.ReplaceAll(html.EscapeString(safetext.Prose(s)), "\n", "<br>")
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
	_, _ = w.WriteString("<p>" + lines(text.String()) + "</p>\n")
	return ast.WalkSkipChildren, nil
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	l := n.(*ast.Link)
	if !safetext.SafeLink(string(l.Destination)) {
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
	if !safetext.SafeLink(string(i.Destination)) {
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
	if !safetext.SafeLink(string(destination)) {
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
