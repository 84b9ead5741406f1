package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/wizard"
	"okstra/lib/wizard/hosts"
)

func renderFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	as := f.Enum("as", "", optionalHost()...)
	acpSession := f.String("acp-session", "")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		id := *as
		if id == "" {
			id = s.state.HostRuntime
		}
		host, err := wizard.FindHost(id)
		if err != nil {
			return cli.BadInput(err)
		}
		if err := s.needsSelector(); err != nil {
			return err
		}
		if host.Profile == "text" {
			return std.Printf("%s", hosts.Text(s.state.Screen, s.say()))
		}
		call, err := hosts.Render(s.state, host, *acpSession)
		if err != nil {
			return refused(err)
		}
		return std.Document(call)
	}
}

// needsSelector refuses to write out choices where the user wants to pick them
// and the session has nothing to pick with. The question stays pending.
func (s *session) needsSelector() error {
	screen := s.state.Screen
	choices := screen.Kind == wizard.KindPick || screen.Kind == wizard.KindGroup
	if s.state.Selector != "required" || s.state.CanSelect() || !choices {
		return nil
	}
	return s.noSelector("this session must use the host's picker and has declared none")
}

func (s *session) noSelector(why string) error {
	err := cli.Refused(errors.New("selector-unavailable: " + why))
	if host, unknown := wizard.FindHost(s.state.HostRuntime); unknown == nil {
		return cli.WithHint(err, host.Hint)
	}
	return err
}

func acceptFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	from := f.Enum("from", "", hostIDs()...)
	f.Required("from")
	token := f.String("token", "")
	file := f.Input("FILE")
	return func(ctx context.Context, std cli.IO) error {
		raw, err := file.Bytes(std)
		if err != nil {
			return err
		}
		host, err := wizard.FindHost(*from)
		if err != nil {
			return cli.BadInput(err)
		}
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		return s.accept(host, raw, *token, file.Name())
	}
}

// accept submits the reply of a host.
func (s *session) accept(host wizard.Host, raw []byte, token, name string) error {
	given, err := hosts.Read(s.state.Screen, host, raw, func(raw []byte) error {
		_, err := jsondoc.Parse(name, raw)
		return err
	})
	if s.state.Screen.Ended() && err == nil {
		return s.std.Document(accepted{hosts.Answered, reply{Next: s.state.Screen}})
	}
	var r *wizard.Refusal
	if errors.As(err, &r) {
		return s.refuse(r, "")
	}
	if err != nil {
		return err
	}
	if token != "" && token != s.state.Screen.Token {
		_, err := s.machine.Answer(s.state, strings.TrimSpace(string(raw)), token)
		errors.As(err, &r)
		return s.refuse(r, "")
	}
	if given.Outcome != hosts.Answered {
		return cli.WithHint(s.refuse(s.open(host, given), given.Outcome), host.Hint)
	}
	var result wizard.Result
	if given.Plain {
		result, err = s.machine.Answer(s.state, given.Text, token)
	} else {
		result, err = s.machine.Reply(s.state, given.Entries, given.FreeText, token, strings.TrimSpace(string(raw)))
	}
	if errors.As(err, &r) {
		return s.refuse(r, "")
	}
	if err != nil {
		return err
	}
	for _, note := range given.Notes {
		s.std.Warnf("a note beside the answer was not used: %q", note)
	}
	outcome := hosts.Answered
	if result.Typed {
		outcome = hosts.Typed
	}
	return s.commit(result.State, accepted{outcome, reply{result.Echo, result.Unanswered, result.State.Screen}})
}

// open is a question that a host brought back without an answer. That is no
// consent and no refusal of what was asked about.
func (s *session) open(host wizard.Host, given hosts.Reply) *wizard.Refusal {
	r := wizard.Refuse(given.Outcome, "%s: %s brought no answer back (%s); the question is still open", s.state.Screen.Step, host.ID, given.Outcome)
	if given.Text != "" {
		r.With(given.Text)
		r.Message += fmt.Sprintf("; written instead: %q", given.Text)
	}
	return r
}
