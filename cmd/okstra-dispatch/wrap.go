package main

import (
	"context"
	"errors"
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
)

func wrapFlags(f *cli.Flags) cli.Body {
	prompt := f.String("prompt", "")
	f.Required("prompt")
	limits := dispatch.DefaultLimits
	wall := f.Duration("timeout", time.Duration(limits.WallSeconds)*time.Second)
	idle := f.Duration("idle", time.Duration(limits.IdleSeconds)*time.Second)
	boundaries := boundaryFlag(f, "none")
	boundarySet := f.Given("boundary")
	policy := f.InputFlag("policy")
	stdin := f.Enum("stdin", "prompt", "prompt", "null")
	argv := f.Rest("COMMAND")
	return func(ctx context.Context, std cli.IO) error {
		if len(*argv) == 0 {
			return cli.Usagef("no command (expected -- COMMAND [ARGS...])")
		}
		if *boundarySet && !policy.Set() {
			return cli.Usagef("--boundary needs --policy: without one nothing says what may be kept")
		}
		if err := errors.Join(noStream("prompt", *prompt), tooShort("timeout", wall), tooShort("idle", idle)); err != nil {
			return err
		}
		h, err := host(std, nil)
		if err != nil {
			return err
		}
		order := dispatch.WrapOrder{Prompt: absolute(std, *prompt), Argv: *argv, Dir: std.Env.Dir, StdinNull: *stdin == "null", Wall: *wall, Idle: *idle}
		if order.Boundaries, err = boundaries(); err != nil {
			return err
		}
		if policy.Set() {
			doc, err := policy.Doc(std)
			if err != nil {
				return err
			}
			order.Policy = &doc
		}
		result, err := dispatch.Wrap(ctx, h, order)
		if err != nil {
			return err
		}
		if err := std.Record(result); err != nil {
			return err
		}
		if *result.Outcome != dispatch.OutcomeCompleted {
			return cli.Verdict(cli.StatusRefused)
		}
		return nil
	}
}
