package main

import "okstra/lib/cli"

// heap is filled before anything is collected: a scan keeps what it makes until it
// ends, and few homes hold more than that.
const heap = 160 << 20

func app() cli.App {
	return cli.App{
		Heap: heap,
		Name: "okstra-token-usage", Summary: "what a run consumed, by worker, in tokens and money", Help: appHelp, Default: "collect",
		Commands: []cli.Command{
			{Name: "collect", Summary: "usage blocks, summary and phase timeline of a run", Help: collectHelp, Flags: collectFlags},
			{Name: "events", Summary: "transcripts as usage events", Help: eventsHelp, Flags: eventsFlags, Reads: true},
			{Name: "sum", Summary: "events as totals", Help: sumHelp, Flags: func(f *cli.Flags) cli.Body { return sumFlags(f, false) }, Reads: true},
			{Name: "price", Summary: "events as totals, with their price", Help: priceHelp, Flags: func(f *cli.Flags) cli.Body { return sumFlags(f, true) }, Reads: true},
			{Name: "phases", Summary: "when the lead passed its checkpoints", Help: phasesHelp, Flags: phasesFlags},
			{Name: "report", Summary: "what a project's runs consumed", Help: reportHelp, Flags: reportFlags},
			{Name: "models", Summary: "the price table, or how a name finds its price", Help: modelsHelp, Flags: modelsFlags},
		},
	}
}
