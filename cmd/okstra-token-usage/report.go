package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"okstra/lib/cli"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/usage/report"
)

const defaultDays = 30

func reportFlags(f *cli.Flags) cli.Body {
	c := &reporter{
		project: f.String("project", "."), projectGiven: f.Given("project"),
		days: f.Int("days", defaultDays, 1, 36500), daysGiven: f.Given("days"),
		since: f.Time("since"), until: f.Time("until"), all: f.Bool("all"),
		taskTypes: f.Strings("task-type"), group: f.String("group", ""),
		by: f.CSV("by", ""), byGiven: f.Given("by"), zone: f.String("timezone", ""),
		format: f.Enum("format", "text", "text", "json", "csv", "html"),
	}
	f.Time("now")
	c.states = f.OptInputs("team-state")
	return func(_ context.Context, std cli.IO) error { return c.report(std) }
}

// reporter is the report command with its flags.
type reporter struct {
	project, group, zone, format *string
	projectGiven, daysGiven      *bool
	byGiven, all                 *bool
	days                         *int
	since, until                 *time.Time
	taskTypes, by                *[]string
	states                       *[]cli.Input
}

func (c *reporter) report(std cli.IO) error {
	o, err := c.options(std)
	if err != nil {
		return err
	}
	runs, err := c.runs(std, &o)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Fault != nil {
			std.Warnf("not counted: %v", r.Fault)
		}
	}
	r, outside := report.Make(runs, o)
	if outside > 0 && len(*c.states) > 0 {
		std.Warnf("runs outside the window, not counted: %d (--all takes them in)", outside)
	}
	switch *c.format {
	case "json":
		return std.Document(r)
	case "csv":
		return r.CSV(std.Out)
	case "html":
		return report.Page(std.Out, c.sections(runs, o, r)...)
	}
	return r.Text(std.Out)
}

// sections are what a page shows: what was asked for, or every way of looking
// at the runs.
func (c *reporter) sections(runs []report.Run, o report.Options, asked report.Report) []report.Report {
	if *c.byGiven {
		return []report.Report{asked}
	}
	var list []report.Report
	for _, word := range report.Dimensions {
		o.By = []string{word}
		r, _ := report.Make(runs, o)
		list = append(list, r)
	}
	return list
}

func (c *reporter) options(std cli.IO) (report.Options, error) {
	o := report.Options{TaskTypes: *c.taskTypes, Group: *c.group, By: *c.by}
	for _, t := range o.TaskTypes {
		if !run.IsTaskType(t) {
			return o, cli.Usagef("--task-type %q is no task type (expected %s)", t, cli.OneOf(run.TaskTypes))
		}
	}
	if !*c.byGiven {
		o.By = []string{report.Dimensions[0]}
	}
	if err := report.CheckBy(o.By); err != nil {
		return o, cli.Usagef("--by: %v", err)
	}
	var err error
	if o.Location, err = location(std, *c.zone); err != nil {
		return o, err
	}
	o.Since, o.Until, err = c.window(std.Env.Now().In(o.Location))
	return o, err
}

// window is the span in which runs began. Days are the calendar's, so that a
// month back is a month back also when the clocks were changed.
func (c *reporter) window(now time.Time) (since, until time.Time, err error) {
	bounds := !c.since.IsZero() || !c.until.IsZero()
	switch {
	case *c.all && (*c.daysGiven || bounds), *c.daysGiven && bounds:
		return since, until, cli.Usagef("--days, --all, and --since with --until exclude each other")
	case *c.all:
		return since, until, nil
	case !bounds:
		return now.AddDate(0, 0, -*c.days), now, nil
	}
	if since, until = *c.since, *c.until; until.IsZero() {
		until = now
	}
	if until.Before(since) {
		return since, until, cli.Usagef("the window ends (%s) before it begins (%s)", run.Stamp(until), run.Stamp(since))
	}
	return since, until, nil
}

// runs are those of the project, or those whose team states were named.
func (c *reporter) runs(std cli.IO, o *report.Options) ([]report.Run, error) {
	if len(*c.states) == 0 || *c.projectGiven {
		root, err := report.Project(*c.project)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("project %q: %w", *c.project, plainCause(err)))
		}
		o.Root = root
	}
	if len(*c.states) == 0 {
		runs, err := report.Find(o.Root)
		return runs, cli.BadInput(err)
	}
	var paths []string
	for i := range *c.states {
		in := &(*c.states)[i]
		if in.Name() != "-" {
			paths = append(paths, in.Name())
			continue
		}
		named, err := pathLines(std, in)
		if err != nil {
			return nil, err
		}
		paths = append(paths, named...)
	}
	runs, err := report.ReadFiles(paths)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if !*c.projectGiven {
		o.Root = commonRoot(runs)
	}
	return runs, nil
}

func plainCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// commonRoot is the project of all the runs, "" when they are of several.
func commonRoot(runs []report.Run) string {
	root := ""
	for i, r := range runs {
		if i > 0 && r.Root != root {
			return ""
		}
		root = r.Root
	}
	return root
}

// pathLines reads paths from a stream, one JSON text a line.
func pathLines(std cli.IO, in *cli.Input) ([]string, error) {
	stream, err := in.Open(std)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	var paths []string
	var faults []error
	for row, err := range jsonl.Rows(stream, in.Name()) {
		var path string
		switch {
		case err != nil:
			faults = append(faults, cli.BadInput(err))
		case json.Unmarshal(row.Raw, &path) != nil || path == "":
			faults = append(faults, cli.BadInput(fmt.Errorf("%s:%d: %s (expected the path of a team state as a JSON text)", in.Name(), row.Number, row.Raw)))
		default:
			paths = append(paths, path)
		}
	}
	return paths, errors.Join(faults...)
}
