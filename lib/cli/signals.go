package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// Interruption is the cause of a context that a signal cancelled
// (context.Cause).
type Interruption struct{ Signal syscall.Signal }

func (i Interruption) Error() string {
	name := "SIGTERM"
	if i.Signal == syscall.SIGINT {
		name = "SIGINT"
	}
	return fmt.Sprintf("interrupted by %s", name)
}

// Is makes the cause of a cancelled context as good as its error.
func (i Interruption) Is(target error) bool { return target == context.Canceled }

// Status is 130 for SIGINT, 143 for SIGTERM.
func (i Interruption) Status() int { return 128 + int(i.Signal) }

// watchSignals gives a context that the first SIGINT or SIGTERM cancels, so
// that the body can end in good order. A second signal means that somebody
// does not want to wait: the process ends at once. received tells which signal
// came, if any; stop ends the watch.
//
// Both signals are watched even where the process was started with them
// ignored, as shells do with background jobs: who sends one on purpose means it.
// SIGPIPE is never touched: the runtime's rule (death on a closed standard
// output, EPIPE elsewhere) is the wanted one.
func watchSignals(parent context.Context) (ctx context.Context, received func() (Interruption, bool), stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)

	var first atomic.Int64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case got := <-signals:
				interruption := Interruption{got.(syscall.Signal)}
				if !first.CompareAndSwap(0, int64(interruption.Signal)) {
					os.Exit(interruption.Status())
				}
				cancel(interruption)
			}
		}
	}()
	received = func() (Interruption, bool) {
		got := first.Load()
		return Interruption{syscall.Signal(got)}, got != 0
	}
	stop = func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
	return ctx, received, stop
}
