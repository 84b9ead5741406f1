package main

import (
	"context"
	"errors"
	"time"

	"okstra/lib/cli"
	"okstra/lib/evidence"
	"okstra/lib/transcript"
	"okstra/lib/validate"
)

// watch is the flags of commands that judge the course of a run.
type watch struct {
	evidence *string
	follow   *bool
	interval *time.Duration
}

func watchFlags(f *cli.Flags) watch {
	return watch{
		evidence: f.Enum("evidence", "", append([]string{""}, validate.Evidence...)...),
		follow:   f.Bool("follow"),
		interval: f.Duration("interval", time.Second),
	}
}

func (w watch) options(std cli.IO) validate.Options {
	home := transcript.Home{Dir: std.Env.Home(), Get: std.Env.Get}
	return validate.Options{
		Evidence:    *w.evidence,
		Transcripts: func(provider, session string) []string { return evidence.Find(home, provider, session) },
	}
}

// judge judges runs; with --follow the one that is named, until it has ended.
func (w watch) judge(ctx context.Context, p *printer, manifests []string, opt validate.Options) error {
	if *w.follow {
		if len(manifests) != 1 {
			return cli.Usagef("--follow: %d runs (expected one)", len(manifests))
		}
		if err := w.wait(ctx, p, manifests[0], opt); err != nil {
			return err
		}
	}
	for result := range validate.All(ctx, manifests, opt) {
		if err := p.add(result); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// wait looks at a run again and again and prints what can no longer come right,
// until the run is over or cannot be used.
func (w watch) wait(ctx context.Context, p *printer, manifest string, opt validate.Options) error {
	opt.Going, opt.Subjects = true, false
	tick := time.NewTicker(max(*w.interval, time.Millisecond))
	defer tick.Stop()
	for {
		result := validate.Run(manifest, opt)
		if result.Over || result.Unusable != nil {
			return nil
		}
		if err := p.early(result); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(p.lost, context.Cause(ctx))
		}
	}
}

func sessionFlags(f *cli.Flags) cli.Body {
	v := verdictFlags(f)
	w := watchFlags(f)
	manifest := f.String("run-manifest", "")
	f.Required("run-manifest")
	return func(ctx context.Context, std cli.IO) error {
		found, err := validate.Find(*manifest)
		if err != nil {
			return cli.BadInput(err)
		}
		p, err := v.printer(std)
		if err != nil {
			return err
		}
		opt := w.options(std)
		opt.Session, opt.Subjects = true, *v.format == "intoto"
		if err := w.judge(ctx, p, found, opt); err != nil {
			return err
		}
		return p.close()
	}
}
