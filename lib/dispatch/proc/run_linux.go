package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"okstra/lib/run"
)

// Run starts spec and waits until nothing of it is left, or cannot be ended.
// started is told who runs, before the first look at it; a program that could
// not be started is told by Report.StartError alone. group, where there is one,
// is where the program runs; it must be empty. When ctx ends the tree is
// ended too and Stopped is set. The caller must have no other children, and
// now must be a clock that runs: every limit is measured with it.
func Run(ctx context.Context, now func() time.Time, spec Spec, group *Group, watch Watcher, started func(run.Process)) Report {
	report := Report{StartedAt: now()}
	child, setup, startErr := start(spec, group)
	if startErr != nil {
		report.StartError, report.KillVerified = startErr, true
		report.End(now())
		return report
	}
	report.Process = run.Process{PID: child}
	if s, err := readStat(child); err == nil {
		report.Process.StartTicks = s.startTicks
	}
	started(report.Process)
	t := &tree{now: now, spec: spec, group: group, watch: watch, main: child, report: &report, ended: make(chan syscall.WaitStatus, 1), gone: make(chan struct{})}
	go t.reap()
	t.supervise(ctx)
	if report.StartError = setup(); report.StartError != nil {
		report.ExitCode, report.Signal = nil, "" // a helper's, not the program's
	}
	return report
}

// tree is one running process tree.
type tree struct {
	now    func() time.Time
	spec   Spec
	group  *Group
	watch  Watcher
	main   int
	report *Report
	ended  chan syscall.WaitStatus // the main process
	gone   chan struct{}           // closed when we have no child any more
}

// reap waits for every child, ours and inherited, until there is none. That
// nothing is left to wait for is the proof that the whole tree is gone:
// orphans come to us, so a living descendant always has a child of ours above
// it, or is one.
func (t *tree) reap() {
	defer close(t.gone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return
		case pid == t.main:
			t.ended <- status
		}
	}
}

// supervise watches the main process to its end, its own or ours, and then
// sees to what it left.
func (t *tree) supervise(ctx context.Context) {
	limit, stopped := t.untilEnd(ctx)
	t.report.Limit, t.report.Stopped = limit, stopped
	ours := limit != "" || stopped
	if ours {
		_, t.report.KillVerified = endAll(t.now, t.living, t.spec.Limits.Grace, t.gone, t.group.kill)
	} else {
		t.report.Leftover, t.report.KillVerified = t.leftover()
	}
	if t.report.KillVerified {
		// What was killed is gone from the list before it is reaped.
		<-t.gone
	}
	if ours {
		select {
		case status := <-t.ended:
			t.record(status)
		default:
		}
	}
	end := t.now()
	sight := t.look(end)
	t.report.End(end)
	if output := t.spec.Limits.Output; !ours && output > 0 && sight.Bytes > output {
		t.report.Limit = LimitOutput // it was faster than our looks, and printed too much all the same
	}
}

// leftover gives what the ended main process left running a moment to end by
// itself, and ends what is still there.
func (t *tree) leftover() (int, bool) {
	select {
	case <-t.gone:
		if len(t.group.living()) == 0 {
			return 0, true
		}
	case <-time.After(min(t.spec.Limits.Leftover, 10*time.Millisecond)):
	}
	if waitEmpty(t.now, t.living, t.spec.Limits.Leftover, t.gone) {
		return 0, true
	}
	return endAll(t.now, t.living, t.spec.Limits.Grace, t.gone, t.group.kill)
}

