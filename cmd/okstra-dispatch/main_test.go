package main

import (
	"os"
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	// Or, under the race detector, each program waits a second when it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")); err != nil {
		panic(err)
	}
	clitest.Run(m, map[string]func(){
		"okstra-dispatch": main,
		"without":         without,
		"claude":          clitest.FakeCLI("claude"),
		"codex":           clitest.FakeCLI("codex"),
		"kimi":            clitest.FakeCLI("kimi"),
		"grok":            clitest.FakeCLI("grok"),
	})
}

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelp(t *testing.T) { clitest.Help(t, app()) }
