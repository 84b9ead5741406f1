package main

import (
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) { clitest.Run(m, map[string]func(){"okstra-translate": main}) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelpPages(t *testing.T) { clitest.Help(t, app()) }

func TestHelpExamples(t *testing.T) { clitest.Examples(t, app(), "testdata/examples") }
