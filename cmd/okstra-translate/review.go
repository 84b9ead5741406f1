package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/language"

	"okstra/lib/cli"
	"okstra/lib/safetext"
	"okstra/lib/translate"
	"okstra/lib/translate/check"
)

// rules is what the flags of write, check and import say about the checks.
type rules struct {
	placeholders, waive *[]string
	strict              *bool
	glossary            *cli.Input
}

func rulesFlags(f *cli.Flags) rules {
	return rules{
		placeholders: f.Strings("placeholder"),
		waive:        f.Strings("waive"),
		strict:       f.Bool("strict"),
		glossary:     f.InputFlag("glossary"),
	}
}

// settings is rules that have been read.
type settings struct {
	checker *check.Checker
	waived  []translate.Waiver
	strict  bool
}

func (r rules) read(std cli.IO, report *translate.Report, target language.Tag) (settings, error) {
	s := settings{strict: *r.strict}
	source, _ := language.Parse(report.Lang) // an odd tag is no fault of the translation
	options := check.Options{Source: source, Target: target}
	for _, pattern := range *r.placeholders {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return s, cli.Usagef("--placeholder: %q is no regular expression: %v", pattern, err)
		}
		options.Placeholders = append(options.Placeholders, re)
	}
	for _, text := range *r.waive {
		name, reason, _ := strings.Cut(text, "=")
		if !check.Known(name) {
			return s, cli.Usagef("--waive: unknown check %q (expected one of %s)", name, strings.Join(check.Names(), ", "))
		}
		if reason = strings.TrimSpace(reason); reason == "" {
			return s, cli.Usagef("--waive: no reason for %q (expected NAME=REASON)", name)
		}
		if slices.Contains(options.Waived, name) {
			return s, cli.Usagef("--waive: %q is waived twice", name)
		}
		options.Waived = append(options.Waived, name)
		s.waived = append(s.waived, translate.Waiver{Check: name, Reason: reason})
	}
	if r.glossary.Set() {
		terms, err := readGlossary(std, r.glossary)
		if err != nil {
			return s, err
		}
		options.Glossary = terms
	}
	s.checker = check.New(options)
	return s, nil
}

// readGlossary reads a table of terms: a term, a tab and its translation on
// each line; without the second column the term stays as it is.
func readGlossary(std cli.IO, in *cli.Input) ([]check.Term, error) {
	raw, err := in.Bytes(std)
	if err != nil {
		return nil, err
	}
	var terms []check.Term
	for i, line := range strings.Split(strings.ToValidUTF8(string(raw), "\ufffd"), "\n") {
		if line = strings.TrimSuffix(line, "\r"); strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		term := check.Term{Source: strings.TrimSpace(columns[0])}
		if len(columns) == 2 {
			term.Target = strings.TrimSpace(columns[1])
		}
		if term.Source == "" || len(columns) > 2 {
			return nil, cli.BadInput(fmt.Errorf("%s:%d: not a term and its translation with a tab between", in.Name(), i+1))
		}
		terms = append(terms, term)
	}
	return terms, nil
}

// compare runs the checks on every answer that has a text. The answers are
// independent of each other, so they are shared out.
func (s settings) compare(ctx context.Context, report *translate.Report, answers []translate.Answer) ([]translate.Finding, error) {
	const batch = 64
	found := make([][]translate.Finding, len(answers))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(answers); from += batch {
		group.Go(func() error {
			for i := from; i < min(from+batch, len(answers)); i++ {
				found[i] = s.compareOne(report.Items[i], answers[i])
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

func (s settings) compareOne(item translate.Item, answer translate.Answer) []translate.Finding {
	if answer.Text == "" {
		return nil
	}
	var found []translate.Finding
	for _, r := range s.checker.Compare(item.Source, answer.Text) {
		found = append(found, translate.Finding{
			Item: &item.ID, Pointer: &item.At[0], Check: r.Check, Level: r.Level, Line: answer.Line,
			Missing: r.Missing, Extra: r.Extra, Message: r.Message,
		})
	}
	return found
}

// review is a translation that has been read and checked.
type review struct {
	report   *translate.Report
	lang     language.Tag
	settings settings
	name     string // of the file, for messages
	answers  []translate.Answer
	findings translate.Findings
}

// refused says whether the findings keep the translation from being written.
func (r *review) refused() bool {
	return r.findings.Errors > 0 || r.settings.strict && r.findings.Warnings > 0
}

// maxColumns bounds a line of text output: a message can quote a whole block.
const maxColumns = 400

// lines is the findings as text.
func (r *review) lines() []string {
	lines := r.findings.Lines(r.name)
	for i, line := range lines {
		lines[i] = safetext.Cut(safetext.Line(line), maxColumns)
	}
	return lines
}

// write makes the sidecar of an accepted translation and prints its path; for
// a refused one it says why.
func (r *review) write(std cli.IO) error {
	lines := r.lines()
	if r.refused() {
		errs := make([]error, len(lines))
		for i, line := range lines {
			errs[i] = cli.Refused(errors.New(line))
		}
		return errors.Join(errs...)
	}
	for _, line := range lines {
		std.Warnf("%s", line)
	}
	sidecar, err := r.report.Sidecar(r.lang.String(), r.answers, r.settings.waived)
	if err != nil {
		return err
	}
	path := translate.SidecarPath(r.report.Path, r.lang)
	if err := writeSidecar(path, sidecar); err != nil {
		return err
	}
	return std.Printf("%s\n", safetext.Line(path))
}

// print shows the findings on standard output; the status says the rest.
func (r *review) print(std cli.IO, format string) error {
	if format == "json" {
		if err := std.Document(r.findings); err != nil {
			return err
		}
	} else {
		for _, line := range r.lines() {
			if err := std.Printf("%s\n", line); err != nil {
				return err
			}
		}
	}
	if r.refused() {
		return cli.Verdict(cli.StatusRefused)
	}
	return nil
}

// judge puts grammar faults and the results of the checks together.
func (r *review) judge(ctx context.Context, faults []translate.Finding) error {
	found, err := r.settings.compare(ctx, r.report, r.answers)
	if err != nil {
		return err
	}
	r.findings = translate.NewFindings(slices.Concat(faults, found))
	return nil
}
