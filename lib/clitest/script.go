package clitest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Run is the TestMain of a package whose scripts call programs: it puts each
// command into PATH and runs the tests. A command's function is the main of
// the program, which ends with os.Exit.
func Run(m *testing.M, commands map[string]func()) { testscript.Main(m, commands) }

// Scripts runs every .txtar script of a folder, in parallel. Beyond
// testscript's own commands there is
//
//	exits STATUS program [args...]
//
// which runs the program with what the last stdin or ttyin command set up and
// wants exactly that exit status; a program that a signal ended counts as 128
// and the signal's number. stdout, stderr and cmp work on it afterwards. The
// condition [root] holds for the superuser.
//
// Each script has its own HOME ($WORK/home), no okstra home, UTC, the C locale
// and a fixed git identity; vars are further variables, as KEY=value.
// UPDATE_SCRIPTS=1 rewrites the golden parts.
func Scripts(t *testing.T, dir string, vars ...string) {
	t.Helper()
	testscript.Run(t, params(dir, vars...))
}

func params(dir string, vars ...string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, vars...)
			return setup(env)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition:           condition,
	}
}

// fixedEnv is the surroundings in which scripts, examples and console blocks
// run: what they print must not depend on the machine.
func fixedEnv(home string) []string {
	return []string{
		"HOME=" + home,
		"OKSTRA_HOME=",
		"XDG_CONFIG_HOME=",
		"TZ=UTC",
		"LC_ALL=C.UTF-8",
		"TERM=dumb",
		"GORACE=atexit_sleep_ms=0", // or each program waits a second when it ends
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Okstra Test",
		"GIT_AUTHOR_EMAIL=test@okstra.invalid",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=Okstra Test",
		"GIT_COMMITTER_EMAIL=test@okstra.invalid",
		"GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	env.Vars = append(env.Vars, fixedEnv(home)...)
	return nil
}

func condition(name string) (bool, error) {
	if name == "root" {
		return os.Getuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil || want < 0 || want > 255 {
		ts.Fatalf("exits: %q is no exit status", args[0])
	}
	got, err := status(ts.Exec(args[1], args[2:]...))
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	if got != want {
		ts.Fatalf("%s ended with status %d (expected %d)", args[1], got, want)
	}
}

// status turns the error of a finished process into its exit status; other
// errors, such as a program that is not there, stay errors.
func status(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, err
	}
	if wait, ok := exit.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return 128 + int(wait.Signal()), nil
	}
	return exit.ExitCode(), nil
}
