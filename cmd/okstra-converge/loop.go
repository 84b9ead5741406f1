package main

import (
	"context"
	"errors"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/finding"
)

// loop is what asking and counting need to know of a kind of state: that of
// findings, or that of a plan's body.
type loop[S, P any] struct {
	of   document[S]
	most int // bound of --round
	// anonymizes says that packets can leave out whose claim it is.
	anonymizes bool
	// knows says why a worker cannot be asked, nil for one that could be.
	knows func(S, string) error
	queue func(S, int, converge.QueueOptions) ([]P, error)
	apply func(S, int, []converge.Answer, bool) (S, []finding.Finding, error)
}

// faults is what is wrong with the verdict files that could be read, where
// others could not. Nobody is called silent, and the step itself is not judged:
// both may look different with all of the files.
func (l loop[S, P]) faults(s S, round int, answers []converge.Answer) error {
	_, _, err := l.apply(s, round, answers, true)
	if files, ok := errors.AsType[*converge.RefusedFiles](err); ok {
		return files
	}
	return nil
}

func (l loop[S, P]) queueFlags(f *cli.Flags) cli.Body {
	round := f.Int("round", 0, 1, l.most)
	f.Required("round")
	worker := f.String("worker", "")
	anonymous := new(bool)
	if l.anonymizes {
		anonymous = f.Bool("anonymize")
	}
	seed := f.String("order-seed", "")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		s, err := l.of.read(std, file)
		if err != nil {
			return err
		}
		if *worker != "" {
			if err := l.knows(s, *worker); err != nil {
				return err
			}
		}
		packets, err := l.queue(s, *round, converge.QueueOptions{Worker: *worker, Anonymize: *anonymous, OrderSeed: *seed})
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

func (l loop[S, P]) applyFlags(f *cli.Flags) cli.Body {
	round := f.Int("round", 0, 1, l.most)
	state := f.InputFlag("state")
	f.Required("round", "state")
	allow := f.Bool("allow-missing")
	out := f.Output("output")
	files := f.OptInputs("verdict")
	return func(_ context.Context, std cli.IO) error {
		_, err := l.of.rewrite(std, state, out, func(s S) (S, error) {
			answers, err := readAnswers(std, *files)
			if err != nil {
				return s, errors.Join(err, l.faults(s, *round, answers))
			}
			next, lost, err := l.apply(s, *round, answers, *allow)
			for _, e := range converge.Errors(lost) {
				std.Warnf("vote lost: %v", e)
			}
			return next, err
		})
		return err
	}
}
