package proc

import (
	"time"

	"golang.org/x/sys/unix"

	"okstra/lib/run"
)

// BecomeReaper makes the calling process the one that inherits orphans of
// everything below it, so that no double fork escapes.
func BecomeReaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// signalProcess sends sig to exactly p. Between reading /proc and the signal
// the number may go to another process; the descriptor pins it, and the start
// time read after that proves that it is the one meant.
func signalProcess(p run.Process, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if s, err := readStat(p.PID); err != nil || s.startTicks != p.StartTicks {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// signalAll signals every process of the list. A stopped process does not
// see TERM before it runs again.
func signalAll(list []run.Process, sig unix.Signal) {
	for _, p := range list {
		if signalProcess(p, sig) == nil && sig == unix.SIGTERM {
			_ = signalProcess(p, unix.SIGCONT)
		}
	}
}

// killRounds is how long KILL is repeated: a tree that forks while it is
// listed needs several rounds, one that cannot die needs an end.
const killRounds = 3 * time.Second

// EndAll ends exactly the processes that list gives, asked again and again
// until it gives none: TERM, after grace KILL. It returns how many were alive
// at first and whether none is left.
func EndAll(now func() time.Time, list func() []run.Process, grace time.Duration, gone <-chan struct{}) (alive int, verified bool) {
	return endAll(now, list, grace, gone, func() {})
}

// endAll is EndAll with something else that kills, before each round of KILL.
func endAll(now func() time.Time, list func() []run.Process, grace time.Duration, gone <-chan struct{}, kill func()) (alive int, verified bool) {
	first := list()
	if len(first) == 0 {
		return 0, true
	}
	signalAll(first, unix.SIGTERM)
	if waitEmpty(now, list, grace, gone) {
		return len(first), true
	}
	deadline := now().Add(killRounds)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left := list()
		if len(left) == 0 {
			return len(first), true
		}
		if now().After(deadline) {
			return len(first), false
		}
		kill()
		signalAll(left, unix.SIGKILL)
		pauseFor(pause, gone)
	}
}

// waitEmpty waits up to d for the list to become empty.
func waitEmpty(now func() time.Time, list func() []run.Process, d time.Duration, gone <-chan struct{}) bool {
	deadline := now().Add(d)
	for pause := 2 * time.Millisecond; now().Before(deadline); pause = min(2*pause, 100*time.Millisecond) {
		if pauseFor(min(pause, deadline.Sub(now())), gone); len(list()) == 0 {
			return true
		}
	}
	return len(list()) == 0
}

func pauseFor(d time.Duration, gone <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-gone:
	}
}
