package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/translate"
)

// maxNamed is how many items a message names.
const maxNamed = 10

func applyFlags(f *cli.Flags) cli.Body {
	s := subjectFlags(f)
	partial := f.Bool("partial")
	return func(_ context.Context, std cli.IO) error {
		report, lang, err := s.open()
		if err != nil {
			return err
		}
		m, err := matchOrHint(report, lang)
		if err != nil {
			return err
		}
		if !m.Fresh && !*partial {
			err := fmt.Errorf("%s: stale: %s", translate.SidecarPath(report.Path, lang), leftOver(report, m))
			return cli.WithHint(cli.Refused(err), "run update and write, or use --partial for what still stands")
		}
		if m.Reusable < len(report.Items) {
			std.Warnf("%s", leftOver(report, m))
		}
		return std.RawDocument(report.Apply(lang.String(), m))
	}
}

// matchOrHint is match for commands that need the sidecar.
func matchOrHint(report *translate.Report, lang language.Tag) (translate.Match, error) {
	m, err := match(report, lang)
	if errors.Is(err, fs.ErrNotExist) {
		err = cli.WithHint(err, "the report is not translated into that language; see prepare and write")
	}
	return m, err
}

// leftOver says which items have no translation that still stands. A stale
// sidecar can have one for every item: then only places have changed.
func leftOver(report *translate.Report, m translate.Match) string {
	rest := report.Untranslated(m)
	if len(rest) == 0 {
		return "every text is translated, but the texts stand in other places than when it was made"
	}
	var ids []string
	for _, item := range rest[:min(len(rest), maxNamed)] {
		ids = append(ids, item.ID)
	}
	more := ""
	if len(rest) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(rest)-maxNamed)
	}
	return fmt.Sprintf("not translated: %d of %d texts: %s%s", len(rest), len(report.Items), strings.Join(ids, ", "), more)
}
