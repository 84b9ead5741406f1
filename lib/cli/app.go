package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// App describes one program.
type App struct {
	Name     string // "okstra-validate"
	Summary  string // one line, lower case, no full stop: for the man page and completions
	Help     string // the whole page for "NAME --help", written by hand
	Commands []Command
	Default  string // the command that is meant when none is named; "" for none
	Heap     int64  // bytes to fill before anything is collected; 0 for a program that is to stay small
}

// Command is one verb of a program. A program that has a single verb leaves
// its name empty and its help to the App.
type Command struct {
	Name    string            // one word or two: "plan", "policy build"
	Summary string            // one line, as App.Summary
	Help    string            // the whole page for "NAME COMMAND --help"
	Flags   func(*Flags) Body // declares flags and arguments and gives the body that reads them
	Hidden  bool              // works, but no list and no page names it

	// Reads says that the body leaves nothing behind, on disk or running, before
	// it first asks its context. SIGINT and SIGTERM are then watched from that
	// moment on; until then they end the process as they end any other. Without
	// Reads they are watched from the start.
	Reads bool
}

// Body does the work. What it returns decides the exit status: see Status.
type Body func(ctx context.Context, std IO) error

// Main runs the program on the arguments (without its own name) and gives the
// exit status, with everything written and flushed. A mistake in the App
// itself, such as a flag declared twice, is what CheckHelp finds.
func Main(std IO, args []string, app App) int {
	std.Env = std.Env.filled()
	if std.Env.Getenv("GOGC") == "" && std.Env.Getenv("GOMEMLIMIT") == "" {
		collectLate(app.Heap)
	}
	out := newStdout(std.Out)
	std.Out = out
	p := newProgram(app, func(name string) bool { return mayMean(args, name) })
	watch := newWatch(context.Background())
	defer watch.end()
	ctx := watch.context()

	run := &invocation{ctx: ctx, program: app.Name, out: out}
	std.run = run
	run.stdinFile, _ = std.In.(*os.File)
	if std.In == nil {
		std.In = strings.NewReader("")
	}
	std.In = newInterruptible(ctx, std.In)

	call, err := p.parse(std, args)
	if err == nil {
		if !call.reads {
			watch.begin()
		}
		err = perform(ctx, std, call)
	}
	if run.foot != nil {
		run.foot.Done()
	}
	if flushed := out.Flush(); flushed != nil && !errors.Is(err, flushed) {
		err = errors.Join(err, flushed)
	}
	if err == nil {
		return StatusOK
	}
	for _, m := range messages(err, call.helpCommand(app.Name)) {
		if m.hint {
			std.Hint(m.text)
		} else {
			std.Warnf("%s", m.text)
		}
	}
	status := Status(err)
	if interruption, ok := watch.received(); ok {
		// Whatever went wrong after the signal went wrong because of it.
		std.Warnf("%s", interruption)
		status = Worse(status, interruption.Status())
	}
	return status
}

// perform runs the body that the arguments chose. A panic in it is a broken
// invariant, status 3 and one line; OKSTRA_TRACE=1 adds the stack.
func perform(ctx context.Context, std IO, call *call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if std.Env.Getenv("OKSTRA_TRACE") != "" {
				fmt.Fprintf(std.Err, "%s", debug.Stack())
			}
			err = WithHint(fmt.Errorf("internal error: %v (%s)", r, panicPlace()),
				"this is a bug; run again with OKSTRA_TRACE=1 and report what it prints")
		}
	}()
	if err := call.body(ctx, std); err != nil {
		return err
	}
	if std.run.query != nil && !std.run.selected && std.run.out.wrote {
		std.Warnf("--select was not applied: this output is not JSON")
	}
	return nil
}

// panicPlace is file:line of the code that panicked, the runtime's own frames
// left out.
func panicPlace() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			dir := strings.LastIndex(frame.File, "/lib/") + 1
			if cmd := strings.LastIndex(frame.File, "/cmd/") + 1; cmd > dir {
				dir = cmd
			}
			return fmt.Sprintf("%s:%d", frame.File[dir:], frame.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}
