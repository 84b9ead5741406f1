package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
)

// Interruption is the cause of a context that a signal cancelled
// (context.Cause).
type Interruption struct{ Signal syscall.Signal }

func (i Interruption) Error() string {
	return "interrupted by " + signalNames[i.Signal]
}

var signalNames = map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// Is makes the cause of a cancelled context as good as its error.
func (i Interruption) Is(target error) bool { return target == context.Canceled }

// Status is 130 for SIGINT, 143 for SIGTERM and for SIGHUP, with which a
// terminal that closes asks for the same.
func (i Interruption) Status() int {
	if i.Signal == syscall.SIGINT {
		return StatusInterrupted
	}
	return StatusTerminated
}

// watch looks out for SIGINT, SIGTERM and SIGHUP. The first one cancels the context, so
// that the body can end in good order. A second signal means that somebody does
// not want to wait: the process ends at once.
//
// The first two are watched even where the process was started with them
// ignored, as shells do with background jobs: who sends one on purpose means it.
// An ignored SIGHUP stays ignored: that is what nohup is for.
// SIGPIPE is never touched: the runtime's rule (death on a closed standard
// output, EPIPE elsewhere) is the wanted one.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	signals chan os.Signal
	first   atomic.Int64
	done    chan struct{}

	// begin starts to watch, once. It costs the start of three threads, a tenth
	// of what a process takes that has little to do.
	begin func()
}

func newWatch(parent context.Context) *watch {
	w := &watch{signals: make(chan os.Signal, 2), done: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	w.begin = sync.OnceFunc(func() {
		signal.Notify(w.signals, syscall.SIGINT, syscall.SIGTERM)
		if !signal.Ignored(syscall.SIGHUP) {
			signal.Notify(w.signals, syscall.SIGHUP)
		}
		go w.wait()
	})
	return w
}

func (w *watch) wait() {
	for {
		select {
		case <-w.done:
			return
		case got := <-w.signals:
			interruption := Interruption{got.(syscall.Signal)}
			if !w.first.CompareAndSwap(0, int64(interruption.Signal)) {
				os.Exit(interruption.Status())
			}
			w.cancel(interruption)
		}
	}
}

// received tells which signal came, if any.
func (w *watch) received() (Interruption, bool) {
	got := w.first.Load()
	return Interruption{syscall.Signal(got)}, got != 0
}

// end ends the watch, and the context with it.
func (w *watch) end() {
	signal.Stop(w.signals)
	close(w.done)
	w.cancel(nil)
}

// context is the one that a signal cancels. Who asks it, or derives another
// from it, begins the watch.
func (w *watch) context() context.Context { return watched{w.ctx, w.begin} }

type watched struct {
	context.Context
	begin func()
}

func (c watched) Done() <-chan struct{} {
	c.begin()
	return c.Context.Done()
}

func (c watched) Err() error {
	c.begin()
	return c.Context.Err()
}
