package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// optionFlags declares what run and resume have in common. quiet tells to show
// no progress.
func optionFlags(f *cli.Flags) (options func(std cli.IO) (dispatch.Host, dispatch.Options, error), quiet *bool) {
	quiet = f.Bool("quiet|q")
	catalogue := catalogueFlag(f)
	parallel := f.Int("jobs|j", runtime.NumCPU(), 1, 4096)
	wall, idle := f.Duration("timeout", 0), f.Duration("idle", 0)
	wallSet, idleSet := f.Given("timeout"), f.Given("idle")
	retries := f.Int("retries", 0, 0, 100)
	retriesSet := f.Given("retries")
	usd := f.Float("budget-usd", 0)
	usdSet := f.Given("budget-usd")
	boundaries := boundaryFlag(f, "overlay,landlock,none")
	ordered, events := f.Bool("ordered"), f.Bool("progress-events")
	replay := f.String("replay", "")
	backoff := f.Duration("backoff", 0)
	f.Hide("backoff")
	return func(std cli.IO) (h dispatch.Host, o dispatch.Options, err error) {
		o = dispatch.Options{
			Parallel: *parallel, Wall: given(wall, wallSet), Idle: given(idle, idleSet), Retries: given(retries, retriesSet),
			BudgetUSD: given(usd, usdSet), Ordered: *ordered, ProgressEvents: *events, Replay: replayDir(std, *replay), Backoff: *backoff,
			Emit: func(r run.Result) error {
				if err := std.Record(r); err != nil {
					return err
				}
				return std.Flush()
			},
		}
		if err := errors.Join(tooShort("timeout", o.Wall), tooShort("idle", o.Idle)); err != nil {
			return h, o, err
		}
		if o.Boundaries, err = boundaries(); err != nil {
			return h, o, err
		}
		var cat *provider.Catalogue
		if cat, err = catalogue(); err != nil {
			return h, o, err
		}
		h, err = host(std, cat)
		return h, o, err
	}, quiet
}

func runFlags(f *cli.Flags) cli.Body {
	options, quiet := optionFlags(f)
	one := f.Bool("one")
	input := f.Input("JOBS")
	return func(ctx context.Context, std cli.IO) error {
		h, o, err := options(std)
		if err != nil {
			return err
		}
		r, err := input.Open(std)
		if err != nil {
			return err
		}
		defer r.Close()
		jobs, err := dispatch.ReadJobs(r, input.Name())
		if err != nil {
			return err
		}
		if *one && len(jobs) != 1 {
			return cli.BadInput(fmt.Errorf("%s: %d job lines (expected exactly 1 with --one)", input.Name(), len(jobs)))
		}
		if len(jobs) == 0 {
			return nil
		}
		return conclude(std, *quiet, h, o, func(h dispatch.Host, o dispatch.Options) (dispatch.Summary, error) {
			return dispatch.Run(ctx, h, o, input.Name(), jobs)
		})
	}
}

func resumeFlags(f *cli.Flags) cli.Body {
	options, quiet := optionFlags(f)
	manifest := manifestFlag(f)
	unaudited := f.Bool("accept-unaudited")
	return func(ctx context.Context, std cli.IO) error {
		h, o, err := options(std)
		if err != nil {
			return err
		}
		o.Unaudited = *unaudited
		path, err := manifest(std)
		if err != nil {
			return err
		}
		return conclude(std, *quiet, h, o, func(h dispatch.Host, o dispatch.Options) (dispatch.Summary, error) {
			return dispatch.Resume(ctx, h, o, path)
		})
	}
}

// conclude runs jobs with a display and turns what became of them into a
// status.
func conclude(std cli.IO, quiet bool, h dispatch.Host, o dispatch.Options, work func(dispatch.Host, dispatch.Options) (dispatch.Summary, error)) error {
	if show := newShown(std, h.Now, quiet); show != nil {
		defer show.close()
		o.Show = show
		warn, emit := h.Warn, o.Emit
		h.Warn = func(text string) { show.above(func() { warn(text) }) }
		o.Emit = func(r run.Result) (err error) {
			show.above(func() { err = emit(r) })
			return err
		}
	}
	sum, err := work(h, o)
	if err != nil {
		return refused(err)
	}
	if sum.Completed < sum.Jobs {
		return cli.Verdict(cli.StatusRefused)
	}
	return nil
}

func statusFlags(f *cli.Flags) cli.Body {
	manifest := manifestFlag(f)
	catalogue := catalogueFlag(f)
	f.Time("now")
	return func(ctx context.Context, std cli.IO) error {
		cat, err := catalogue()
		if err != nil {
			return err
		}
		h, err := host(std, cat)
		if err != nil {
			return err
		}
		path, err := manifest(std)
		if err != nil {
			return err
		}
		return refused(dispatch.Status(ctx, h, path, func(r run.Result) error { return std.Record(r) }))
	}
}
