package main

import (
	"context"
	"errors"

	"okstra/lib/cli"
	"okstra/lib/wizard"
)

// pickerInput is what both picker filters read.
type pickerInput struct {
	Prompt   wizard.Screen       `json:"prompt"`
	Offsets  map[string]int      `json:"offsets"`
	Selected map[string][]string `json:"selected"`
	Value    *string             `json:"value"`
}

func (in *pickerInput) read(std cli.IO, file *cli.Input) error {
	doc, err := file.Doc(std)
	if err != nil {
		return err
	}
	if err := doc.Decode(in); err != nil {
		return cli.BadInput(err)
	}
	if in.Offsets == nil {
		in.Offsets = map[string]int{}
	}
	if in.Selected == nil {
		in.Selected = map[string][]string{}
	}
	return nil
}

func (in *pickerInput) picker() wizard.Picker {
	return wizard.Picker{Offsets: in.Offsets, Selected: in.Selected}
}

func presentFlags(f *cli.Flags) cli.Body {
	limit := f.Int("limit", 0, 1, 1_000_000)
	f.Required("limit")
	lang := f.Enum("lang", wizard.Languages[0], wizard.Languages...)
	file := f.Input("file")
	return func(_ context.Context, std cli.IO) error {
		var in pickerInput
		if err := in.read(std, file); err != nil {
			return err
		}
		if err := wizard.CheckPrompt(in.Prompt, *limit); err != nil {
			return cli.BadInput(err)
		}
		return std.Document(in.picker().Present(in.Prompt, *limit, wizard.TextsFor(*lang)))
	}
}

func pickerAcceptFlags(f *cli.Flags) cli.Body {
	file := f.Input("file")
	return func(_ context.Context, std cli.IO) error {
		var in pickerInput
		if err := in.read(std, file); err != nil {
			return err
		}
		if in.Value == nil {
			return cli.BadInput(errors.New("missing key \"value\" (expected the value that was chosen)"))
		}
		if err := wizard.CheckPrompt(in.Prompt, 1); err != nil {
			return cli.BadInput(err)
		}
		submit, err := in.picker().Accept(in.Prompt, *in.Value)
		if err != nil {
			return refused(err)
		}
		return std.Document(struct {
			Submit   *string             `json:"submit"`
			Offsets  map[string]int      `json:"offsets"`
			Selected map[string][]string `json:"selected"`
		}{submit, in.Offsets, in.Selected})
	}
}
