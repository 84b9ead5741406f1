package main

import "okstra/lib/cli"

// providersCommands ask the catalogue.
func providersCommands() []cli.Command { return nil }
