package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/translate"
)

func prepareFlags(f *cli.Flags) cli.Body {
	s := subjectFlags(f)
	markdown := f.Output("markdown")
	return func(_ context.Context, std cli.IO) error {
		report, lang, err := s.open()
		if err != nil {
			return err
		}
		return handOut(std, report.Prepare(lang.String()), lang, markdown, *s.data)
	}
}

func updateFlags(f *cli.Flags) cli.Body {
	s := subjectFlags(f)
	markdown := f.Output("markdown")
	return func(_ context.Context, std cli.IO) error {
		report, lang, err := s.open()
		if err != nil {
			return err
		}
		m, err := match(report, lang)
		if errors.Is(err, fs.ErrNotExist) {
			return cli.WithHint(err, "there is no translation to update; use prepare")
		}
		if err != nil {
			return err
		}
		return handOut(std, report.Update(lang.String(), m), lang, markdown, *s.data)
	}
}

// handOut prints a payload and then writes the Markdown that goes with it: a
// payload that did not arrive leaves no file behind.
func handOut(std cli.IO, source translate.Source, lang language.Tag, markdown *cli.Output, data string) error {
	if markdown.Set() {
		if markdown.Name() == "-" {
			return cli.Usagef("--markdown: standard output takes the payload (expected a file name)")
		}
		if sameFile(markdown.Name(), data) {
			return cli.Usagef("--markdown: %q is also --data", markdown.Name())
		}
	}
	if err := std.Document(source); err != nil || !markdown.Set() {
		return err
	}
	if err := std.Flush(); err != nil {
		return err
	}
	return markdown.Write(std, source.Markdown(note(source, lang)))
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// note is what the translator reads first. No line of it may look like a
// heading of the blocks.
func note(source translate.Source, lang language.Tag) string {
	return fmt.Sprintf("Translate the text below each heading from %s into %s (%s). Leave the headings as they are, one block for each.\n"+
		"Keep code, links, placeholders, tags and ids unchanged; a backslash before a backtick belongs to this file and may go or stay.\n\n",
		source.SourceLang, translate.LangName(lang), source.Lang)
}
