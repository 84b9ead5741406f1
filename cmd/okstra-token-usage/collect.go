package main

import (
	"context"
	"encoding/json"
	"errors"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/render"
	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
	"okstra/lib/usage"
	"okstra/lib/usage/collect"
)

func collectFlags(f *cli.Flags) cli.Body {
	s := declareScan(f)
	write := f.Bool("write")
	report := f.String("report", "")
	prices := declarePrices(f)
	f.Time("now")
	file := f.Input("team-state")
	return func(ctx context.Context, std cli.IO) error {
		if *write && file.Name() == "-" {
			return cli.Usagef("--write needs the team state as a file")
		}
		if *report != "" && !*write {
			return cli.Usagef("--report goes with --write")
		}
		t, err := prices.table(std)
		if err != nil {
			return err
		}
		if *write {
			unlock, err := collect.Lock(ctx, file.Name(), *report)
			if err != nil {
				return missing(err)
			}
			defer unlock()
		}
		state, err := readState(std, file)
		if err != nil {
			return err
		}
		summary, doc, err := collected(ctx, std, s, state, t)
		if err != nil {
			return err
		}
		noteSkipped(std, summary.SkippedLines)
		if !*write {
			return std.Document(json.RawMessage(doc.Raw))
		}
		if err := replace(state, doc, file.Name(), *report, summary); err != nil {
			return err
		}
		return std.Document(summary)
	}
}

// windowOf is the window of a run, or what the caller says in its place.
func (s scanFlags) windowOf(std cli.IO, state collect.State) (transcript.Window, error) {
	given, err := s.window()
	if err != nil {
		return given, err
	}
	w, err := state.Window(given, std.Env.Now())
	if err == nil && w.Until.Before(w.Since) {
		std.Warnf("the window ends (%s) before it begins (%s): nothing lies in it", run.Stamp(w.Until), run.Stamp(w.Since))
	}
	return w, cli.BadInput(err)
}

func missing(err error) error {
	if _, ok := errors.AsType[collect.Missing](err); ok {
		return cli.BadInput(err)
	}
	return err
}

func readState(std cli.IO, file *cli.Input) (collect.State, error) {
	doc, err := file.Doc(std)
	if err != nil {
		return collect.State{}, err
	}
	s, err := collect.Read(doc)
	return s, cli.BadInput(err)
}

// collected finds out what the run's use was.
func collected(ctx context.Context, std cli.IO, s scanFlags, state collect.State, t *price.Table) (usage.Summary, jsondoc.Doc, error) {
	none := func(err error) (usage.Summary, jsondoc.Doc, error) { return usage.Summary{}, state.Doc, err }
	home, err := s.homes(std)
	if err != nil {
		return none(err)
	}
	window, err := s.windowOf(std, state)
	if err != nil {
		return none(err)
	}
	s.since = &window.Since
	if window.Since.IsZero() {
		std.Warnf("nothing is measured: nobody knows when the run began (--since says it)")
	}
	scanned, err := s.run(ctx, std, nil, nil)
	if err != nil {
		return none(err)
	}
	timeline, warnings := state.Timeline(home, window)
	for _, w := range warnings {
		std.Warnf("%v", w)
	}
	return collect.Collect(collect.Found{
		State: state, Window: window, At: std.Env.Now(), Scanned: scanned, Timeline: timeline, Prices: t, Real: collect.RealPaths(),
		Transcribed: func(provider string) bool { return all.Of(provider) != nil },
		Status:      state.Statuses(func(err error) { std.Warnf("status file left out: %v", err) }),
	})
}

// replace writes all that is to be written, or nothing.
func replace(state collect.State, doc jsondoc.Doc, name, report string, summary usage.Summary) error {
	var outputs []collect.Output
	if report != "" {
		r, err := collect.ReadReport(report, state.Team.RunID)
		if _, ok := errors.AsType[collect.OtherRun](err); ok {
			return cli.Refused(err)
		}
		if err != nil {
			return cli.BadInput(err)
		}
		if outputs, err = r.Fill(summary, render.Markdown); err != nil {
			return err
		}
	}
	out, err := collect.TeamState(name, doc)
	if err != nil {
		return err
	}
	return collect.Commit(append(outputs, out)...)
}
