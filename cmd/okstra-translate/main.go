// Command okstra-translate hands the texts of a final report to a translator
// and takes the translations back, checked, as a file beside the report.
package main

import (
	"os"

	"okstra/lib/cli"
)

func main() { os.Exit(cli.Main(cli.Std(), os.Args[1:], app())) }
