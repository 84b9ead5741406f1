package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
	"okstra/lib/wizard"
)

func confirmationFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	format := f.Enum("format", "text", "text", "json")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		sum := s.machine.Confirmation(s.state)
		if *format == "json" {
			return std.Document(sum)
		}
		return std.Printf("%s", sum.Text())
	}
}

func renderArgsFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		return s.runInputs()
	}
}

// runInputs prints the run inputs. A state that was edited by hand can stand
// for inputs that no run can have: nobody downstream should get to see those.
func (s *session) runInputs() error {
	inputs, err := s.machine.RunInputs(s.state)
	if err != nil {
		return refused(err)
	}
	text, err := jsondoc.Marshal(inputs)
	if err != nil {
		return err
	}
	doc, err := jsondoc.Parse(s.path, text)
	if err != nil {
		return err
	}
	if found := schema.Validate(doc, inputs.Kind); len(found) > 0 {
		return cli.BadInput(fmt.Errorf("%s: its answers make no run inputs: %s: %s", s.path, found[0].Pointer, found[0].Message))
	}
	return s.std.Document(inputs)
}

func stepsFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "text", "text", "json")
	return func(_ context.Context, std cli.IO) error {
		steps := wizard.Steps()
		if *format == "json" {
			return std.Document(struct {
				Steps []wizard.Step `json:"steps"`
			}{steps})
		}
		var text bytes.Buffer
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "STEP\tKIND\tGROUP\tSHOWN WHEN\tREADS")
		for _, s := range steps {
			kind := s.Kind
			if s.Multi {
				kind += ", multi"
			}
			reads := strings.Join(append(s.Reads, s.Facts...), ", ")
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.Step, kind, orDash(s.Group), s.When, orDash(reads))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		return std.Printf("%s", text.Bytes())
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
