// Command okstra-wizard asks for a run's inputs one screen at a time.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
