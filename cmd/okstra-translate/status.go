package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/safetext"
	"okstra/lib/translate"
)

func statusFlags(f *cli.Flags) cli.Body {
	data := f.String("data", "")
	f.Required("data")
	langs := f.Strings("lang")
	format := f.Enum("format", "text", "text", "json")
	return func(_ context.Context, std cli.IO) error {
		report, err := openReport(*data)
		if err != nil {
			return err
		}
		tags, err := askedLangs(report, *langs)
		if err != nil {
			return err
		}
		doc := report.Status()
		allFresh := true
		for _, tag := range tags {
			s := judge(std, report, tag)
			doc.Translations = append(doc.Translations, s)
			allFresh = allFresh && s.State == translate.Fresh
		}
		if *format == "json" {
			err = std.Document(doc)
		} else {
			err = printStatus(std, doc)
		}
		if err == nil && !allFresh {
			err = cli.Verdict(cli.StatusRefused)
		}
		return err
	}
}

// askedLangs is the languages named, in their order, or those of all sidecars.
func askedLangs(report *translate.Report, langs []string) ([]language.Tag, error) {
	if len(langs) == 0 {
		return sidecarLangs(report)
	}
	var tags []language.Tag
	var errs []error
	for _, text := range langs {
		tag, err := translate.TargetLang(text, report.Lang)
		if err != nil {
			errs = append(errs, cli.BadInput(err))
		} else if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags, errors.Join(errs...)
}

// judge finds out how one translation stands. What makes it invalid goes to
// standard error: the list only has room for the word.
func judge(std cli.IO, report *translate.Report, tag language.Tag) translate.LangStatus {
	sidecar, err := readSidecar(report, tag)
	state := translate.Missing
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		std.Warnf("%v", err)
		state = translate.Invalid
	}
	if err == nil {
		if _, err := report.Match(sidecar); err != nil {
			std.Warnf("%s: %v", translate.SidecarPath(report.Path, tag), err)
		}
	}
	s := report.Judge(sidecar, state)
	s.Lang, s.Path = tag.String(), translate.SidecarPath(report.Path, tag)
	return s
}

func printStatus(std cli.IO, doc translate.Status) error {
	for _, s := range doc.Translations {
		if err := std.Printf("%s  %s  %d/%d reusable  %s\n", s.Lang, s.State, s.Reusable, doc.Items, safetext.Line(s.Path)); err != nil {
			return err
		}
	}
	return nil
}
