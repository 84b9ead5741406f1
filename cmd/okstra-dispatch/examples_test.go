package main

import (
	"testing"

	"okstra/lib/clitest"
)

// What the doctor says is the machine's. The stage commands and the planned paths want runs of an implementation, which
// testdata/stage_implementation.txtar and usage_planned_paths.txtar make.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a project for each of thirty examples")
	}
	t.Setenv("OKSTRA_REPLAY_DIR", "recordings")
	clitest.ExamplesInPlace(t, app(), "testdata/examples", "stage", "policy planned-paths", "providers doctor")
}
