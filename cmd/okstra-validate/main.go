// Command okstra-validate checks a run folder against its contract and lists
// what it finds.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
