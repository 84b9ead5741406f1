package render

import (
	"fmt"
	"strings"

	"okstra/lib/jsondoc"
)

// Options says how a report relates to its source language. The zero value is
// for a report in the language it was written in.
type Options struct {
	// Lang is the language of the data, SourceLang the one it was written in;
	// empty means header.reportLanguage for both.
	Lang, SourceLang string
	// Untranslated holds the JSON pointers of the strings that are still in
	// SourceLang. They are marked where they stand.
	Untranslated map[string]bool
	// Notice is a sentence for the head of the page, such as that a
	// translation is out of date.
	Notice string
	// Prose makes HTML of a text with light Markdown (package markup). Without it
	// prose is shown letter by letter. Markdown needs none.
	Prose func(string) string
}

// Markdown is the report as Markdown. The validator compares the file of a run
// with it byte for byte.
func Markdown(doc jsondoc.Doc) ([]byte, error) { return MarkdownWith(doc, Options{}) }

// MarkdownWith is Markdown for a report that is translated, or is not though
// that was asked for.
func MarkdownWith(doc jsondoc.Doc, opt Options) ([]byte, error) {
	p, err := layOut(doc)
	if err != nil {
		return nil, err
	}
	w := markdownWriter{opt: opt}
	w.page(p)
	return []byte(w.out.String()), nil
}

// marked says whether a text is in the source language on a page that is not.
func (o Options) marked(s span) bool { return s.kind == prose && o.Untranslated[s.at] }

// mark is what stands in front of such a text.
func (o Options) mark() string {
	if o.SourceLang == "" {
		return "untranslated"
	}
	return o.SourceLang
}

// untranslatedNote says how many texts are marked, "" when none are.
func (o Options) untranslatedNote() string {
	n := len(o.Untranslated)
	if n == 0 {
		return ""
	}
	texts := plural(n, "text is", "texts are")
	return fmt.Sprintf("%s not translated and marked with [%s].", strings.ToUpper(texts[:1])+texts[1:], o.mark())
}
