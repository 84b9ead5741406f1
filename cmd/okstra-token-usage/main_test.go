package main

import (
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	clitest.Run(m, map[string]func(){"okstra-token-usage": main})
}

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelp(t *testing.T) { clitest.Help(t, app()) }

func TestExamples(t *testing.T) { clitest.Examples(t, app(), "testdata/examples") }
