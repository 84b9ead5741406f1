package proc

import (
	"fmt"
	"time"

	"okstra/lib/run"
)

// Spec tells what to start and how long it may live. Paths are absolute.
// Stdin "" is /dev/null: no child ever inherits our stdin, because a pipe that
// nobody closes makes some programs wait for ever. Stdout and Stderr are
// created or truncated; equal paths share one descriptor.
type Spec struct {
	Argv   []string `json:"argv"`
	Env    []string `json:"env"`
	Dir    string   `json:"dir"`
	Stdin  string   `json:"stdin"`
	Stdout string   `json:"stdout"`
	Stderr string   `json:"stderr"`
	Limits Limits   `json:"limits"`

	// Namespaces starts the program in a new user and mount namespace, with
	// the caller's ids mapped to uid and gid 0 there.
	Namespaces bool `json:"namespaces,omitempty"`
	// Report gives the program descriptor 3, the writing end of a pipe. A
	// helper that cannot set up its boundary writes the reason to it; the
	// descriptor closes by itself when the helper executes the real program.
	Report bool `json:"report,omitempty"`
}

// Limits of one process. A zero limit is no limit, but for Grace and Leftover
// where it means at once.
type Limits struct {
	Wall     time.Duration `json:"wall"`     // from the start to the end
	Idle     time.Duration `json:"idle"`     // without progress
	Startup  time.Duration `json:"startup"`  // without any sign of life
	Output   int64         `json:"output"`   // bytes of stdout and stderr together
	Grace    time.Duration `json:"grace"`    // between TERM and KILL
	Leftover time.Duration `json:"leftover"` // for what the main process left running
}

// The limits by the name under which status files record them.
const (
	LimitWall    = "wall"
	LimitIdle    = "idle"
	LimitStartup = "startup"
	LimitOutput  = "output"
)

// Reasons why a program could not be started.
const (
	ReasonCommandMissing   = "command-missing"
	ReasonPromptUnreadable = "prompt-unreadable"
	ReasonCwdMissing       = "cwd-missing"
	ReasonExecFailed       = "exec-failed"
	ReasonBoundaryFailed   = "boundary-failed"
)

// StartError says why nothing was started. Reason is one of the constants
// above, Text the account of it.
type StartError struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %s", e.Reason, e.Text) }

// Report is what became of the process tree. Exactly one of ExitCode and
// Signal is set when the program was started, ended and was waited for.
type Report struct {
	Process      run.Process `json:"process"`
	StartError   *StartError `json:"startError,omitempty"`
	StartedAt    time.Time   `json:"startedAt"`
	EndedAt      time.Time   `json:"endedAt"`
	FirstOutput  time.Time   `json:"firstOutput"`
	LastProgress time.Time   `json:"lastProgress"`
	// Elapsed is how long it took by a clock that nobody can set.
	Elapsed  time.Duration `json:"elapsed"`
	ExitCode *int          `json:"exitCode"`
	Signal   string        `json:"signal"`
	// Limit is the limit of ours that fired, Stopped is set when the caller
	// asked for the end. Both are decided here, by our clock, and stand
	// whatever exit status follows.
	Limit   string `json:"limit"`
	Stopped bool   `json:"stopped"`
	// Leftover counts the descendants that we had to end after the main
	// process was gone. KillVerified tells that no descendant is alive.
	Leftover     int   `json:"leftover"`
	KillVerified bool  `json:"killVerified"`
	OutputBytes  int64 `json:"outputBytes"`
}

// End notes when the tree ended. Where somebody set the clock back meanwhile, no
// time lies before the start: what the report says happened in its order.
func (r *Report) End(at time.Time) {
	r.Elapsed = max(0, at.Sub(r.StartedAt))
	r.EndedAt = at
	if WentBack(r.StartedAt, at) > 0 {
		r.EndedAt = r.StartedAt.Add(r.Elapsed)
	}
	for _, moment := range []*time.Time{&r.FirstOutput, &r.LastProgress} {
		if !moment.IsZero() && WentBack(r.StartedAt, *moment) > 0 {
			*moment = r.StartedAt.Add(moment.Sub(r.StartedAt))
		}
	}
}

// WentBack is how far the clock of the machine was set back between two moments
// that were taken by this process.
func WentBack(from, to time.Time) time.Duration {
	return wentBack(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}

// wentBack compares what passed by a clock that nobody can set with what passed
// by the one on the wall.
func wentBack(passed, wall time.Duration) time.Duration {
	const jitter = time.Millisecond // of the two clocks against each other
	if back := passed - wall; back > jitter {
		return back
	}
	return 0
}

// Sight is what a Watcher saw.
type Sight struct {
	Alive    bool  // any sign of life since the start
	Progress bool  // something new since the last look
	Bytes    int64 // of output so far
}

// Watcher looks at what a running process has left so far. Look is called
// from one goroutine, a few times a second, and once more after the end.
type Watcher interface {
	Look(now time.Time) Sight
}
