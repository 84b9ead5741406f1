package main

import (
	"errors"

	"okstra/lib/cli"
	"okstra/lib/wizard"
)

// reply is what a call prints: an echo and the pending screen. Unanswered are
// the questions of a group that the answer left open.
type reply struct {
	Echo       string        `json:"echo"`
	Unanswered []string      `json:"unanswered,omitempty"`
	Next       wizard.Screen `json:"next"`
}

// accepted is a reply to a host.
type accepted struct {
	Outcome string `json:"outcome"`
	reply
}

// refusalReply is what a refused call prints: nothing has moved. Outcome is
// why a host brought no answer.
type refusalReply struct {
	Outcome string        `json:"outcome,omitempty"`
	Error   refusal       `json:"error"`
	Next    wizard.Screen `json:"next"`
}

type refusal struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Candidates []string `json:"candidates"`
}

// finish saves and prints the next state, or prints why there is none.
func (s *session) finish(next wizard.Result, err error) error {
	var r *wizard.Refusal
	if errors.As(err, &r) {
		return s.refuse(r, "")
	}
	if err != nil {
		return err
	}
	return s.commit(next.State, reply{next.Echo, next.Unanswered, next.State.Screen})
}

// refuse prints a refusal beside the screen that is still pending.
func (s *session) refuse(r *wizard.Refusal, outcome string) error {
	out := refusalReply{outcome, refusal{r.Code, r.Message, r.Candidates}, s.state.Screen}
	return errors.Join(s.std.Document(out), cli.Refused(r))
}

// refused makes an engine's refusal an error of status 1; others keep what
// they say about themselves.
func refused(err error) error {
	var r *wizard.Refusal
	if errors.As(err, &r) {
		return cli.Refused(err)
	}
	return err
}
