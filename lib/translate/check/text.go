package check

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// pair is a source and its translation, each taken apart once for all units.
type pair struct {
	*Checker
	source, target parts
	icu            *message        // of the source, nil unless it is an ICU message
	paired         map[string]bool // tag names with a closing partner in either text
}

func newPair(c *Checker, source, target string) *pair {
	parse := parsable(source) && parsable(target)
	p := &pair{Checker: c, source: takeApart(source, parse), target: takeApart(target, parse)}
	p.paired = pairedTags(p.source.bare, p.target.bare)
	if m, err := parseICU(source); err == nil && m.complex() {
		p.icu = m
	}
	return p
}

// stand is the byte that code is replaced with in a bare text, one for each of
// its bytes: a run of it is a word that is no word, and places stay places.
const stand = "\x1a"

// parts is what Markdown sees in a text.
type parts struct {
	whole  string
	bare   string   // code replaced by stand, as long as whole
	codes  [][2]int // where code spans and the lines of fences are, in order
	spans  []string
	fences []string
	links  []string // destinations
	ids    [][2]int // where the ids are in bare
}

var markdown = sync.OnceValue(func() parser.Parser { return goldmark.DefaultParser() })

// maxMarks bounds the marks of each kind in a text that is parsed as Markdown.
// The parser's time grows with their square, and no text of a person has so
// many.
const maxMarks = 400

// parsable says whether a text can be parsed in reasonable time.
func parsable(s string) bool {
	if len(s) <= maxMarks {
		return true
	}
	for _, mark := range []string{"[", "*", "_", ">", "`"} {
		if strings.Count(s, mark) > maxMarks {
			return false
		}
	}
	return true
}

// takeApart reads a text as Markdown. Most texts have none in them and are not
// parsed at all. The parser only finds code and links here; nothing is ever
// written back from its tree. Without the parser, only code is found.
func takeApart(s string, parse bool) parts {
	p := parts{whole: s, bare: s}
	switch {
	case !strings.ContainsAny(s, "`~<["):
	case parse:
		p.markdown()
	default:
		p.backticks()
	}
	p.ids = idSpans(p.bare)
	return p
}

// backticks finds code by its backticks alone: runs of one length pair within
// a paragraph.
func (p *parts) backticks() {
	start := 0
	for paragraph := range strings.SplitAfterSeq(p.whole, "\n\n") {
		open := make(map[int]int) // length of a run to where it begins
		for i := 0; i < len(paragraph); {
			if paragraph[i] != '`' {
				i++
				continue
			}
			run := span(paragraph, i, "`") - i
			if from, ok := open[run]; ok {
				p.spans = append(p.spans, paragraph[from:i+run])
				p.codes = append(p.codes, [2]int{start + from, start + i + run})
				clear(open)
			} else {
				open[run] = i
			}
			i += run
		}
		start += len(paragraph)
	}
	p.bare = without(p.whole, p.codes)
}

// markdown finds code and links.
func (p *parts) markdown() {
	s := p.whole
	raw := []byte(s)
	tree := markdown().Parse(text.NewReader(raw))
	// The walk cannot fail: the function it calls never does.
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			if content, at, ok := codeSpan(n, raw); ok {
				p.spans = append(p.spans, "`"+content+"`")
				p.codes = append(p.codes, at)
			}
		case *ast.FencedCodeBlock:
			content, at := fence(n, raw)
			p.fences = append(p.fences, content)
			if at[1] > at[0] {
				p.codes = append(p.codes, at)
			}
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Image:
			p.links = append(p.links, string(n.Destination))
		case *ast.AutoLink:
			p.links = append(p.links, string(n.URL(raw)))
		}
		return ast.WalkContinue, nil
	})
	p.codes = apart(p.codes)
	p.bare = without(s, p.codes)
}

// codeSpan gives the content of a code span and where it stands, backticks
// included.
func codeSpan(n *ast.CodeSpan, raw []byte) (content string, at [2]int, ok bool) {
	var b strings.Builder
	at = [2]int{-1, -1}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, isText := c.(*ast.Text)
		if !isText {
			continue
		}
		b.Write(t.Segment.Value(raw))
		if at[0] < 0 {
			at[0] = t.Segment.Start
		}
		at[1] = t.Segment.Stop
	}
	if at[0] < 0 {
		return "", at, false
	}
	for at[0] > 0 && raw[at[0]-1] != '`' {
		at[0]--
	}
	for at[0] > 0 && raw[at[0]-1] == '`' {
		at[0]--
	}
	for at[1] < len(raw) && raw[at[1]] != '`' {
		at[1]++
	}
	for at[1] < len(raw) && raw[at[1]] == '`' {
		at[1]++
	}
	return b.String(), at, true
}

// fence gives info string and lines of a fenced block, and where its lines
// stand.
func fence(n *ast.FencedCodeBlock, raw []byte) (content string, at [2]int) {
	var b strings.Builder
	b.WriteString("```")
	if n.Info != nil {
		b.Write(n.Info.Segment.Value(raw))
	}
	b.WriteString("\n")
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(raw))
		if i == 0 {
			at[0] = segment.Start
		}
		at[1] = segment.Stop
	}
	return b.String(), at
}

// apart leaves out the pieces that overlap an earlier one, as they may inside
// nested blocks.
func apart(pieces [][2]int) [][2]int {
	kept := pieces[:0]
	done := 0
	for _, at := range pieces {
		if at[0] >= done {
			kept = append(kept, at)
			done = at[1]
		}
	}
	return kept
}

// without replaces pieces of a text.
func without(s string, pieces [][2]int) string {
	if len(pieces) == 0 {
		return s
	}
	b := []byte(s)
	for _, at := range pieces {
		for i := at[0]; i < at[1]; i++ {
			b[i] = stand[0]
		}
	}
	return string(b)
}
