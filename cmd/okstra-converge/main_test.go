package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"okstra/lib/clitest"
)

func TestMain(m *testing.M) {
	clitest.Run(m, map[string]func(){"okstra-converge": main})
}

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata") }

func TestHelp(t *testing.T) { clitest.Help(t, app()) }

func TestExamples(t *testing.T) { clitest.Examples(t, app(), prepared(t)) }

// prepared is the fixture with the documents that its setup.sh makes. It runs
// once here: once for each example takes minutes on a busy machine.
func prepared(t *testing.T) string {
	t.Helper()
	clitest.NeedTool(t, "sh")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "./setup.sh")
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("setup.sh: %v\n%s", err, output)
	}
	if err := os.Remove(filepath.Join(dir, "setup.sh")); err != nil {
		t.Fatal(err)
	}
	return dir
}
