package main

import (
	"okstra/lib/cli"
	"okstra/lib/wizard"
)

func app() cli.App {
	return cli.App{
		Name: "okstra-wizard", Summary: "ask for a run's inputs one screen at a time", Help: appHelp,
		Commands: []cli.Command{
			{Name: "init", Summary: "make a new state", Help: initHelp, Flags: initFlags},
			{Name: "step", Summary: "submit one answer, or show the pending screen again", Help: stepHelp, Flags: stepFlags},
			{Name: "render", Summary: "the pending screen as a host's tool call or as text", Help: renderHelp, Flags: renderFlags},
			{Name: "accept", Summary: "submit a host's raw reply", Help: acceptHelp, Flags: acceptFlags},
			{Name: "run", Summary: "ask everything in a numbered dialogue", Help: runHelp, Flags: runFlags},
			{Name: "back", Summary: "change the answer before the pending question", Help: backHelp, Flags: backFlags},
			{Name: "goto", Summary: "change the answer of a step", Help: gotoHelp, Flags: gotoFlags},
			{Name: "confirmation", Summary: "the answers so far", Help: confirmationHelp, Flags: confirmationFlags},
			{Name: "render-args", Summary: "print the run inputs", Help: renderArgsHelp, Flags: renderArgsFlags},
			{Name: "steps", Summary: "the step table", Help: stepsHelp, Flags: stepsFlags},
			{Name: "picker present", Summary: "a pick cut to a host's limit", Help: presentHelp, Flags: presentFlags},
			{Name: "picker accept", Summary: "take a choice on a presented screen", Help: pickerAcceptHelp, Flags: pickerAcceptFlags},
		},
	}
}

// stateFile declares the flag that all commands on a state share.
func stateFile(f *cli.Flags) *string {
	path := f.String("state-file", "")
	f.Required("state-file")
	return path
}

func hostIDs() []string {
	var ids []string
	for _, h := range wizard.Hosts() {
		ids = append(ids, h.ID)
	}
	return ids
}

// optionalHost are the values of a flag that names a host or is left out.
func optionalHost() []string { return append([]string{""}, hostIDs()...) }
