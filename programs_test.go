package okstra_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// programsDir holds the six programs while the tests of the tree run.
var programsDir string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "okstra-programs-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		programsDir = dir
		return m.Run()
	}())
}

// compile makes the programs once for all tests: linking them takes longer
// than most tests that run them, which is also why debug tables are left out.
var compile = sync.OnceValue(func() error {
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", programsDir+string(filepath.Separator), "./cmd/...")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, output)
	}
	return nil
})

// programs gives the folder with the six programs.
func programs(t *testing.T) string {
	t.Helper()
	if err := compile(); err != nil {
		t.Fatal(err)
	}
	return programsDir
}
