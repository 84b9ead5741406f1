package main

import (
	"context"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
)

const criticGapsHelp = `usage: okstra-converge critic gaps --state STATE [CRITIC]

Adds the candidates of a critic's file to a final state as groups X-001, X-002,
and so on, and opens one round about them: queue, apply and finalize go on as
usual. The critic is their source and may not vote; the burden of proof is on
them. It can be done once.

FLAGS
      --state FILE    the final state (obligatory)
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge critic gaps --state critical.json scope-b-critic.md
  okstra-converge critic gaps --state final.json - \
    < scope-b-critic.md    # status 1
`

const criticAcceptanceHelp = `usage: okstra-converge critic acceptance [STATE]

Prints what a critic's candidates mean for the report of a final verification:
those that were confirmed (partial or full consensus) as acceptance blockers,
all others as residual risks. None is dropped.

FLAGS
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge critic acceptance final.json
  okstra-converge critic acceptance state.json    # status 1
`

func criticGapsFlags(f *cli.Flags) cli.Body {
	state := f.InputFlag("state")
	f.Required("state")
	out := f.Output("output")
	file := f.Input("critic")
	return func(_ context.Context, std cli.IO) error {
		_, err := states().rewrite(std, state, out, func(s converge.State) (converge.State, error) {
			content, err := file.Bytes(std)
			if err != nil {
				return s, err
			}
			critic, wrong := grouping.ParseCritic(file.Name(), content)
			if err := faults(wrong); err != nil {
				return s, err
			}
			next, err := converge.Gaps(s, file.Name(), critic)
			if err == nil && len(critic.Candidates) == 0 {
				std.Warnf("%s: the critic has no candidate; the state stays as it is", file.Name())
			}
			return next, err
		})
		return err
	}
}

func criticAcceptanceFlags(f *cli.Flags) cli.Body {
	out := f.Output("output")
	file := f.Input("state")
	return func(_ context.Context, std cli.IO) error {
		s, err := states().read(std, file)
		if err != nil {
			return err
		}
		made, err := converge.Accept(s)
		if err != nil {
			return err
		}
		return out.Document(std, made)
	}
}
