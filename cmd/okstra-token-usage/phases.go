package main

import (
	"context"

	"okstra/lib/cli"
)

func phasesFlags(f *cli.Flags) cli.Body {
	s := scanFlags{home: f.String("home", ""), homeGiven: f.Given("home"), since: f.Time("since"), until: f.Time("until")}
	f.Time("now")
	file := f.Input("team-state")
	return func(_ context.Context, std cli.IO) error {
		home, err := s.homes(std)
		if err != nil {
			return err
		}
		state, err := readState(std, file)
		if err != nil {
			return err
		}
		window, err := s.windowOf(std, state)
		if err != nil {
			return err
		}
		timeline, warnings := state.Timeline(home, window)
		for _, w := range warnings {
			std.Warnf("%v", w)
		}
		return std.Document(timeline)
	}
}
