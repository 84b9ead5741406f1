package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// smallDisk mounts a tmpfs of the given size, as root or, re-executing the
// test, as root of a user namespace. It reports false when the re-executed
// test has done the work.
func smallDisk(t *testing.T, size int) (dir string, here bool) {
	t.Helper()
	const inside = "ATOMICFILE_NAMESPACE"
	dir = t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(size))
	if err == nil {
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir, true
	}
	if os.Getenv(inside) != "" {
		t.Skipf("no tmpfs in a user namespace: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, runErr := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](runErr); runErr != nil && !exited {
		t.Skipf("cannot mount a tmpfs (%v) and cannot make a user namespace (%v)", err, runErr)
	}
	t.Logf("in a user namespace:\n%s", out)
	if bytes.Contains(out, []byte("--- SKIP")) {
		t.Skipf("cannot mount a tmpfs, neither here (%v) nor in a user namespace", err)
	}
	if runErr != nil {
		t.Fail()
	}
	return "", false
}

const diskSize = 256 << 10

func TestFullDiskKeepsTheOldContent(t *testing.T) {
	dir, here := smallDisk(t, diskSize)
	if !here {
		return
	}
	path := filepath.Join(dir, "state.json")
	old := sealed("old", 10_000)
	if err := Write(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	tooBig := make([]byte, 2*diskSize)
	loud := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s on a full disk = %v, want ENOSPC", what, err)
		}
		if got := content(t, path); got != string(old) {
			t.Errorf("after %s the file has %d bytes, want the old %d", what, len(got), len(old))
		}
		if left := temporaries(t, path); len(left) != 0 {
			t.Errorf("after %s %q is left", what, left)
		}
	}
	err := Write(path, tooBig, 0o600)
	loud("Write", err)
	if want := path + ": write: no space left on device"; err != nil && err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	loud("Update", Update(t.Context(), path, 0o600, func([]byte) ([]byte, error) { return tooBig, nil }))

	good, err := Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := good.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	bad, err := Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Write(tooBig); err == nil {
		t.Error("Pending.Write on a full disk succeeded")
	}
	loud("CommitAll", CommitAll(good, bad))
}

func TestFullDiskKeepsFinishedRows(t *testing.T) {
	dir, here := smallDisk(t, diskSize)
	if !here {
		return
	}
	path := filepath.Join(dir, "rows.jsonl")
	ballast := put(t, filepath.Join(dir, "ballast"), string(make([]byte, diskSize/4)))
	n := 0
	var err error
	for ; n < 1000; n++ {
		if _, err = Append(t.Context(), path, sealed(strconv.Itoa(n), 3000+7*n)); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || n == 0 {
		t.Fatalf("after %d rows: %v, want ENOSPC after some", n, err)
	}
	whole := func(when string) {
		t.Helper()
		if found, torn := wholeRows(t, path); torn != 0 || len(found) != n {
			t.Errorf("%s: %d rows and %d torn, want %d and 0", when, len(found), torn, n)
		}
	}
	whole("after the failed row")
	if _, err := Append(t.Context(), path, sealed("a", 9000), sealed("b", diskSize)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("two rows on a full disk: %v, want ENOSPC", err)
	}
	whole("after two failed rows")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for ; n < 1000; n++ {
		if _, err = Append(t.Context(), path, sealed(fmt.Sprint("late-", n), 3000)); err != nil {
			break
		}
	}
	whole("with space again, until that was full")
}
