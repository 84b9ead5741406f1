package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"okstra/lib/cli"
	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/schema"
)

func itemsFlags(f *cli.Flags) cli.Body {
	files := f.Inputs("result")
	return func(_ context.Context, std cli.IO) error {
		var items []grouping.Item
		var wrong []finding.Finding
		for i := range *files {
			file := &(*files)[i]
			content, err := file.Bytes(std)
			if err != nil {
				return err
			}
			r, found := grouping.ParseResult(file.Name(), content)
			wrong = append(wrong, found...)
			items = append(items, r.Items...)
		}
		if err := faults(wrong); err != nil {
			return err
		}
		for _, item := range items {
			if item.Section == grouping.OutOfScope {
				continue
			}
			if err := std.Record(item); err != nil {
				return err
			}
		}
		return nil
	}
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
		if err != nil {
			return cli.BadInput(fmt.Errorf("%s: %w", file.Name(), err))
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
