package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/safetext"
	"okstra/lib/wizard"
	"okstra/lib/wizard/hosts"
)

const (
	// wrongInARow is how many refused answers in a row end a dialogue that
	// nobody sits at.
	wrongInARow = 3
	// maxLine is more than any answer may have; the rest of a longer line is
	// dropped, and the answer refused for its size.
	maxLine = 128 << 10
)

func runFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		if s.state.Selector == "required" {
			return s.noSelector("this session must use the host's picker, and a dialogue is none")
		}
		if err := s.asText(); err != nil {
			return err
		}
		return s.dialogue(ctx)
	}
}

// asText makes the pending screen one to be written out. The session stays
// where it is; only its picker is not used.
func (s *session) asText() error {
	if len(s.state.AvailableFunctions) == 0 || s.state.Screen.Ended() {
		return nil
	}
	next, err := s.machine.Declare(s.state, s.state.HostRuntime, []string{})
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
		line, err := readLine(lines)
		if ctx.Err() != nil {
			fmt.Fprintln(s.std.Err)
			return context.Cause(ctx)
		}
		if err != nil {
			s.std.Warnf("the answers ended at step %q; the state is kept", s.question().Step)
			return cli.Verdict(cli.StatusInterrupted)
		}
		again, err := s.one(line)
		if err != nil {
			return err
		}
		if !again {
			wrong = 0
			continue
		}
		if wrong++; wrong == wrongInARow && !s.std.InTTY {
			return cli.Refused(fmt.Errorf("step %q: %d answers in a row were refused", s.question().Step, wrong))
		}
		s.prompt()
	}
	if s.state.Outcome == wizard.OutcomeAborted {
		return cli.Verdict(cli.StatusRefused)
	}
	return s.runInputs()
}

// readLine gives the next line without its end, and an error when there is
// none.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return "", err
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// question is the one that is asked: of a group the first that is open.
func (s *session) question() wizard.Screen { return s.state.Screen.Members()[0] }

// one takes a line; again says that it was no answer and is to be given anew.
func (s *session) one(line string) (again bool, err error) {
	var result wizard.Result
	switch word := strings.TrimSpace(line); word {
	case "?":
		s.show()
		return false, nil
	case "q":
		return false, cli.Verdict(cli.StatusInterrupted)
	case "<":
		result.State, err = s.machine.Back(s.state)
	case "=?", "=<", "=q":
		result, err = s.answer(word[1:])
	default:
		result, err = s.answer(line)
	}
	var r *wizard.Refusal
	if errors.As(err, &r) {
		fmt.Fprintln(s.std.Err, safetext.Line(r.Message))
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.save(result.State); err != nil {
		return false, err
	}
	if result.Echo != "" {
		fmt.Fprintf(s.std.Err, "%s\n", safetext.Line(result.Echo))
	}
	fmt.Fprintln(s.std.Err)
	s.show()
	return false, nil
}

// answer submits a line. The questions of a group are asked one at a time; who
// knows them may answer all of them in one JSON object.
func (s *session) answer(line string) (wizard.Result, error) {
	if s.state.Screen.Kind == wizard.KindGroup && !strings.HasPrefix(strings.TrimSpace(line), "{") {
		object, err := json.Marshal(map[string]string{s.question().Step: line})
		if err != nil {
			return wizard.Result{}, err
		}
		line = string(object)
	}
	return s.machine.Answer(s.state, line, "")
}

// show writes the question and the line to answer at. It is written once, from
// top to bottom: nothing moves under a screen reader.
func (s *session) show() {
	if s.state.Screen.Ended() {
		fmt.Fprintln(s.std.Err, safetext.Line(s.state.Screen.Label))
		return
	}
	var b strings.Builder
	hosts.Question(&b, s.question())
	fmt.Fprint(s.std.Err, b.String())
	s.prompt()
}

func (s *session) prompt() {
	end := "\n"
	if s.std.InTTY {
		end = " "
	}
	fmt.Fprint(s.std.Err, hosts.Prompt(s.question(), s.say()), end)
}
