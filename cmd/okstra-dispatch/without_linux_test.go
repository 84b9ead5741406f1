package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// without is a program that takes something of the kernel away and becomes
// another one: without userns,landlock okstra-dispatch run …
func without() {
	err := errors.New("usage: without WHAT[,WHAT] PROGRAM [ARGS...]")
	if len(os.Args) > 2 {
		if err = deny(strings.Split(os.Args[1], ",")); err == nil {
			var path string
			if path, err = exec.LookPath(os.Args[2]); err == nil {
				err = syscall.Exec(path, os.Args[2:], os.Environ())
			}
		}
	}
	fmt.Fprintln(os.Stderr, "without:", err)
	os.Exit(98)
}

// What package syscall does not name; the numbers are the same on every
// architecture.
const (
	landlockCreateRuleset = 444
	clone3                = 435
	setNoNewPrivs         = 38
	setSeccomp            = 22
	seccompFilter         = 2
	retErrno              = 0x00050000
	retAllow              = 0x7fff0000
)

// Offsets in struct seccomp_data: the number of the call, the lower half of its
// first argument.
const (
	callNumber = 0
	firstArg   = 16
)

// deny has the kernel refuse what is named, to this process and all that it
// starts, as kernels do that lack it.
func deny(what []string) error {
	load := func(at uint32) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, K: at}
	}
	skip := func(code uint16, k uint32, unless uint8) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_JMP | code | syscall.BPF_K, K: k, Jf: unless}
	}
	answer := func(k uint32) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_RET | syscall.BPF_K, K: k}
	}
	fails := func(errno syscall.Errno) syscall.SockFilter { return answer(retErrno | uint32(errno)) }
	var program []syscall.SockFilter
	for _, name := range what {
		switch name {
		case "landlock":
			program = append(program, load(callNumber), skip(syscall.BPF_JEQ, landlockCreateRuleset, 1), fails(syscall.ENOSYS))
		case "userns":
			program = append(program, load(callNumber), skip(syscall.BPF_JEQ, clone3, 1), fails(syscall.ENOSYS)) // its flags cannot be looked at
			for _, call := range []uint32{syscall.SYS_CLONE, syscall.SYS_UNSHARE} {
				program = append(program, load(callNumber), skip(syscall.BPF_JEQ, call, 3), load(firstArg), skip(syscall.BPF_JSET, syscall.CLONE_NEWUSER, 1), fails(syscall.EPERM))
			}
		default:
			return fmt.Errorf("%q (expected userns or landlock)", name)
		}
	}
	program = append(program, answer(retAllow))
	runtime.LockOSThread() // the filter is this thread's, which becomes the program
	if _, _, errno := syscall.Syscall(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0); errno != 0 {
		return fmt.Errorf("no new privileges: %w", errno)
	}
	filter := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := syscall.Syscall(syscall.SYS_PRCTL, setSeccomp, seccompFilter, uintptr(unsafe.Pointer(&filter))); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

// What the kernel does not give is not claimed: without user namespaces a run
// takes Landlock, without both none, and result line, sidecar and status say
// which it was. What is not listed is never used (reports 29 and 30).
func TestReport30WholeRunsOnWeakerKernels(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("without"); err != nil {
		t.Skip("without is not in PATH: run the tests of this package with go test")
	}
	for _, tt := range []struct {
		without, boundary   string
		kind, precision, is string // "" for a refusal, which names it
	}{
		{"userns", "overlay,landlock,none", "landlock", "directory-boundary", `"leavesOpen": ["cli-home","metadata","network"]`},
		{"userns,landlock", "overlay,landlock,none", "none", "none", `"leavesOpen": ["everything","network"]`},
		{"userns,landlock", "overlay,landlock", "", "", "this kernel has no Landlock"},
		{"userns", "overlay", "", "", "operation not permitted"},
	} {
		t.Run(tt.without+" of "+tt.boundary, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir, _ = batchIn(t, dir, 2) // not below /dev/shm: Landlock leaves devices open
			cmd := command(t, dir, "run", "-q", "--boundary", tt.boundary, "jobs.jsonl")
			cmd.Path, cmd.Args = lookPath(t, "without"), append([]string{"without", tt.without, "okstra-dispatch"}, cmd.Args[1:]...)
			var out, said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &said
			_ = cmd.Run()
			status := cmd.ProcessState.ExitCode()
			if status == 98 {
				t.Skip(said.String())
			}
			if tt.kind == "landlock" && strings.Contains(said.String(), "no Landlock") {
				t.Skip("this kernel has no Landlock")
			}
			if tt.kind == "" {
				if status != 1 || out.Len() > 0 || !strings.Contains(said.String(), tt.is) {
					t.Errorf("status %d, %q, %q; want 1 and %q", status, out.String(), said.String(), tt.is)
				}
				return
			}
			told, _ := dispatchIn(t, dir, "status", "--run-manifest", batchManifest)
			for _, r := range append(results(t, out.Bytes()), results(t, told)...) {
				if *r.Outcome != "completed" || r.Boundary != tt.kind {
					t.Errorf("%s is %s inside %q, want %q", r.WorkerID, *r.Outcome, r.Boundary, tt.kind)
				}
				text, err := os.ReadFile(filepath.Join(dir, "shop", r.AttemptPath))
				if err != nil {
					t.Fatal(err)
				}
				flat := strings.NewReplacer("\n", "", "  ", "").Replace(string(text))
				for _, want := range []string{`"kind": "` + tt.kind + `"`, `"boundaryPrecision": "` + tt.precision + `"`, `"mutationAudit": "batch"`, tt.is} {
					if !strings.Contains(flat, want) {
						t.Errorf("%s: the sidecar lacks %s: %s", r.WorkerID, want, flat)
					}
				}
			}
			if n := len(results(t, out.Bytes())); n != 2 || status != 0 {
				t.Errorf("%d result lines, status %d: %s", n, status, said.String())
			}
		})
	}
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