// living lists what is alive of the tree: what descends from us, and what is
// in the group and somehow does not.
func (t *tree) living() []run.Process {
	list := Descendants(os.Getpid())
	for _, p := range t.group.living() {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// Looks are frequent at first, so that a short job is followed closely, and
// rarer later, so that a long one costs nothing.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = 500 * time.Millisecond
)

// untilEnd waits for the main process, a limit or the end of ctx.
func (t *tree) untilEnd(ctx context.Context) (limit string, stopped bool) {
	pause := firstLook
	timer := time.NewTimer(t.nextLook(pause))
	defer timer.Stop()
	for {
		select {
		case status := <-t.ended:
			t.record(status)
			return "", false
		case <-ctx.Done():
			return "", true
		case <-timer.C:
		}
		limit = t.exceeded(t.now())
		select {
		case status := <-t.ended:
			// It ended by itself before we decided.
			t.record(status)
			return "", false
		default:
		}
		if limit != "" {
			return limit, false
		}
		pause = min(pause*2, lastLook)
		timer.Reset(t.nextLook(pause))
	}
}

// nextLook shortens a pause so that the wall limit fires on time.
func (t *tree) nextLook(pause time.Duration) time.Duration {
	if wall := t.spec.Limits.Wall; wall > 0 {
		pause = min(pause, t.report.StartedAt.Add(wall).Sub(t.now()))
	}
	return max(pause, time.Millisecond)
}

func (t *tree) look(now time.Time) Sight {
	sight := t.watch.Look(now)
	t.report.OutputBytes = sight.Bytes
	if sight.Alive && t.report.FirstOutput.IsZero() {
		t.report.FirstOutput = now
	}
	if sight.Progress {
		t.report.LastProgress = now
	}
	return sight
}

// exceeded names the limit that the process is over.
func (t *tree) exceeded(now time.Time) string {
	limits, sight := t.spec.Limits, t.look(now)
	quiet := now.Sub(t.report.StartedAt)
	if !t.report.LastProgress.IsZero() {
		quiet = now.Sub(t.report.LastProgress)
	}
	alive := !t.report.FirstOutput.IsZero()
	switch {
	case limits.Wall > 0 && now.Sub(t.report.StartedAt) >= limits.Wall:
		return LimitWall
	case limits.Output > 0 && sight.Bytes > limits.Output:
		return LimitOutput
	case limits.Startup > 0 && !alive && quiet >= limits.Startup:
		return LimitStartup
	case limits.Idle > 0 && quiet >= limits.Idle && (alive || limits.Startup == 0):
		return LimitIdle
	}
	return ""
}

func (t *tree) record(status syscall.WaitStatus) {
	if status.Signaled() {
		t.report.Signal = unix.SignalName(status.Signal())
		return
	}
	code := status.ExitStatus()
	t.report.ExitCode = &code
}

// start opens the streams and starts the program. setup tells afterwards what
// a helper reported, if the spec asks for it.
func start(spec Spec, group *Group) (pid int, setup func() *StartError, _ *StartError) {
	if len(spec.Argv) == 0 {
		return 0, nil, &StartError{ReasonCommandMissing, "no command given"}
	}
	if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
		return 0, nil, &StartError{ReasonCwdMissing, spec.Dir + " is no directory"}
	}
	path, startErr := FindProgram(spec.Argv[0], spec.Dir, spec.Env)
	if startErr != nil {
		return 0, nil, startErr
	}
	files, startErr := openStreams(spec)
	defer closeAll(files)
	if startErr != nil {
		return 0, nil, startErr
	}
	setup = func() *StartError { return nil }
	if spec.Report {
		r, w, err := os.Pipe()
		if err != nil {
			return 0, nil, &StartError{ReasonExecFailed, err.Error()}
		}
		files = append(files, w)
		setup = func() *StartError { return readReport(r) }
		defer func() {
			w.Close()
			if pid == 0 {
				r.Close()
			}
		}()
	}
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = f.Fd()
	}
	attr := &syscall.ProcAttr{Dir: spec.Dir, Env: spec.Env, Files: fds, Sys: Attributes(spec)}
	group.renew()
	if group.usable() {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(group.handle.Fd())
	}
	pid, err := syscall.ForkExec(path, spec.Argv, attr)
	if err != nil && attr.Sys.UseCgroupFD {
		// The group may be what was refused. Without it nothing is lost but the
		// shortest way to the end.
		attr.Sys.UseCgroupFD = false
		if pid, err = syscall.ForkExec(path, spec.Argv, attr); err == nil {
			group.Close()
		}
	}
	if err != nil {
		return 0, nil, startFailure(spec, path, err)
	}
	return pid, setup, nil
}

// Attributes are those of the process that a spec starts: a session of its own,
// and the namespaces that it asks for.
func Attributes(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if spec.Namespaces {
		attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

func startFailure(spec Spec, path string, err error) *StartError {
	if spec.Namespaces && !errors.Is(err, syscall.ENOENT) {
		return &StartError{ReasonBoundaryFailed, "start in a namespace of its own: " + err.Error()}
	}
	return ExecFailure(path, err)
}

// openStreams opens the three streams of the child as files, so that no
// grandchild which keeps one open can hold us up. What it opened before it
// failed is returned too.
func openStreams(spec Spec) ([]*os.File, *StartError) {
	in := spec.Stdin
	if in == "" {
		in = os.DevNull
	}
	open := OpenOutput // a prompt may be another job's output
	if in == os.DevNull {
		open = os.Open
	}
	stdin, err := open(in)
	if err != nil {
		return nil, &StartError{ReasonPromptUnreadable, err.Error()}
	}
	files := []*os.File{stdin}
	for _, path := range []string{spec.Stdout, spec.Stderr} {
		if len(files) == 2 && path == spec.Stdout {
			files = append(files, files[1])
			break
		}
		f, err := CreateOutput(path)
		if err != nil {
			return files, &StartError{ReasonExecFailed, err.Error()}
		}
		files = append(files, f)
	}
	return files, nil
}

// closeAll closes the files; one that stands there twice is no fault.
func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// readReport reads what a helper said before it gave up; silence is success.
// It is the boundary that failed, unless the helper says that the boundary
// stood and the command was not there or could not be executed.
func readReport(r *os.File) *StartError {
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, 4096))
	if len(text) == 0 {
		return nil
	}
	for _, reason := range []string{ReasonCommandMissing, ReasonExecFailed} {
		if said, ok := strings.CutPrefix(string(text), reason+": "); ok {
			return &StartError{reason, said}
		}
	}
	return &StartError{ReasonBoundaryFailed, string(text)}
}
