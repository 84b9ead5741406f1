//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"okstra/lib/clitest"
	"okstra/lib/clitest/modelserver"
)

// root is the project's folder.
func root() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		panic("e2e: no source file")
	}
	return filepath.Join(filepath.Dir(file), "../../..")
}

// scratch is where everything lies that the tests make. It is no temporary
// directory, because Codex refuses to work below one.
func scratch() string { return filepath.Join(root(), ".scratch", "e2e") }

// cliDir is where the CLIs can be called by their names, programs where the
// filters of this tree can.
func cliDir() string { return filepath.Join(scratch(), "npm", "cli") }

var programs string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir := filepath.Join(scratch(), "bin")
	if output, err := exec.Command("go", "build", "-C", root(), "-o", dir+"/", "./cmd/...").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	programs = dir
	return m.Run()
}

// lane is a place of its own for one run of a CLI: a home, a project under git
// and a model server, so that nothing of another run is in it.
type lane struct {
	t       *testing.T
	clis    []cli
	dir     string
	home    string
	project string
	server  *modelserver.Server
	extra   []string // environment
	before  map[string]string
}

// The job of every lane: where its prompt lies and what it promises.
const (
	promptFile = ".okstra/e2e/prompts/job.md"
	resultFile = ".okstra/e2e/results/job.md"
)

// writeResult is the shell command of a model that does what it was asked for.
const writeResult = "printf '# Result\\n\\nAll is well.\\n' > " + resultFile + " && echo written"

