package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/sarif"
	"okstra/lib/schema"
)

func itemsFlags(f *cli.Flags) cli.Body {
	scan := f.InputFlag("from-sarif")
	worker := f.String("worker", "")
	files := f.OptInputs("result")
	return func(_ context.Context, std cli.IO) error {
		read := resultItems
		switch {
		case scan.Set() && len(*files) > 0:
			return cli.Usagef("--from-sarif beside worker results (expected one or the other)")
		case scan.Set() && *worker == "":
			return cli.Usagef("--from-sarif needs --worker, whose items they become")
		case scan.Set():
			if err := run.CheckWorkerID(*worker); err != nil {
				return cli.Usagef("--worker: %v", err)
			}
			read = func(std cli.IO, _ []cli.Input) ([]grouping.Item, error) { return scannedItems(std, scan, *worker) }
		case *worker != "":
			return cli.Usagef("--worker without --from-sarif; a worker result names its own worker")
		case len(*files) == 0:
			return cli.Usagef("no worker result named (expected RESULT... or --from-sarif)")
		}
		items, err := read(std, *files)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := std.Record(item); err != nil {
				return err
			}
		}
		return nil
	}
}

// resultItems reads worker results; the items of section 6 are left out. What is
// wrong with any of the files is told, in their order.
func resultItems(std cli.IO, files []cli.Input) ([]grouping.Item, error) {
	var items []grouping.Item
	var errs []error
	for i := range files {
		content, err := files[i].Bytes(std)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r, wrong := grouping.ParseResult(files[i].Name(), content)
		errs = append(errs, faults(wrong))
		for _, item := range r.Items {
			if item.Section != grouping.OutOfScope {
				items = append(items, item)
			}
		}
	}
	return items, errors.Join(errs...)
}

// scannedItems reads a scanner's log and says what of it is no item.
func scannedItems(std cli.IO, file *cli.Input, worker string) ([]grouping.Item, error) {
	content, err := file.Bytes(std)
	if err != nil {
		return nil, err
	}
	// Some scanners begin their files with a byte order mark.
	doc, err := jsondoc.Parse(file.Name(), bytes.TrimPrefix(content, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	var log sarif.Log
	if err := doc.Decode(&log); err != nil {
		return nil, err
	}
	if err := log.CheckVersion(); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", doc.Name, err))
	}
	s := converge.ScanItems(log, worker)
	if err := located(doc, append(s.Faults, nullRuns(doc, len(log.Runs))...)); err != nil {
		return nil, cli.BadInput(err)
	}
	for i := range s.Items {
		s.Items[i].Line, _ = doc.Position(s.At[i])
	}
	for _, left := range s.Left {
		std.Warnf("%s: %d left out: %s", doc.Name, left.Count, left.Why)
	}
	for _, tool := range s.Failed {
		std.Warnf("%s: %q says that it failed; results may be missing", doc.Name, tool)
	}
	for _, tool := range s.Mute {
		std.Warnf("%s: %q has no list of results, not even an empty one; it may not have looked", doc.Name, tool)
	}
	if len(log.Runs) == 0 {
		std.Warnf("%s: no run: nothing was looked at", doc.Name)
	}
	return s.Items, nil
}

// nullRuns tells of runs that are null, which a decoder takes for empty ones.
func nullRuns(doc jsondoc.Doc, runs int) []finding.Finding {
	var out []finding.Finding
	for i := range runs {
		pointer := fmt.Sprintf("/runs/%d", i)
		if raw, _ := doc.Lookup(pointer); string(raw) == "null" {
			out = append(out, finding.Finding{Pointer: pointer, Code: converge.CodeScanRuns, Message: "null (expected a run)"})
		}
	}
	return out
}

func draftFlags(f *cli.Flags) cli.Body {
	manifest := f.String("run-manifest", "")
	out := f.Output("output")
	file := f.Input("items")
	return func(_ context.Context, std cli.IO) error {
		in, err := file.Open(std)
		if err != nil {
			return err
		}
		items, err := readItems(in, file.Name())
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		roster, err := rosterOf(*manifest)
		if err != nil {
			return err
		}
		draft, err := grouping.Draft(items, roster)
		switch {
		case errors.Is(err, grouping.ErrNobody):
			return cli.BadInput(fmt.Errorf("%s: /roleExecutions: nobody with an audience (expected those who analyse)", *manifest))
		case err != nil:
			return cli.BadInput(fmt.Errorf("%s: %w", file.Name(), err))
		}
		if len(draft.Roster) == 0 {
			std.Warnf("%s: no items, and so nobody in the roster (--run-manifest says who is in the run)", file.Name())
		}
		return out.Write(std, grouping.Format(draft))
	}
}

func readItems(in io.Reader, name string) ([]grouping.Item, error) {
	var items []grouping.Item
	var errs []error
	for row, err := range jsonl.Rows(in, name) {
		var item grouping.Item
		if err == nil {
			err = schema.DecodeLine(name, row.Number, row.Raw, grouping.ItemKind, &item)
		}
		if err != nil {
			errs = append(errs, cli.BadInput(err))
			continue
		}
		items = append(items, item)
	}
	return items, errors.Join(errs...)
}

// rosterOf lists everybody of a run that has an audience, in the manifest's
// order; nil without a manifest.
func rosterOf(manifest string) ([]grouping.Seat, error) {
	if manifest == "" {
		return nil, nil
	}
	m, err := run.LoadManifest(manifest)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	roster := []grouping.Seat{}
	for _, audience := range []string{run.AudienceAnalysis, run.AudienceReportWriter, run.AudienceLead} {
		for _, r := range m.RoleExecutions {
			if r.Audience != nil && *r.Audience == audience {
				roster = append(roster, grouping.Seat{WorkerID: r.WorkerID, Audience: audience, Role: r.Role})
			}
		}
	}
	return roster, nil
}
