//go:build !soak

package main

// kills is how often a step of a run is killed; "make soak" does it ten times
// as often. Every followed-th of the runs is seen to its end.
const (
	kills    = 20
	followed = 7
)
