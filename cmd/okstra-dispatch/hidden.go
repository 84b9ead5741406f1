package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/replay"
)

// hiddenCommands are the processes that the program starts of itself.
func hiddenCommands() []cli.Command {
	return []cli.Command{
		{Name: dispatch.SlotCommand, Hidden: true, Flags: slotFlags},
		{Name: dispatch.ReplayCommand, Hidden: true, Flags: replayFlags},
		{Name: boundary.HelperCommand, Hidden: true, Flags: encloseFlags},
		{Name: boundary.ProbeCommand, Hidden: true, Flags: tryFlags},
	}
}

// slotMemory is what a slot should get along with: a line of 16 MiB, and the
// rest of it while it grows. Nothing breaks where it does not.
const slotMemory = 40 << 20

// slotFlags is a slot: a process that runs one job at a time for a dispatcher.
func slotFlags(*cli.Flags) cli.Body {
	return func(_ context.Context, std cli.IO) error {
		debug.SetMemoryLimit(slotMemory)
		return dispatch.ServeSlot(std.Env.Now, std.In, flushing{std})
	}
}

// flushing is standard output without a buffer: a message must arrive at once.
type flushing struct{ std cli.IO }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.std.Out.Write(p)
	if err != nil {
		return n, err
	}
	return n, f.std.Flush()
}

// replayFlags is a process that plays a recording in the place of a CLI.
func replayFlags(f *cli.Flags) cli.Body {
	f.Args("IGNORED") // a provider row may give the prompt path
	return func(ctx context.Context, std cli.IO) error {
		var order dispatch.ReplayOrder
		if err := json.Unmarshal([]byte(std.Env.Getenv(dispatch.ReplayVariable)), &order); err != nil {
			return cli.BadInput(fmt.Errorf("no recording to play (%s is not set)", dispatch.ReplayVariable))
		}
		recording, err := replay.Read(order.Recording)
		if err != nil {
			return err
		}
		player := &replay.Player{
			Stdout: flushing{std}, Stderr: std.Err, Env: std.Env.Get, Environ: std.Env.Environ, Now: std.Env.Now, Names: order.Names,
		}
		status, err := player.Play(ctx, recording)
		if err != nil {
			return cli.BadInput(err)
		}
		return cli.Verdict(status)
	}
}

// encloseFlags is a process that sets a boundary up and becomes the program.
func encloseFlags(f *cli.Flags) cli.Body {
	argv := f.Rest("COMMAND")
	return func(_ context.Context, std cli.IO) error { return boundary.Enclose(*argv, std.Env.Environ) }
}

// tryFlags is the program of a boundary's self-test.
func tryFlags(f *cli.Flags) cli.Body {
	allowed, refused := f.Arg("ALLOWED"), f.Arg("REFUSED")
	return func(context.Context, cli.IO) error { return boundary.TryBoundary(*allowed, *refused) }
}
