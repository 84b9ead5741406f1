//go:build !linux

package proc

import (
	"context"
	"errors"
	"time"

	"okstra/lib/run"
)

// errUnsupported is what every operation answers on systems other than Linux:
// without a reaper of orphans and /proc nothing could be promised.
var errUnsupported = errors.New("process control needs Linux")

// BecomeReaper fails on this system.
func BecomeReaper() error { return errUnsupported }

// Run starts nothing on this system and says so.
func Run(_ context.Context, now func() time.Time, _ Spec, _ *Group, _ Watcher, _ func(run.Process)) Report {
	at := now()
	return Report{
		StartedAt: at, EndedAt: at, KillVerified: true,
		StartError: &StartError{ReasonExecFailed, errUnsupported.Error()},
	}
}

// Group is of no use on this system.
type Group struct{}

// NewGroup fails on this system.
func NewGroup() (*Group, error) { return nil, errUnsupported }

// Close does nothing on this system.
func (*Group) Close() {}

// EndAll ends nothing on this system: it only looks whether anything is there.
func EndAll(_ func() time.Time, list func() []run.Process, _ time.Duration, _ <-chan struct{}) (alive int, verified bool) {
	n := len(list())
	return n, n == 0
}
