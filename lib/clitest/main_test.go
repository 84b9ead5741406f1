package clitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	Run(m, map[string]func(){
		"claude": FakeCLI("claude"),
		"ends":   ends,
	})
}

// ends prints its arguments and its standard input and ends as the first says.
func ends() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q %q\n", os.Args[1:], text)
	fmt.Fprintln(os.Stderr, "to stderr")
	switch os.Args[1] {
	case "one":
		os.Exit(1)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func TestScripts(t *testing.T) { Scripts(t, "testdata") }

// scriptT is a testscript.T that remembers instead of failing.
type scriptT struct {
	failed bool
	log    strings.Builder
}

func (t *scriptT) Skip(...any)       { panic(errStopped) }
func (t *scriptT) Fatal(args ...any) { t.Log(args...); t.FailNow() }
func (t *scriptT) Parallel()         {}
func (t *scriptT) Log(args ...any)   { fmt.Fprintln(&t.log, args...) }
func (t *scriptT) FailNow()          { t.failed = true; panic(errStopped) }
func (t *scriptT) Verbose() bool     { return false }
func (t *scriptT) Run(_ string, f func(testscript.T)) {
	defer func() {
		if r := recover(); r != nil && r != errStopped {
			panic(r)
		}
	}()
	f(t)
}

var errStopped = errors.New("stopped")

func TestExitsFailsTheScriptOnAnyOtherStatus(t *testing.T) {
	for _, tt := range []struct {
		name, script, says string
	}{
		{"another status", "exits 0 ends one", "ends ended with status 1 (expected 0)"},
		{"success where failure is wanted", "exits 1 ends fine", "ends ended with status 0 (expected 1)"},
		{"killed is not 1", "exits 1 ends killed", "ends ended with status 137 (expected 1)"},
		{"a missing program is no status", "exits 1 no-such-program", "exits: exec: \"no-such-program\""},
		{"no status", "exits ends fine", "\"ends\" is no exit status"},
		{"no program", "exits 1", "usage: exits STATUS program"},
		{"negated", "! exits 1 ends one", "usage: exits STATUS program"},
		{"without exec", "ends fine", "use 'exec ends' rather than 'ends'"},
		{"a file twice", "cmp a a\n-- a --\n-- a --\n", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "case.txtar")
			write(t, file, tt.script+"\n")
			params := params("")
			params.Files = []string{file}
			var got scriptT
			got.Run("", func(st testscript.T) { testscript.RunT(st, params) })
			if !got.failed || !strings.Contains(got.log.String(), tt.says) {
				t.Errorf("failed: %v, log:\n%s\n(expected %q)", got.failed, got.log.String(), tt.says)
			}
		})
	}
}

func TestAsNobodyRunsWithoutRights(t *testing.T) {
	AsNobody(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "secret")
	write(t, file, "x")
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(file); !errors.Is(err, os.ErrPermission) {
		t.Errorf("uid %d reads a file of mode 0: %v", os.Getuid(), err)
	}
}

func TestAsNobodyReportsWhatFailsThere(t *testing.T) {
	if os.Getenv("OKSTRA_TEST_FAIL") != "" {
		AsNobody(t)
		t.Fatal("failed on purpose")
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestAsNobodyReportsWhatFailsThere$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), "OKSTRA_TEST_FAIL=1")
	output, err := cmd.CombinedOutput()
	if bytes.Contains(output, []byte("--- SKIP")) {
		t.Skipf("no other user can run programs in the temporary folder:\n%s", output)
	}
	if err == nil || !bytes.Contains(output, []byte("failed on purpose")) {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestSmallDiskFillsUp(t *testing.T) {
	dir := SmallDisk(t, 64<<10)
	err := os.WriteFile(filepath.Join(dir, "big"), make([]byte, 1<<20), 0o644)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("1 MiB fits on 64 KiB: %v", err)
	}
}

func TestNeedToolSkipsAndNamesTheTool(t *testing.T) {
	skipped := false
	t.Run("missing", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		NeedTool(t, "no-such-program")
	})
	if !skipped {
		t.Error("a missing program does not skip the test")
	}
	NeedTool(t, "sh")
	if t.Skipped() {
		t.Error("sh is there and skips the test")
	}
}
