package main

import (
	"path/filepath"
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	clitest.Run(m, map[string]func(){"okstra-validate": main})
}

func TestScripts(t *testing.T) {
	runs, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Scripts(t, "testdata", "RUNS="+runs)
}

func TestHelp(t *testing.T) { clitest.Help(t, app()) }

func TestExamples(t *testing.T) { clitest.Examples(t, app(), "../../testdata") }