// newPlace makes a home for the CLIs, an empty project and a server that
// answers as the options say.
func newPlace(t *testing.T, options modelserver.Options, clis ...cli) *lane {
	t.Helper()
	for _, tool := range []string{"git", "sh"} {
		clitest.NeedTool(t, tool)
	}
	for _, c := range clis {
		c.install(t)
	}
	dir, err := os.MkdirTemp(scratch(), "lane-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if os.Getenv("OKSTRA_E2E_KEEP") == "" {
			_ = os.RemoveAll(dir)
		} else {
			t.Log("kept:", dir)
		}
	})
	l := &lane{t: t, clis: clis, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop")}
	if l.server, err = modelserver.Start(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.server.Close() })
	for _, folder := range []string{l.home, filepath.Join(dir, "tmp"), l.project} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range clis {
		if err := c.lay(l.home, l.server.URL()); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// newLane makes a place for one CLI with a job to do.
func newLane(t *testing.T, c cli, options modelserver.Options) *lane {
	t.Helper()
	l := newPlace(t, options, c)
	for _, name := range []string{promptFile, resultFile} {
		if err := os.MkdirAll(filepath.Join(l.project, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.write(promptFile, "Say hi, and write what you did to "+resultFile+".\n")
	l.write("a.txt", "hello\n")
	l.write(".gitignore", "/.okstra/\n")
	l.commit()
	l.before = l.tree()
	return l
}

// commit puts the project under git.
func (l *lane) commit() {
	l.t.Helper()
	l.sh("git init -q -b main . && git add . && git -c user.name=e2e -c user.email=e2e@example.com commit -q -m start")
}

func (l *lane) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.project, name), []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// env is a clean environment in which the CLI finds only the stand-in.
func (l *lane) env() []string {
	path := strings.Join([]string{programs, cliDir(), os.Getenv("PATH")}, string(filepath.ListSeparator))
	env := []string{
		"PATH=" + path, "HOME=" + l.home, "OKSTRA_HOME=" + filepath.Join(l.home, ".okstra"), "TMPDIR=" + filepath.Join(l.dir, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh", "NO_PROXY=127.0.0.1,localhost", "HTTPS_PROXY=http://127.0.0.1:9",
	}
	for _, c := range l.clis {
		env = append(env, c.env(l.server.URL())...)
	}
	return append(env, l.extra...)
}

// sh runs a script in the project; it has to succeed.
func (l *lane) sh(script string) string {
	l.t.Helper()
	out, err := l.start(exec.Command("sh", "-c", script))
	if err != nil {
		l.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

// start runs a command in the project and gives what it printed.
func (l *lane) start(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.project, l.env(), 10*time.Second
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, errs.String())
	}
	return out.String(), err
}

// result is the line that a run prints about its one job.
type result struct {
	Outcome, Cause, Mutation, ResultClass, Signal, SessionID, Boundary string
	StatusPath, AttemptPath, Message                                   string
	ExitCode                                                           *int
	WallMs                                                             int64
	Usage                                                              *tokens
	Warnings                                                           []string
}

func (r result) code() string {
	if r.ExitCode == nil {
		return "none"
	}
	return fmt.Sprint(*r.ExitCode)
}

func (r result) String() string {
	return fmt.Sprintf("%s/%s, mutation %s, exit code %s, signal %q, boundary %s, %d ms, warnings %q, message %.200q", r.Outcome, r.Cause, r.Mutation, r.code(), r.Signal, r.Boundary, r.WallMs, r.Warnings, r.Message)
}

// job is the job line of the lane.
func (l *lane) job() string {
	line, err := json.Marshal(map[string]any{
		"schemaVersion": "1.0", "kind": "okstra-job", "projectRoot": l.project, "workerId": "worker", "role": "analyser",
		"provider": l.clis[0].id, "promptPath": promptFile, "resultPath": resultFile,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return string(line) + "\n"
}

// dispatch runs the lane's job with these flags of okstra-dispatch run and
// gives its result line.
func (l *lane) dispatch(flags ...string) result {
	l.t.Helper()
	return l.dispatchWith(func(*exec.Cmd) {}, flags)
}

// dispatchWith lets the caller change how the dispatcher is started; it may end
// with 0, 1 and these statuses.
func (l *lane) dispatchWith(change func(*exec.Cmd), flags []string, statuses ...int) result {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Minute)
	defer cancel()
	l.write(".okstra/e2e/job.jsonl", l.job())
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "okstra-dispatch"), append(append([]string{"run", "--retries", "0"}, flags...), ".okstra/e2e/job.jsonl")...)
	change(cmd)
	out, err := l.start(cmd)
	var ended *exec.ExitError
	if err != nil && !(errors.As(err, &ended) && slices.Contains(append(statuses, 1), ended.ExitCode())) {
		l.t.Fatalf("okstra-dispatch run: %v\n%s", err, out)
	}
	var r result
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		l.t.Fatalf("result line: %v in %q", err, out)
	}
	return r
}

// tree is what lies in the project, its .okstra folder left out: the mode and
// content of every file, the parts of .git that a worker could change
// included.
func (l *lane) tree() map[string]string {
	l.t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(l.project, func(path string, entry os.DirEntry, err error) error {
		name, relErr := filepath.Rel(l.project, path)
		if err != nil || relErr != nil {
			return errors.Join(err, relErr)
		}
		if name == ".okstra" {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		tree[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			tree[name] += " " + string(text)
			return err
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return tree
}

// untouched checks that the project is as it was.
func (l *lane) untouched() {
	l.t.Helper()
	after := l.tree()
	for name, was := range l.before {
		if is, there := after[name]; !there || is != was {
			l.t.Errorf("%s was changed: %.80q, now %.80q (there: %v)", name, was, is, there)
		}
	}
	for name := range after {
		if _, was := l.before[name]; !was {
			l.t.Errorf("%s is new in the tree", name)
		}
	}
}

// process is one that runs for a lane.
type process struct{ pid, line string }

// processes are those of the lane: each has the lane's folder in its
// environment.
func (l *lane) processes() (list []process) {
	l.t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, path := range found {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte(l.dir+"/")) {
			continue // gone, or not ours
		}
		// A process that has ended and was not yet reaped has no command line.
		if line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")); err == nil && len(line) > 0 {
			list = append(list, process{filepath.Base(filepath.Dir(path)), string(line)})
		}
	}
	return list
}

// nothingLeft checks that no process of the lane lives on.
func (l *lane) nothingLeft() {
	l.t.Helper()
	for _, p := range l.processes() {
		l.t.Errorf("process %s is left: %.200q", p.pid, p.line)
	}
}

// sidecar is what the attempt's sidecar says of the audit.
type sidecar struct {
	Boundary struct {
		Kind, Attribution string
		Mutations         []struct {
			Path, Change, Class string
			CopiedOut           bool
		}
	}
	Audit struct {
		Verdict, Attribution string
		Changes, Violations  []struct{ Path, Surface, Change, Class string }
	}
	Artifact *struct {
		Present, NewerThanStart bool
		Bytes                   int
	}
}

func (l *lane) sidecar(r result) sidecar {
	l.t.Helper()
	var s sidecar
	text, err := os.ReadFile(filepath.Join(l.project, r.AttemptPath))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		l.t.Fatalf("attempt sidecar: %v", err)
	}
	return s
}

// calls tells what was asked of the server, for a failing test.
func (l *lane) calls() string {
	var b strings.Builder
	for _, c := range l.server.Calls() {
		fmt.Fprintf(&b, "%+v ", c)
	}
	return b.String()
}
