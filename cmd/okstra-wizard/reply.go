package main

import (
	"errors"

	"okstra/lib/cli"
	"okstra/lib/wizard"
)

// reply is what a call prints: an echo and the pending screen.
type reply struct {
	Echo string        `json:"echo"`
	Next wizard.Screen `json:"next"`
}

// refusalReply is what a refused call prints: nothing has moved.
type refusalReply struct {
	Error struct {
		Code       string   `json:"code"`
		Message    string   `json:"message"`
		Candidates []string `json:"candidates"`
	} `json:"error"`
	Next wizard.Screen `json:"next"`
}

// finish saves and prints the next state, or prints why there is none.
func (s *session) finish(next wizard.State, echo string, err error) error {
	var r *wizard.Refusal
	if errors.As(err, &r) {
		var out refusalReply
		out.Error.Code, out.Error.Message, out.Error.Candidates = r.Code, r.Message, r.Candidates
		out.Next = s.state.Screen
		return errors.Join(s.std.Document(out), cli.Refused(err))
	}
	if err != nil {
		return err
	}
	if next.Revision != s.state.Revision {
		if err := s.save(next); err != nil {
			return err
		}
	}
	return s.std.Document(reply{echo, s.state.Screen})
}
