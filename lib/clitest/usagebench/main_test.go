package main

import (
	"bytes"
	"strings"
	"testing"

	"okstra/lib/clitest"
)

// The rows are there and the homes can be read; what the numbers are is no
// test's business.
func TestBenchPrintsEveryTable(t *testing.T) {
	clitest.NeedTool(t, "grep")
	clitest.NeedTool(t, "find")
	clitest.NeedTool(t, "true")
	var out, errs bytes.Buffer
	if code := run([]string{"-bin", "/bin/true", "-dir", t.TempDir(), "-mib", "1", "-files", "12", "-rounds", "2", "-peers=false"}, &out, &errs); code != 0 {
		t.Fatalf("status %d: %s", code, errs.String())
	}
	for _, want := range []string{"Claude, Codex, Grok and Kimi", "one Claude file", "unchanged sessions", "an empty home", "grep -c", "find -newer"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

func TestBenchNamesTheProgramThatFails(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-bin", "/bin/false", "-dir", t.TempDir(), "-mib", "1", "-rounds", "1", "-peers=false"}, &out, &errs); code != 3 || !strings.Contains(errs.String(), "false") {
		t.Fatalf("status %d, %q", code, errs.String())
	}
}
