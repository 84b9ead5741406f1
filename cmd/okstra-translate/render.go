package main

import (
	"context"
	"fmt"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/render"
	"okstra/lib/render/markup"
	"okstra/lib/translate"
)

func renderFlags(f *cli.Flags) cli.Body {
	data := f.String("data", "")
	f.Required("data")
	lang := f.String("lang", "")
	partial := f.Bool("partial")
	format := f.Enum("format", "md", "md", "html")
	return func(_ context.Context, std cli.IO) error {
		report, err := openReport(*data)
		if err != nil {
			return err
		}
		doc, options := report.Doc, render.Options{Lang: report.Lang, SourceLang: report.Lang}
		if *lang != "" {
			if doc, options, err = inLanguage(std, report, *lang, *partial); err != nil {
				return err
			}
		}
		write := render.MarkdownWith
		if *format == "html" {
			write, options.Prose = render.HTMLWith, markup.HTML
		}
		page, err := write(doc, options)
		if err != nil {
			return cli.BadInput(err)
		}
		_, err = std.Out.Write(page)
		return err
	}
}

// inLanguage is the report in another language. A stale translation is not
// mixed with the source unless that is asked for: the page is then in the
// source language and says why.
func inLanguage(std cli.IO, report *translate.Report, text string, partial bool) (jsondoc.Doc, render.Options, error) {
	options := render.Options{Lang: report.Lang, SourceLang: report.Lang}
	if tag, err := translate.ParseLang(text); err == nil {
		if own, err := translate.ParseLang(report.Lang); err == nil && own == tag {
			return report.Doc, options, nil
		}
	}
	lang, err := translate.TargetLang(text, report.Lang)
	if err != nil {
		return jsondoc.Doc{}, options, cli.BadInput(err)
	}
	m, err := matchOrHint(report, lang)
	if err != nil {
		return jsondoc.Doc{}, options, err
	}
	if !m.Fresh && !partial {
		std.Warnf("%s: stale, the page is in %s: %s", translate.SidecarPath(report.Path, lang), report.Lang, leftOver(report, m))
		options.Notice = fmt.Sprintf("The translation into %s (%s) is out of date; this page is in the source language.", translate.LangName(lang), lang)
		return report.Doc, options, nil
	}
	options.Lang = lang.String()
	if rest := report.Untranslated(m); len(rest) > 0 {
		std.Warnf("%s", leftOver(report, m))
		options.Untranslated = make(map[string]bool)
		for _, item := range rest {
			for _, at := range item.At {
				options.Untranslated[at] = true
			}
		}
	}
	doc, err := jsondoc.Parse(report.Doc.Name, report.Apply(lang.String(), m))
	return doc, options, err
}
