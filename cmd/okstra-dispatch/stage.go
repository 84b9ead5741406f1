package main

import "okstra/lib/cli"

func stageCommands() []cli.Command { return nil }
