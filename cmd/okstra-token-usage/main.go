// Command okstra-token-usage finds what a run consumed, from the transcripts
// that the agent CLIs leave on disk.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
