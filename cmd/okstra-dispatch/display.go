package main

import (
	"okstra/lib/cli"
	"okstra/lib/dispatch"
)

type display struct{ dispatch.Viewer }

func newDisplay(std cli.IO, h dispatch.Host) *display { return nil }
func (d *display) close()                             {}
