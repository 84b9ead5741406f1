package wizard

import "fmt"

// Refusal is an answer that was understood and not taken. The state did not
// move. Candidates lists what would have been taken, or keeps a late answer.
type Refusal struct {
	Code       string
	Message    string
	Candidates []string
}

func (r *Refusal) Error() string { return r.Message }

// Refuse makes a refusal.
func Refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...), Candidates: []string{}}
}

// With adds candidates to a refusal.
func (r *Refusal) With(candidates ...string) *Refusal {
	r.Candidates = append(r.Candidates, candidates...)
	return r
}

// UnknownStepError is the name of a step that the table does not have.
type UnknownStepError struct {
	Step  string
	Known []string
}

func (e *UnknownStepError) Error() string {
	return fmt.Sprintf("unknown step %q (expected %s)", e.Step, list(e.Known, "or"))
}

// ExitStatus says that such a name is the caller's mistake.
func (e *UnknownStepError) ExitStatus() int { return 2 }
