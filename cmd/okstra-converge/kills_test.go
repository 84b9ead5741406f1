//go:build !soak

package main

// kills is how often a step of a run is killed; "make soak" does it ten times
// as often.
const kills = 20
