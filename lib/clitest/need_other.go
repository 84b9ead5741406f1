//go:build unix && !linux

package clitest

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

func become(cmd *exec.Cmd, id uint32) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
}

// SmallDisk is for Linux; elsewhere the test skips.
func SmallDisk(t *testing.T, _ int64) string {
	t.Helper()
	t.Skipf("cannot mount a small disk on %s", runtime.GOOS)
	return ""
}
