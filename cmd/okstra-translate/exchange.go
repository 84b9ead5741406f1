package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"time"

	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/translate"
	"okstra/lib/translate/check"
	"okstra/lib/translate/po"
	"okstra/lib/translate/xliff"
)

func exportFlags(f *cli.Flags) cli.Body {
	s := subjectFlags(f)
	format := f.Enum("format", "", "po", "xliff")
	f.Required("format")
	return func(_ context.Context, std cli.IO) error {
		report, lang, err := s.open()
		if err != nil {
			return err
		}
		units, err := knownUnits(report, lang)
		if err != nil {
			return err
		}
		var text []byte
		if *format == "po" {
			if text, err = makePO(std, report, lang, units); err != nil {
				return err
			}
		} else {
			text = makeXLIFF(report, lang, units)
		}
		_, err = std.Out.Write(text)
		return err
	}
}

// knownUnits is the items of a report with what a translation, if there is
// one, says about them.
func knownUnits(report *translate.Report, lang language.Tag) ([]translate.Unit, error) {
	m, err := match(report, lang)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return report.Units(nil), nil
	case err != nil:
		return nil, err
	}
	return report.Units(&m), nil
}

func makeXLIFF(report *translate.Report, lang language.Tag, units []translate.Unit) []byte {
	about := xliff.About{
		Data: report.Base(), SourceLang: report.Lang, Lang: lang.String(), Digest: report.Digest(lang.String()),
	}
	return xliff.Make(units, about, protected)
}

// protected finds the codes of a text. The two packages do not know each
// other, so their kinds are matched here.
func protected(text string) []xliff.Code {
	kinds := map[check.CodeKind]xliff.Kind{check.Alone: xliff.Alone, check.Open: xliff.Open, check.Close: xliff.Close}
	var codes []xliff.Code
	for _, c := range check.Codes(text) {
		codes = append(codes, xliff.Code{Start: c.Start, End: c.End, Kind: kinds[c.Kind]})
	}
	return codes
}

func makePO(std cli.IO, report *translate.Report, lang language.Tag, units []translate.Unit) ([]byte, error) {
	revised, err := revisionDate(std, report)
	if err != nil {
		return nil, err
	}
	f, err := po.Make(units, po.About{
		Data: report.Base(), Lang: lang.String(), Digest: report.Digest(lang.String()), Revised: revised,
	})
	if err != nil {
		return nil, cli.Refused(err)
	}
	return f.Format(), nil
}

// revisionDate is the date in the header of a PO file. It comes from
// SOURCE_DATE_EPOCH or from the report, never from the clock: the same report
// gives the same file.
func revisionDate(std cli.IO, report *translate.Report) (string, error) {
	const form = "2006-01-02 15:04-0700"
	if text := std.Env.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", cli.Usagef("SOURCE_DATE_EPOCH: %q (expected seconds since 1970)", text)
		}
		return time.Unix(seconds, 0).UTC().Format(form), nil
	}
	at, err := time.Parse(time.RFC3339, report.GeneratedAt)
	if err != nil {
		at = time.Unix(0, 0)
	}
	return at.UTC().Format(form), nil
}

func importFlags(f *cli.Flags) cli.Body {
	s := subjectFlags(f)
	rules := rulesFlags(f)
	in := f.Input("FILE")
	return func(ctx context.Context, std cli.IO) error {
		report, lang, err := s.open()
		if err != nil {
			return err
		}
		if err := checkTarget(translate.SidecarPath(report.Path, lang)); err != nil {
			return err
		}
		settings, err := rules.read(std, report, lang)
		if err != nil {
			return err
		}
		exchange, err := readExchange(std, in, lang)
		if err != nil {
			return err
		}
		answers, faults, err := report.Take(exchange, lang.String())
		if err != nil {
			return cli.Refused(err)
		}
		r := &review{report: report, lang: lang, settings: settings, name: exchange.Name, answers: answers}
		if err := r.judge(ctx, faults); err != nil {
			return err
		}
		return r.write(std)
	}
}

// blockHeading is a line of the Markdown that write takes.
var blockHeading = regexp.MustCompile(`(?m)^## T-[0-9]`)

// readExchange reads a PO or XLIFF file; which of the two shows in its first
// character, for no PO file begins with a tag.
func readExchange(std cli.IO, in *cli.Input, lang language.Tag) (translate.Exchange, error) {
	if err := regular(in); err != nil {
		return translate.Exchange{}, err
	}
	raw, err := in.Bytes(std)
	if err != nil {
		return translate.Exchange{}, err
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\ufeff")), " \t\r\n")
	if len(start) == 0 {
		return translate.Exchange{}, cli.BadInput(fmt.Errorf("%s: empty (expected a PO or XLIFF file)", in.Name()))
	}
	if start[0] != '<' {
		f, err := po.Parse(in.Name(), raw)
		if err != nil && blockHeading.Match(raw) {
			return translate.Exchange{}, cli.WithHint(cli.BadInput(fmt.Errorf("%s: Markdown blocks (expected a PO or XLIFF file)", in.Name())),
				"write takes the Markdown that prepare made")
		}
		if err != nil {
			return translate.Exchange{}, cli.BadInput(err)
		}
		return po.Read(in.Name(), f, lang.String()), nil
	}
	x, dropped, err := xliff.Read(in.Name(), raw, lang.String())
	if err != nil {
		return translate.Exchange{}, cli.BadInput(err)
	}
	for _, line := range dropped {
		std.Warnf("%s", line)
	}
	return x, nil
}
