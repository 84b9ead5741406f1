package okstra_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEachToolIsAFilter holds all programs to what every filter promises:
// help is data, a mistake is one line and 2, a full disk is 3, a reader that
// leaves is no complaint.
func TestEachToolIsAFilter(t *testing.T) {
	bin := programs(t)
	tools, err := filepath.Glob("cmd/okstra-*")
	if err != nil || len(tools) != 6 {
		t.Fatalf("%d programs, %v, want 6", len(tools), err)
	}
	for _, dir := range tools {
		tool := filepath.Base(dir)
		path := filepath.Join(bin, tool)
		t.Run(tool, func(t *testing.T) {
			if status, stdout, stderr := runTool(t, exec.Command(path, "--help"), ""); status != 0 || stdout == "" || stderr != "" {
				t.Errorf("--help: status %d, %d bytes out, %q", status, len(stdout), stderr)
			}
			if status, stdout, stderr := runTool(t, exec.Command(path, "--no-such-flag"), ""); status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("unknown flag: status %d, out %q, %q", status, stdout, stderr)
			}
			if status, _, stderr := runTool(t, exec.Command("sh", "-c", `"$0" --help | head -1 >/dev/null`, path), ""); status != 0 || stderr != "" {
				t.Errorf("| head -1: status %d, %q", status, stderr)
			}
			if _, err := os.Stat("/dev/full"); err != nil {
				return // not every system has one
			}
			if status, _, stderr := runTool(t, exec.Command("sh", "-c", `"$0" --help >/dev/full`, path), ""); status != 3 || stderr == "" {
				t.Errorf("> /dev/full: status %d, %q", status, stderr)
			}
		})
	}
}

// TestEmptyInput: where one document is due, nothing is a clear error; where a
// stream is, nothing is an empty result.
func TestEmptyInput(t *testing.T) {
	bin := programs(t)
	for _, tt := range []struct {
		command string
		status  int
	}{
		{"okstra-dispatch plan --inputs -", 2},
		{"okstra-dispatch policy check", 2},
		{"okstra-dispatch run", 0},
		{"okstra-converge draft-groups", 0},
		{"okstra-converge seed", 2},
		{"okstra-converge finalize", 2},
		{"okstra-token-usage collect", 2},
		{"okstra-token-usage sum", 0},
		{"okstra-wizard picker accept", 2},
		{"okstra-validate doc -", 2},
	} {
		words := strings.Fields(tt.command)
		cmd := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
		cmd.Dir = t.TempDir()
		status, _, stderr := runTool(t, cmd, "")
		if status != tt.status || tt.status == 2 && stderr == "" {
			t.Errorf("%s: status %d, %q, want %d", tt.command, status, stderr, tt.status)
		}
	}
}

func runTool(t *testing.T, cmd *exec.Cmd, stdin string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), out.String(), errs.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), errs.String()
}
