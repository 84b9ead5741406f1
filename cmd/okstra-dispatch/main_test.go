package main

import (
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	clitest.Run(m, map[string]func(){
		"okstra-dispatch": main,
		"claude":          clitest.FakeCLI("claude"),
		"codex":           clitest.FakeCLI("codex"),
		"kimi":            clitest.FakeCLI("kimi"),
		"grok":            clitest.FakeCLI("grok"),
	})
}

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelp(t *testing.T) { clitest.Help(t, app()) }
