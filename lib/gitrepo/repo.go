package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Repo is a working tree, or any directory that git may look at.
type Repo struct {
	Dir   string
	env   []string
	stdin []byte
}

// Open gives the repository at dir, of which nothing is asked yet. environ is
// the environment of which git is given a part, see Environ.
func Open(dir string, environ []string) Repo { return Repo{Dir: dir, env: Environ(environ)} }

// At gives the same git in another directory.
func (r Repo) At(dir string) Repo { return Repo{Dir: dir, env: r.env} }

// passed are the variables that git needs to find itself, its user's
// configuration and its credentials. Above all GIT_DIR, GIT_INDEX_FILE and
// their kind are not among them: they would answer for another repository.
var passed = []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// Environ gives the environment in which git answers: its messages are in
// English, it asks nobody, and it takes no lock that it does not need.
func Environ(environ []string) []string {
	env := []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=false"}
	for _, entry := range environ {
		if name, _, ok := strings.Cut(entry, "="); ok && slices.Contains(passed, name) {
			env = append(env, entry)
		}
	}
	return env
}

// Error is a git call that failed, or that gave no answer where one was asked
// for.
type Error struct {
	Args   []string
	Stderr string // trimmed
	Exit   int    // -1 when git did not run at all
	Err    error
}

// Error is what git said, or that it said nothing.
func (e *Error) Error() string {
	switch {
	case e.Stderr != "":
		return e.Stderr
	case e.Exit < 0:
		return fmt.Sprintf("git %s: %v", strings.Join(e.Args, " "), e.Err)
	}
	return fmt.Sprintf("git %s: no answer", strings.Join(e.Args, " "))
}

// Unwrap gives the error of the process.
func (e *Error) Unwrap() error { return e.Err }

// quiet keeps the repository's own configuration from starting programs while
// it is being asked: a file system monitor, above all, is a command that any
// worker with write access to .git/config can set.
var quiet = []string{"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}

// anyOwner has git answer about a repository of another user too, as an
// auditor must. It goes with quiet only, because it is the guard against just
// such configuration that it turns off.
var anyOwner = []string{"-c", "safe.directory=*"}

// offline keeps a question from fetching what a partial clone lacks: the
// remote may be a command.
// Replaced objects are seen as they are: a replacement could make any commit
// the child of any other.
var offline = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_NO_REPLACE_OBJECTS=1"}

// Ask runs a git command that only reads and gives its output as it is. The
// error is an *Error.
func (r Repo) Ask(ctx context.Context, args ...string) ([]byte, error) {
	r.env = append(slices.Clip(r.env), offline...)
	return r.run(ctx, slices.Concat(quiet, anyOwner), args)
}

// Line is the answer of Ask as one text, trimmed. No answer is an error too.
func (r Repo) Line(ctx context.Context, args ...string) (string, error) {
	out, err := r.Ask(ctx, args...)
	text := strings.TrimSpace(string(out))
	if err == nil && text == "" {
		return "", &Error{Args: args, Err: errors.New("no answer")}
	}
	return text, err
}

// Do runs a git command that may write. The repository's hooks are run.
func (r Repo) Do(ctx context.Context, args ...string) ([]byte, error) {
	return r.run(ctx, []string{"--no-pager", "-c", "core.fsmonitor=false"}, args)
}

func (r Repo) run(ctx context.Context, options, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", r.Dir}, options, args)...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = r.env, &stdout, &stderr
	if r.stdin != nil {
		cmd.Stdin = bytes.NewReader(r.stdin)
	}
	err := cmd.Run()
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e := &Error{Args: args, Stderr: strings.TrimSpace(stderr.String()), Exit: -1, Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.Exit = exit.ExitCode()
	}
	return nil, e
}
