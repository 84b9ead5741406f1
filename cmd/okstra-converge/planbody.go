package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/converge"
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
		m, err := run.LoadManifest(*manifest)
		if err != nil {
			return cli.BadInput(err)
		}
		if m.Task.TaskType != planbody.TaskType {
			return cli.BadInput(fmt.Errorf("%s: a run of %s has no plan (expected %s)", *manifest, m.Task.TaskType, planbody.TaskType))
		}
		config, err := planConfig(m)
		if err != nil {
			return err
		}
		items, err := readPlan(std, data, m.Task)
		if err != nil {
			return err
		}
		absolute, err := filepath.Abs(*manifest)
		if err != nil {
			return err
		}
		s, err := planbody.Seed(m, run.Rel(m.ProjectRoot, absolute), config, items)
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

// planConfig reads what the task manifest says about plan-body verification.
func planConfig(m run.Manifest) (planbody.Config, error) {
	var task run.TaskManifest
	name := run.Abs(m.ProjectRoot, m.TaskManifestPath)
	if _, err := run.Load(name, "okstra-task-manifest", &task); err != nil {
		return planbody.Config{}, cli.BadInput(err)
	}
	config, err := planbody.Effective(task.Convergence)
	if err != nil {
		return planbody.Config{}, cli.BadInput(fmt.Errorf("%s: /convergence: %w", name, err))
	}
	return config, nil
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

// readPlanState reads a plan-body state and refuses one that contradicts
// itself.
func readPlanState(std cli.IO, file *cli.Input) (planbody.State, error) {
	var s planbody.State
	doc, err := file.Doc(std)
	if err != nil {
		return s, err
	}
	if err := schema.Decode(doc, planbody.Kind, &s); err != nil {
		return s, err
	}
	return s, cli.BadInput(located(doc, planbody.Check(s)))
}

func planQueueFlags(f *cli.Flags) cli.Body {
	round := f.Int("round", 0, 1, math.MaxInt)
	f.Required("round")
	worker := f.String("worker", "")
	seed := f.String("order-seed", "")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		s, err := readPlanState(std, file)
		if err != nil {
			return err
		}
		known := slices.ContainsFunc(s.Voters, func(v planbody.Voter) bool { return v.WorkerID == *worker })
		if *worker != "" && !known {
			return cli.Usagef("--worker %q is no voter on this plan", *worker)
		}
		packets, err := planbody.Queue(s, *round, *worker, *seed)
		if err != nil {
			return err
		}
		for _, p := range packets {
			if err := std.Record(p); err != nil {
				return err
			}
		}
		return nil
	}
}

func planApplyFlags(f *cli.Flags) cli.Body {
	round := f.Int("round", 0, 1, math.MaxInt)
	state := f.InputFlag("state")
	f.Required("round", "state")
	allow := f.Bool("allow-missing")
	out := f.Output("output")
	files := f.OptInputs("verdict")
	return func(_ context.Context, std cli.IO) error {
		s, err := readPlanState(std, state)
		if err != nil {
			return err
		}
		answers, err := readAnswers(std, *files)
		if err != nil {
			return err
		}
		next, lost, err := planbody.Apply(s, *round, answers, *allow)
		if err != nil {
			return err
		}
		for _, e := range converge.Errors(lost) {
			std.Warnf("vote lost: %v", e)
		}
		return out.Document(std, next)
	}
}

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
		s, err := readPlanState(std, file)
		if err != nil {
			return err
		}
		items, err := readPlan(std, data, s.Task)
		if err != nil {
			return err
		}
		next, err := planbody.Fix(s, items, *note)
		if err != nil {
			return err
		}
		return out.Document(std, next)
	}
}

func planGateFlags(f *cli.Flags) cli.Body {
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		s, err := readPlanState(std, file)
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
