//go:build !linux

package main

import "os"

// without has nothing to take away on this system.
func without() { os.Exit(98) }
