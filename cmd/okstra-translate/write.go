package main

import (
	"context"

	"okstra/lib/atomicfile"
	"okstra/lib/cli"
	"okstra/lib/translate"
)

// answer is the flags of write and check: where a translation is, what it was
// made of and how it is to be judged.
type answer struct {
	subject
	rules
	source       *cli.Input
	digest       *string
	translations *cli.Input
}

func answerFlags(f *cli.Flags) answer {
	a := answer{
		subject:      subjectFlags(f),
		source:       f.InputFlag("source"),
		digest:       f.String("source-digest", ""),
		translations: f.InputFlag("translations"),
		rules:        rulesFlags(f),
	}
	f.Required("source", "source-digest", "translations")
	return a
}

// review does all that write and check have in common. The payload is compared
// with the report before the translations are opened.
func (a answer) review(ctx context.Context, std cli.IO) (*review, error) {
	report, lang, err := a.open()
	if err != nil {
		return nil, err
	}
	if err := checkTarget(translate.SidecarPath(report.Path, lang)); err != nil {
		return nil, err
	}
	settings, err := a.rules.read(std, report, lang)
	if err != nil {
		return nil, err
	}
	source, err := a.payload(std)
	if err != nil {
		return nil, err
	}
	if err := report.Agree(source, lang.String(), *a.digest); err != nil {
		return nil, cli.Refused(err)
	}
	if err := regular(a.translations); err != nil {
		return nil, err
	}
	raw, err := a.translations.Bytes(std)
	if err != nil {
		return nil, err
	}
	blocks, err := translate.ReadBlocks(a.translations.Name(), raw, source.Ask)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	r := &review{
		report: report, lang: lang, settings: settings, name: blocks.Name,
		answers: report.Answers(source, blocks),
	}
	return r, r.judge(ctx, blocks.Faults)
}

func (a answer) payload(std cli.IO) (translate.Source, error) {
	if err := regular(a.source); err != nil {
		return translate.Source{}, err
	}
	doc, err := a.source.Doc(std)
	if err != nil {
		return translate.Source{}, cli.BadInput(err)
	}
	source, err := translate.ReadSource(doc)
	return source, cli.BadInput(err)
}

func writeFlags(f *cli.Flags) cli.Body {
	a := answerFlags(f)
	return func(ctx context.Context, std cli.IO) error {
		r, err := a.review(ctx, std)
		if err != nil {
			return err
		}
		return r.write(std)
	}
}

func checkFlags(f *cli.Flags) cli.Body {
	a := answerFlags(f)
	format := f.Enum("format", "text", "text", "json")
	return func(ctx context.Context, std cli.IO) error {
		r, err := a.review(ctx, std)
		if err != nil {
			return err
		}
		return r.print(std, *format)
	}
}

// writeSidecar replaces the translation of a report.
func writeSidecar(path string, sidecar translate.Sidecar) error {
	if err := checkTarget(path); err != nil {
		return err
	}
	text, err := keep(path, sidecar)
	if err != nil {
		return err
	}
	return fileError(path, atomicfile.Write(path, text, sidecarMode))
}
