package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/converge/planbody"
	"okstra/lib/run"
	"okstra/lib/schema"
)

func planSeedFlags(f *cli.Flags) cli.Body {
	manifest := f.String("run-manifest", "")
	data := f.InputFlag("data")
	f.Required("run-manifest", "data")
	out := f.Output("output")
	return func(_ context.Context, std cli.IO) error {
		m, ref, err := loadManifest(*manifest)
		if err != nil {
			return err
		}
		if m.Task.TaskType != planbody.TaskType {
			return cli.BadInput(fmt.Errorf("%s: a run of %s has no plan (expected %s)", *manifest, m.Task.TaskType, planbody.TaskType))
		}
		config, err := configOf(m, planbody.Effective)
		if err != nil {
			return err
		}
		items, err := readPlan(std, data, m.Task)
		if err != nil {
			return err
		}
		s, err := planbody.Seed(m, ref, config, items)
		if err != nil {
			return err
		}
		if err := planFaults(*manifest, s); err != nil {
			return err
		}
		return out.Document(std, s)
	}
}

// planFaults tells what a manifest leaves wrong in the state seeded from it.
func planFaults(name string, s planbody.State) error {
	var errs []error
	for _, f := range planbody.Check(s) {
		errs = append(errs, fmt.Errorf("%s: %s: %s", name, f.Code, f.Message))
	}
	return cli.BadInput(errors.Join(errs...))
}

// readPlan reads the items of the plan in a report's data, which must be of
// the task and run.
func readPlan(std cli.IO, file *cli.Input, task run.Task) ([]planbody.Item, error) {
	doc, err := file.Doc(std)
	if err != nil {
		return nil, err
	}
	var report planbody.Report
	if err := schema.Decode(doc, "okstra-final-report", &report); err != nil {
		return nil, err
	}
	if report.Header != task {
		return nil, cli.BadInput(fmt.Errorf("%s: /header: it is the report of %s, run %s of %s (expected %s, run %s of %s)", doc.Name,
			report.Header.TaskKey, report.Header.RunSeq, report.Header.TaskType, task.TaskKey, task.RunSeq, task.TaskType))
	}
	if report.ImplementationPlanning == nil {
		return nil, cli.BadInput(fmt.Errorf("%s: no /implementationPlanning (expected a plan)", doc.Name))
	}
	items, err := report.ImplementationPlanning.Items()
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", doc.Name, err))
	}
	return items, nil
}

// planItems is the loop over the body of a plan.
func planItems() loop[planbody.State, planbody.Packet] {
	return loop[planbody.State, planbody.Packet]{
		of: plans(), most: math.MaxInt, queue: planbody.Queue, apply: planbody.Apply,
		knows: func(s planbody.State, worker string) error {
			if slices.ContainsFunc(s.Voters, func(v planbody.Voter) bool { return v.WorkerID == worker }) {
				return nil
			}
			return cli.Usagef("--worker %q is no voter on this plan", worker)
		},
	}
}

func planQueueFlags(f *cli.Flags) cli.Body { return planItems().queueFlags(f) }

func planApplyFlags(f *cli.Flags) cli.Body { return planItems().applyFlags(f) }

func planFixFlags(f *cli.Flags) cli.Body {
	data := f.InputFlag("data")
	note := f.String("note", "")
	f.Required("data", "note")
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		if strings.TrimSpace(*note) == "" {
			return cli.Usagef("--note is empty (expected what was changed and why)")
		}
		_, err := plans().rewrite(std, file, out, func(s planbody.State) (planbody.State, error) {
			items, err := readPlan(std, data, s.Task)
			if err != nil {
				return s, err
			}
			return planbody.Fix(s, items, *note)
		})
		return err
	}
}

func planGateFlags(f *cli.Flags) cli.Body {
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		s, err := plans().read(std, file)
		if err != nil {
			return err
		}
		d := s.Decide()
		if err := out.Document(std, d); err != nil {
			return err
		}
		if !d.Open {
			return cli.Verdict(cli.StatusRefused)
		}
		return nil
	}
}
