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

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...), Candidates: []string{}}
}

func (r *Refusal) with(candidates ...string) *Refusal {
	r.Candidates = candidates
	return r
}
