package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/safetext"
)

// The exit statuses. Rule: docs/exit-status.md.
const (
	StatusOK          = 0   // did what was asked
	StatusRefused     = 1   // understood, and the verdict is negative
	StatusBadInput    = 2   // the caller's mistake
	StatusFault       = 3   // ours or the machine's
	StatusBusy        = 75  // a lock stayed busy
	StatusInterrupted = 130 // SIGINT
	StatusTerminated  = 143 // SIGTERM
)

// marked is an error that carries its exit status.
type marked struct {
	err    error
	status int
	usage  bool // rendered with a pointer to --help
	silent bool // a verdict: a status without a message
}

func (m *marked) Error() string { return m.err.Error() }
func (m *marked) Unwrap() error { return m.err }

func mark(err error, status int) error {
	if err == nil {
		return nil
	}
	return &marked{err: err, status: status}
}

// Refused marks a negative verdict on input that was understood: status 1.
// Like all markers it gives nil for nil.
func Refused(err error) error { return mark(err, StatusRefused) }

// BadInput marks unreadable or malformed input: status 2.
func BadInput(err error) error { return mark(err, StatusBadInput) }

// Busy marks a lock that another process kept: status 75.
func Busy(err error) error { return mark(err, StatusBusy) }

// Usagef is a mistake in the arguments: status 2, and its line ends with the
// command whose --help explains them.
func Usagef(format string, args ...any) error {
	return &marked{err: fmt.Errorf(format, args...), status: StatusBadInput, usage: true}
}

// Verdict is a status without a message, for commands whose findings are on
// standard output already. Verdict(0) is nil.
func Verdict(status int) error {
	if status == StatusOK {
		return nil
	}
	return &marked{err: fmt.Errorf("status %d", status), status: status, silent: true}
}

// hinted is an error with advice, printed on a line of its own.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// WithHint adds advice to an error; the status stays. It gives nil for nil.
func WithHint(err error, text string) error {
	if err == nil {
		return nil
	}
	return &hinted{err: err, hint: text}
}

// Status is the exit status of an error: 0 for nil, else the worst of all the
// errors joined in it, in the order 130/143, 3, 75, 2, 1. The outermost mark
// decides; an error without any mark is a fault, 3. Packages below cli mark
// their own error types with a method ExitStatus() int.
func Status(err error) int {
	if err == nil {
		return StatusOK
	}
	if children := joined(err); children != nil {
		worst := StatusOK
		for _, child := range children {
			worst = Worse(worst, Status(child))
		}
		return worst
	}
	switch e := err.(type) {
	case *marked:
		return e.status
	case *jsondoc.SyntaxError:
		return StatusBadInput
	case interface{ ExitStatus() int }:
		return e.ExitStatus()
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return Status(inner)
		}
	case interface{ Unwrap() []error }:
		return statusOfWrapped(e.Unwrap())
	}
	if err == atomicfile.ErrBusy {
		return StatusBusy
	}
	return StatusFault
}

// statusOfWrapped judges an error that wraps several with one message of its
// own, as fmt.Errorf("%w: %w", ErrKind, cause) does. It tells of one mishap,
// so a part that has a mark speaks for the parts that have none.
func statusOfWrapped(parts []error) int {
	worst, unmarked := StatusOK, false
	for _, part := range parts {
		switch status := Status(part); status {
		case StatusFault:
			unmarked = true
		default:
			worst = Worse(worst, status)
		}
	}
	if worst == StatusOK && unmarked {
		return StatusFault
	}
	return worst
}

// severity orders the statuses; unknown ones count as faults.
func severity(status int) int {
	switch status {
	case StatusOK:
		return 0
	case StatusRefused:
		return 1
	case StatusBadInput:
		return 2
	case StatusBusy:
		return 3
	case StatusInterrupted, StatusTerminated:
		return 5
	default:
		return 4
	}
}

// Worse is the worse of two exit statuses.
func Worse(a, b int) int {
	if severity(b) > severity(a) {
		return b
	}
	return a
}

// joined lists the parts of an errors.Join; nil for every other error. fmt's
// multi-%w errors have the same method, but a message of their own.
func joined(err error) []error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	parts := many.Unwrap()
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Error()
	}
	if strings.Join(texts, "\n") != err.Error() {
		return nil
	}
	return parts
}

// message is one line for standard error.
type message struct {
	text string
	hint bool
}

// messages turns an error into the lines that tell of it: one per joined
// error, hints after the line they belong to. help names what to type for the
// usage. Verdicts and the mere fact of a cancelled context give no line.
func messages(err error, help string) []message {
	if err == nil {
		return nil
	}
	if parts := joined(err); parts != nil {
		var lines []message
		for _, part := range parts {
			lines = append(lines, messages(part, help)...)
		}
		return lines
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	var m *marked
	isMarked := errors.As(err, &m)
	if isMarked && m.silent {
		return nil
	}
	var lines []message
	for text := range strings.SplitSeq(strings.TrimRight(err.Error(), "\n"), "\n") {
		lines = append(lines, message{text: text})
	}
	if isMarked && m.usage && help != "" {
		lines[len(lines)-1].text += "; try '" + help + "'"
	}
	return append(lines, hints(err)...)
}

// hints collects the advice in an error's chain, outermost first.
func hints(err error) []message {
	var lines []message
	for err != nil {
		if h, ok := err.(*hinted); ok {
			lines = append(lines, message{text: h.hint, hint: true})
		}
		err = errors.Unwrap(err)
	}
	return lines
}

// fileError names the file as the user wrote it and drops the system call's
// name: "notes.json: no such file or directory".
func fileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", safetext.Line(name), err)
}
