package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
)

func explainFlags(f *cli.Flags) cli.Body {
	word := f.OptArg("WORD")
	return func(_ context.Context, std cli.IO) error {
		shown := 0
		for i, row := range dispatch.Table() {
			if *word != "" && row.Outcome != *word && !slices.Contains(row.Causes, *word) {
				continue
			}
			shown++
			if err := std.Printf("%2d  %-15s %s\n    cause: %s\n", i+1, row.Outcome, row.Evidence, strings.Join(row.Causes, ", ")); err != nil {
				return err
			}
		}
		if shown == 0 {
			return cli.Refused(fmt.Errorf("unknown outcome or cause %q (a cause of a provider row stands for <cause of the provider row>)", *word))
		}
		return nil
	}
}
