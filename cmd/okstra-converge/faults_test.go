package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/clitest"
)

// waiting is a folder with a state that waits for round 1, and verdict files.
func waiting(t *testing.T, dir string) {
	t.Helper()
	examples := prepared(t)
	for _, name := range []string{"state.json", "scope-a-r1.md", "scope-c-r1.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(read(t, filepath.Join(examples, name))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAFullDiskLeavesTheStateThatWasThere: the step ends with status 3 and the
// reason, and what had stood under the name of its output stands there whole.
func TestAFullDiskLeavesTheStateThatWasThere(t *testing.T) {
	disk := clitest.SmallDisk(t, 64<<10)
	waiting(t, disk)
	before := contents(t, disk)
	before["next.json"] = before["state.json"]
	restore(t, disk, before)
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 512))
	}
	if err := filler.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("okstra-converge", "apply", "--round", "1", "--state", "state.json", "--output", "next.json", "scope-a-r1.md", "scope-c-r1.md")
	cmd.Dir = disk
	output, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 3 || !strings.Contains(string(output), "no space left") {
		t.Errorf("status %d, %s; want 3 and the reason", status, output)
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, disk) {
		if before[name] != text {
			t.Errorf("%s is another after a full disk, or was left behind", name)
		}
	}
}

// TestTwoProcessesApplyToOneState: each counts what it was given, and the file
// that both write is one of the two states, whole.
func TestTwoProcessesApplyToOneState(t *testing.T) {
	dir := t.TempDir()
	waiting(t, dir)
	apply := func(output string, files ...string) *exec.Cmd {
		cmd := exec.Command("okstra-converge", append([]string{"apply", "--round", "1", "--allow-missing", "--state", "state.json", "--output", output}, files...)...)
		cmd.Dir = dir
		return cmd
	}
	all, one := []string{"scope-a-r1.md", "scope-c-r1.md"}, []string{"scope-a-r1.md"}
	for name, files := range map[string][]string{"all.json": all, "one.json": one} {
		if output, err := apply(name, files...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	state := read(t, filepath.Join(dir, "state.json"))
	for range 5 {
		first, second := apply("next.json", all...), apply("next.json", one...)
		for _, cmd := range []*exec.Cmd{first, second} {
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
		}
		for _, cmd := range []*exec.Cmd{first, second} {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%q: %v", cmd.Args, err)
			}
		}
		next := []byte(read(t, filepath.Join(dir, "next.json")))
		if !bytes.Equal(next, []byte(read(t, filepath.Join(dir, "all.json")))) && !bytes.Equal(next, []byte(read(t, filepath.Join(dir, "one.json")))) {
			t.Fatalf("neither of the two states:\n%s", next)
		}
		if read(t, filepath.Join(dir, "state.json")) != state {
			t.Fatal("the state that was read has changed")
		}
	}
}
