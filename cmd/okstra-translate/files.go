package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"okstra/lib/atomicfile"
	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
	"okstra/lib/translate"
)

// sidecarMode lets everybody read a translation: it goes with the report.
const sidecarMode fs.FileMode = 0o644

// openReport reads the data of a report, which must be a regular file. Data
// that breaks its schema is refused with every place that does: a page of it
// would say "none" where it could not be read.
// Rule: docs/translate.md, "Exit status".
func openReport(path string) (*translate.Report, error) {
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return nil, cli.BadInput(fileError(path, err))
	}
	fault := make(chan error, 1) // large reports take as long to check as to take apart
	go func() { fault <- schema.Check(doc, translate.ReportKind) }()
	report, err := translate.NewReport(path, doc)
	if err := <-fault; err != nil {
		return nil, cli.BadInput(err)
	}
	return report, cli.BadInput(err)
}

// fileError names the file as the user wrote it, once.
func fileError(path string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return fmt.Errorf("%s: %w", path, pathError.Err)
	}
	return err
}

// regular refuses a named input that is a symlink or no file.
func regular(in *cli.Input) error {
	if in.Name() == "-" {
		return nil
	}
	info, err := os.Lstat(in.Name())
	switch {
	case err != nil:
		return cli.BadInput(fileError(in.Name(), err))
	case info.Mode()&fs.ModeSymlink != 0:
		return cli.BadInput(fmt.Errorf("%s: %w", in.Name(), atomicfile.ErrSymlink))
	case !info.Mode().IsRegular():
		return cli.BadInput(fmt.Errorf("%s: %w", in.Name(), atomicfile.ErrNotRegular))
	}
	return nil
}

// checkTarget refuses a sidecar path that is a symlink, dangling or not, or
// anything else than a regular file, before any work is done for it.
func checkTarget(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fileError(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return cli.BadInput(fmt.Errorf("%s: %w", path, atomicfile.ErrSymlink))
	case !info.Mode().IsRegular():
		return cli.BadInput(fmt.Errorf("%s: %w", path, atomicfile.ErrNotRegular))
	}
	return nil
}

// readSidecar reads the translation of a report; fs.ErrNotExist is in the
// error's chain when there is none.
func readSidecar(report *translate.Report, lang language.Tag) (*translate.Sidecar, error) {
	path := translate.SidecarPath(report.Path, lang)
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return nil, cli.BadInput(fileError(path, err))
	}
	sidecar, err := translate.ReadSidecar(doc, lang)
	return sidecar, cli.BadInput(err)
}

// match reads the translation of a report and compares the two.
func match(report *translate.Report, lang language.Tag) (translate.Match, error) {
	sidecar, err := readSidecar(report, lang)
	if err != nil {
		return translate.Match{}, err
	}
	m, err := report.Match(sidecar)
	if err != nil {
		return translate.Match{}, cli.BadInput(fmt.Errorf("%s: %w", translate.SidecarPath(report.Path, lang), err))
	}
	return m, nil
}

// sidecarLangs lists the languages of the sidecars beside a report, sorted.
func sidecarLangs(report *translate.Report) ([]language.Tag, error) {
	entries, err := os.ReadDir(filepath.Dir(report.Path))
	if err != nil {
		return nil, fileError(report.Path, err)
	}
	var langs []language.Tag
	for _, entry := range entries {
		if tag, ok := translate.SidecarLang(report.Path, entry.Name()); ok {
			langs = append(langs, tag)
		}
	}
	slices.SortFunc(langs, func(a, b language.Tag) int { return strings.Compare(a.String(), b.String()) })
	return langs, nil
}
