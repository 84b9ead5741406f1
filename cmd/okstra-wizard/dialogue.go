package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/safetext"
	"okstra/lib/wizard"
	"okstra/lib/wizard/hosts"
)

// wrongInARow is how many refused answers in a row end a dialogue that nobody
// sits at.
const wrongInARow = 3

func runFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		if s.state.Selector == "required" {
			return cli.Refused(errors.New("selector-unavailable: this session must use a native selector, and a dialogue is none"))
		}
		if err := s.asText(); err != nil {
			return err
		}
		return s.dialogue(ctx)
	}
}

// asText makes the pending screen one for a terminal.
func (s *session) asText() error {
	if s.state.HostRuntime == "terminal" || s.state.Screen.Ended() {
		return nil
	}
	next, err := s.machine.Declare(s.state, "terminal", []string{})
	if err != nil {
		return refused(err)
	}
	return s.save(next)
}

// dialogue asks until the state has ended. Each accepted answer is saved.
func (s *session) dialogue(ctx context.Context) error {
	lines := bufio.NewReader(s.std.In)
	wrong := 0
	s.show()
	for !s.state.Screen.Ended() {
		raw, err := lines.ReadString('\n')
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && (!errors.Is(err, io.EOF) || raw == "") {
			s.std.Warnf("the answers ended at step %q; the state is kept", s.state.Screen.Step)
			return cli.Verdict(cli.StatusInterrupted)
		}
		again, err := s.one(strings.TrimRight(raw, "\r\n"))
		if err != nil {
			return err
		}
		if !again {
			wrong = 0
			continue
		}
		if wrong++; wrong == wrongInARow && !s.std.InTTY {
			return cli.Refused(fmt.Errorf("step %q: %d answers in a row were refused", s.state.Screen.Step, wrong))
		}
	}
	if s.state.Outcome == wizard.OutcomeAborted {
		return cli.Verdict(cli.StatusRefused)
	}
	inputs, err := s.machine.RunInputs(s.state)
	if err != nil {
		return refused(err)
	}
	return s.std.Document(inputs)
}

// one takes a line; refused says that it was no answer.
func (s *session) one(line string) (again bool, err error) {
	var next wizard.State
	var echo string
	switch word := strings.TrimSpace(line); word {
	case "?":
		s.show()
		return false, nil
	case "q":
		return false, cli.Verdict(cli.StatusInterrupted)
	case "<":
		next, err = s.machine.Back(s.state)
	case "=?", "=<", "=q":
		next, echo, err = s.machine.Answer(s.state, word[1:], "")
	default:
		next, echo, err = s.machine.Answer(s.state, line, "")
	}
	var r *wizard.Refusal
	if errors.As(err, &r) {
		fmt.Fprintln(s.std.Err, safetext.Line(r.Message))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.save(next); err != nil {
		return false, err
	}
	if echo != "" {
		fmt.Fprintf(s.std.Err, "%s\n\n", safetext.Line(echo))
	}
	s.show()
	return false, nil
}

func (s *session) show() { fmt.Fprint(s.std.Err, hosts.Text(s.state.Screen)) }
