package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"okstra/lib/cli"
)

// Help checks the layout of all help pages of a program (cli.CheckHelp).
func Help(t *testing.T, app cli.App) {
	t.Helper()
	if err := cli.CheckHelp(app); err != nil {
		t.Error(err)
	}
}

// Examples runs every example of every help page of a program, each in its own
// copy of the folder fixture, and wants status 0 or the one that the example
// names in "# status N". The program must be registered with Run. A file
// setup.sh in the fixture runs first, once for all of them, for what cannot be
// committed (a git repository); a path that it stores still leads to the folder
// that was copied, so no example may write there. Fixture "" means an empty
// folder. Examples are for a person to read, so what they print is not
// compared: scripts do that.
func Examples(t *testing.T, app cli.App, fixture string) {
	t.Helper()
	NeedTool(t, "sh")
	prepared := prepare(t, fixture)
	for _, example := range cli.Examples(app) {
		run(t, example, func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(prepared)); err != nil {
				t.Fatal(err)
			}
			return dir
		})
	}
}

// ExamplesInPlace is Examples for documents that hold absolute paths: each example
// has a folder that setup.sh itself has prepared. Commands whose first word is
// among the exceptions are left out; the caller says why.
func ExamplesInPlace(t *testing.T, app cli.App, fixture string, except ...string) {
	t.Helper()
	NeedTool(t, "sh")
	NeedTool(t, "git")
	for _, example := range cli.Examples(app) {
		if slices.ContainsFunc(except, func(name string) bool { return example.Command == name || strings.HasPrefix(example.Command, name+" ") }) {
			continue
		}
		run(t, example, func(t *testing.T) string { return prepare(t, fixture) })
	}
}

// run plays an example in a folder of its own.
func run(t *testing.T, example cli.Example, folder func(*testing.T) string) {
	t.Run(strings.TrimSpace(example.Command+" "+example.Line), func(t *testing.T) {
		t.Parallel()
		output, err := shell(folder(t), example.Line)
		got, err := status(err)
		if err != nil {
			t.Fatal(err)
		}
		if got != example.Status {
			t.Errorf("%s\nended with status %d (expected %d):\n%s", example.Line, got, example.Status, output)
		}
	})
}

// prepare gives a folder with the content of fixture and of what its setup.sh
// makes, which lasts as long as the test and its parts.
func prepare(t *testing.T, fixture string) string {
	t.Helper()
	dir := t.TempDir()
	if fixture == "" {
		return dir
	}
	if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "setup.sh")); err == nil {
		if output, err := shell(dir, "sh ./setup.sh"); err != nil {
			t.Fatalf("setup.sh: %v\n%s", err, output)
		}
	}
	return dir
}

// shell runs a command line in a folder, in the fixed surroundings.
func shell(dir, line string) ([]byte, error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fixedEnv(dir)...)
	return cmd.CombinedOutput()
}
