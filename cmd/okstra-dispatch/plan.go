package main

import (
	"context"
	"errors"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/run"
)

func planFlags(f *cli.Flags) cli.Body {
	catalogue := catalogueFlag(f)
	inputs := f.InputFlag("inputs")
	stage := f.Int("stage", 0, 1, 9999)
	prompt := f.String("prompt", "")
	workers := f.Strings("worker")
	out := f.String("out", "")
	manifest := f.String("run-manifest", "")
	batch := f.String("batch", "")
	queue := f.InputFlag("queue")
	attach := f.Strings("attach")
	lead := f.String("lead-session", "")
	replay := f.String("replay", "")
	format := f.Enum("format", "jsonl", "jsonl", "github-matrix")
	f.Time("now")
	return func(ctx context.Context, std cli.IO) error {
		cat, err := catalogue()
		err = errors.Join(err, noStream("prompt", *prompt))
		for _, name := range *attach {
			err = errors.Join(err, noStream("attach", name))
		}
		if err != nil {
			return err
		}
		p := &dispatch.Planner{
			Catalogue: cat, Now: std.Env.Now, OkstraHome: std.Env.OkstraHome(), Environ: std.Env.Environ, LeadSession: *lead,
			Replay: replayDir(std, *replay), Warn: func(text string) { std.Warnf("%s", text) },
		}
		for _, name := range *attach {
			p.Attach = append(p.Attach, absolute(std, name))
		}
		var jobs []run.Job
		switch {
		case inputs.Set() && *prompt == "" && *manifest == "":
			jobs, err = planInputs(ctx, std, p, inputs, *stage)
		case *prompt != "" && !inputs.Set() && *manifest == "":
			jobs, err = planPrompt(ctx, std, p, *prompt, *workers, *out)
		case *manifest != "" && !inputs.Set() && *prompt == "":
			jobs, err = planRun(ctx, std, p, *manifest, *batch, queue)
		default:
			return cli.Usagef("give exactly one of --inputs, --prompt and --run-manifest")
		}
		if err != nil {
			return err
		}
		return printJobs(std, jobs, *format)
	}
}

func planInputs(ctx context.Context, std cli.IO, p *dispatch.Planner, inputs *cli.Input, stage int) ([]run.Job, error) {
	doc, err := inputs.Doc(std)
	if err != nil {
		return nil, err
	}
	return p.Inputs(ctx, doc, stage)
}

func planPrompt(ctx context.Context, std cli.IO, p *dispatch.Planner, prompt string, workers []string, out string) ([]run.Job, error) {
	root, err := projectRoot(ctx, std, out)
	if err != nil {
		return nil, err
	}
	return p.Adhoc(ctx, dispatch.Adhoc{Prompt: absolute(std, prompt), Workers: workers, Root: root})
}

func planRun(ctx context.Context, std cli.IO, p *dispatch.Planner, name, batch string, queue *cli.Input) ([]run.Job, error) {
	manifest, err := manifestPath(std, name)
	if err != nil {
		return nil, err
	}
	if !queue.Set() {
		return p.Batch(ctx, manifest, batch)
	}
	if batch != "" {
		return nil, cli.Usagef("--batch and --queue cannot stand together")
	}
	r, err := queue.Open(std)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return p.Queue(ctx, manifest, r, queue.Name())
}

// printJobs writes one job a line, or all of them as a CI matrix.
func printJobs(std cli.IO, jobs []run.Job, format string) error {
	if format == "github-matrix" {
		if jobs == nil {
			jobs = []run.Job{}
		}
		return std.Document(map[string]any{"include": jobs})
	}
	for _, job := range jobs {
		if err := std.Record(job); err != nil {
			return err
		}
	}
	return nil
}
