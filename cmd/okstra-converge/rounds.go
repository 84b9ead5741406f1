package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/safetext"
)

// maxRound bounds --round: a state has at most three rounds and a critic's.
const maxRound = 9

// findings is the loop over what workers found.
func findings() loop[converge.State, converge.Packet] {
	return loop[converge.State, converge.Packet]{
		of: states(), most: maxRound, anonymizes: true, queue: converge.Queue, apply: converge.Apply,
		knows: func(s converge.State, worker string) error {
			if slices.ContainsFunc(s.Workers, func(w converge.Worker) bool { return w.WorkerID == worker }) {
				return nil
			}
			return cli.Usagef("--worker %q is not in the roster", worker)
		},
	}
}

func queueFlags(f *cli.Flags) cli.Body { return findings().queueFlags(f) }

func applyFlags(f *cli.Flags) cli.Body { return findings().applyFlags(f) }

func finalizeFlags(f *cli.Flags) cli.Body {
	settled := f.Bool("require-settled")
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		final, err := states().rewrite(std, file, out, converge.Finalize)
		if err != nil {
			return err
		}
		if open := final.Unsettled(); *settled && len(open) > 0 {
			return cli.Refused(fmt.Errorf("not settled: %s", strings.Join(open, ", ")))
		}
		return nil
	}
}

func summaryFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "json", "json", "md", "sarif")
	layout := f.Enum("sarif-layout", converge.LayoutPerWorker, converge.LayoutPerWorker, converge.LayoutSingle)
	laid := f.Given("sarif-layout")
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		if *laid && *format != "sarif" {
			return cli.Usagef("--sarif-layout without --format sarif")
		}
		s, err := states().read(std, file)
		if err != nil {
			return err
		}
		if *format == "sarif" {
			log, err := converge.SARIF(s, *layout)
			if err != nil {
				return err
			}
			return out.Document(std, log)
		}
		sum, err := converge.Summarise(s)
		if err != nil {
			return err
		}
		if *format == "md" {
			return out.Write(std, []byte(safetext.Block(converge.Markdown(s, sum))))
		}
		return out.Document(std, sum)
	}
}

func explainFlags(f *cli.Flags) cli.Body {
	state := f.InputFlag("state")
	group := f.OptArg("group")
	return func(_ context.Context, std cli.IO) error {
		switch {
		case *group == "" && state.Set():
			return cli.Usagef("--state without a group (expected one such as G-001)")
		case *group == "":
			return printTable(std)
		case !state.Set():
			return cli.Usagef("a group needs --state")
		}
		s, err := states().read(std, state)
		if err != nil {
			return err
		}
		text, ok := converge.Explain(s, *group)
		if !ok {
			return cli.Usagef("no group %q in the state", *group)
		}
		return std.Printf("%s", safetext.Block(text))
	}
}

func printTable(std cli.IO) error {
	for _, r := range converge.Table {
		if err := std.Printf("%-3s %-18s %-18s %s\n", r.ID, r.Condition, r.Label, r.Reason); err != nil {
			return err
		}
	}
	return nil
}
