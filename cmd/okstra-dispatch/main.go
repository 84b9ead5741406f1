// Command okstra-dispatch runs agent CLIs under a write policy and decides by
// evidence how each ended.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
