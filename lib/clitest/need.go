package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nobody is the uid and gid of the user without rights.
const nobody = 65534

// nobodyMark tells the copy of a test that it is one.
const nobodyMark = "OKSTRA_TEST_AS_NOBODY"

// RanAsNobody begins the skip message of a test that passed in a copy of its
// process. Such a test did not go untested, and is not counted as skipped.
const RanAsNobody = "passed as uid 65534"

// NeedTool skips a test where a program is not installed, and names it.
func NeedTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

// AsNobody makes permission bits count. For the superuser, whom they do not
// stop, it runs the calling test again in a process of uid 65534 and ends it
// here: with that process's failure, or with a skip that says that it passed.
// For any other user it returns at once. It must stand first in a top-level
// test or subtest; t.TempDir then belongs to the user of the process.
func AsNobody(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 || os.Getenv(nobodyMark) != "" {
		return
	}
	dir, err := os.MkdirTemp("", "okstra-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary, err := copyForAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run="+exactly(t.Name()), "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), nobodyMark+"=1", "TMPDIR="+dir, "HOME="+dir)
	become(cmd, nobody)
	output, err := cmd.CombinedOutput()
	switch {
	case err == nil && strings.Contains(string(output), "--- SKIP: "+t.Name()):
		t.Skipf("as uid %d: %s", nobody, output)
	case err == nil && strings.Contains(string(output), "--- PASS: "+t.Name()):
		t.Skipf("%s in a process of its own", RanAsNobody)
	case len(output) == 0:
		t.Skipf("cannot run as uid %d: %v", nobody, err)
	default:
		t.Fatalf("as uid %d: %v\n%s", nobody, err, output)
	}
}

// copyForAll puts the test binary where every user can run it: the folder
// that "go test" builds in belongs to its user alone.
func copyForAll(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, filepath.Base(self))
	return binary, os.WriteFile(binary, text, 0o755)
}

// exactly is the -test.run pattern for one test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
