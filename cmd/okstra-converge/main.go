// Command okstra-converge turns grouped findings and verdicts into a
// convergence state, and says how much the agreement is worth.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
