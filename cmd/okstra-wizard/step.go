package main

import (
	"context"

	"okstra/lib/cli"
	"okstra/lib/wizard"
)

func stepFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	answer := f.String("answer", "")
	answered := f.Given("answer")
	repeat := f.Bool("no-submit")
	token := f.String("token", "")
	host := f.Enum("host", "", optionalHost()...)
	functions := f.CSV("available-functions", "")
	declares := f.Given("available-functions")
	return func(ctx context.Context, std cli.IO) error {
		if *answered == *repeat {
			return cli.Usagef("give either --answer or --no-submit")
		}
		redeclares := *host != "" || *declares
		if *answered && redeclares {
			return cli.Usagef("--host and --available-functions go with --no-submit")
		}
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		switch {
		case *answered:
			result, err := s.machine.Answer(s.state, *answer, *token)
			return s.finish(result, err)
		case !redeclares:
			return std.Document(reply{Next: s.state.Screen})
		}
		return s.redeclare(*host, *functions, *declares)
	}
}

// redeclare says anew where a resumed session runs and what it can do.
func (s *session) redeclare(host string, functions []string, declares bool) error {
	list := s.state.AvailableFunctions
	if host == "" {
		host = s.state.HostRuntime
	}
	if declares {
		var err error
		if list, err = declared(host, functions); err != nil {
			return err
		}
	}
	return s.move(s.machine.Declare(s.state, host, list))
}

func backFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		return s.move(s.machine.Back(s.state))
	}
}

func gotoFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	step := f.Arg("step")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		return s.move(s.machine.Goto(s.state, *step))
	}
}

// move prints the screen of a state that was reached without an answer.
func (s *session) move(next wizard.State, err error) error {
	return s.finish(wizard.Result{State: next}, err)
}
