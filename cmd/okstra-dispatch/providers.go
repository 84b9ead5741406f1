package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/preflight"
	"okstra/lib/dispatch/proc"
	"okstra/lib/provider"
)

// providersCommands ask the catalogue, and the machine about it.
func providersCommands() []cli.Command {
	return []cli.Command{
		{Name: "providers list", Summary: "list the providers and their models", Help: providersListHelp, Flags: providersListFlags},
		{Name: "providers resolve", Summary: "tell which model a name means", Help: providersResolveHelp, Flags: providersResolveFlags},
		{Name: "providers doctor", Summary: "check the installed CLIs, boundaries and disks", Help: providersDoctorHelp, Flags: providersDoctorFlags},
	}
}

const providersListHelp = `usage: okstra-dispatch providers list [FLAGS]

Lists every model of the catalogue: provider, model, the prices of a million
input, cached input and output tokens in USD, and its other names. A model in
brackets is not offered for selection, but its name still resolves.

FLAGS
      --format FORM   text, or jsonl: the provider rows themselves (text)
` + providersFlag + cli.CommonFlags + `
EXIT STATUS
  0  done
  2  usage; a providers file that cannot be read or is faulty
  3  the list could not be written

EXAMPLES
  okstra-dispatch providers list
  okstra-dispatch providers list --format jsonl --select .command
`

const providersResolveHelp = `usage: okstra-dispatch providers resolve [FLAGS] MODEL

Prints the model that a name means. MODEL is provider/model, a provider (its
default model), or a model name that only one provider has. Names are compared
as ids, then as aliases, then without regard to case.

FLAGS
` + providersFlag + cli.CommonFlags + `
EXIT STATUS
  0  done
  1  the name is unknown, or several providers know it
  2  usage; a providers file that cannot be read or is faulty
  3  the answer could not be written

EXAMPLES
  okstra-dispatch providers resolve claude/opus-4-7
  okstra-dispatch providers resolve --select .modelExecutionValue kimi
`

const providersDoctorHelp = `usage: okstra-dispatch providers doctor [FLAGS] [PROVIDER...]

Checks each CLI of the catalogue (or those that are named): whether it is
installed, its version beside the one that the catalogue was tried with, and
whether a login is to be seen. Then tries the kernel boundaries and looks at
the room on disk. A login that is not seen may be there all the same.

FLAGS
      --format FORM   text or json (text)
` + providersFlag + cli.CommonFlags + `
EXIT STATUS
  0  nothing is wrong (a CLI that is not installed is not)
  1  something is wrong, or a named provider is unknown
  2  usage; a providers file that cannot be read or is faulty
  3  the report could not be written

EXAMPLES
  okstra-dispatch providers doctor codex
  okstra-dispatch providers doctor --format json --select '.boundaries[].holds'
`

func providersListFlags(f *cli.Flags) cli.Body {
	format, catalogue := f.Enum("format", "text", "text", "jsonl"), catalogueFlag(f)
	return func(_ context.Context, std cli.IO) error {
		c, err := catalogue()
		if err != nil {
			return err
		}
		for _, p := range c.Providers() {
			if *format == "jsonl" {
				if err := std.Record(p); err != nil {
					return err
				}
				continue
			}
			for _, m := range p.Models {
				line := fmt.Sprintf("%-12s %-28s %-22s %s", p.ID, modelName(p, m), priceText(m), strings.Join(m.Aliases, ", "))
				if err := std.Printf("%s\n", strings.TrimRight(line, " ")); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// modelName marks the default model with a star and puts one that is not
// offered into brackets.
func modelName(p *provider.Provider, m provider.Model) string {
	name := m.ID
	if !m.Selectable {
		name = "[" + name + "]"
	}
	if m.ID == p.DefaultModel {
		name += " *"
	}
	return name
}

func priceText(m provider.Model) string {
	if m.Pricing == nil {
		return "--"
	}
	var parts []string
	for _, n := range m.Pricing {
		parts = append(parts, n.String())
	}
	return strings.Join(parts, " / ")
}

func providersResolveFlags(f *cli.Flags) cli.Body {
	name, catalogue := f.Arg("MODEL"), catalogueFlag(f)
	return func(_ context.Context, std cli.IO) error {
		c, err := catalogue()
		if err != nil {
			return err
		}
		p, m, err := c.Resolve(*name)
		if err != nil {
			return err
		}
		return std.Document(struct {
			Provider            string            `json:"provider"`
			Model               string            `json:"model"`
			DisplayName         string            `json:"displayName"`
			ModelExecutionValue string            `json:"modelExecutionValue"`
			Pricing             *provider.Pricing `json:"pricing"`
			Selectable          bool              `json:"selectable"`
		}{p.ID, m.ID, m.DisplayName, m.ExecutionValue, m.Pricing, m.Selectable})
	}
}

func providersDoctorFlags(f *cli.Flags) cli.Body {
	format, catalogue, ids := f.Enum("format", "text", "text", "json"), catalogueFlag(f), f.Args("PROVIDER")
	return func(ctx context.Context, std cli.IO) error {
		c, err := catalogue()
		if err != nil {
			return err
		}
		providers, err := chosenProviders(c, *ids)
		if err != nil {
			return err
		}
		m, err := doctorMachine(std)
		if err != nil {
			return err
		}
		report := m.Check(ctx, providers)
		if *format == "json" {
			err = std.Document(report)
		} else {
			err = printReport(std, report)
		}
		if err == nil && len(report.Problems()) > 0 {
			err = cli.Verdict(cli.StatusRefused)
		}
		return errors.Join(err, ctx.Err())
	}
}

func chosenProviders(c *provider.Catalogue, ids []string) ([]*provider.Provider, error) {
	if len(ids) == 0 {
		return c.Providers(), nil
	}
	var chosen []*provider.Provider
	var faults []error
	for _, id := range ids {
		p, err := c.Provider(id)
		chosen, faults = append(chosen, p), append(faults, err)
	}
	return chosen, errors.Join(faults...)
}

func doctorMachine(std cli.IO) (preflight.Machine, error) {
	h, err := host(std, nil)
	if err != nil {
		return preflight.Machine{}, err
	}
	// Whatever a CLI leaves running must come to us to be ended.
	if err := proc.BecomeReaper(); err != nil {
		std.Warnf("processes that a CLI leaves behind cannot be ended: %v", err)
	}
	scratch := filepath.Join(h.OkstraHome, "doctor")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		scratch = h.TempDir
	}
	return preflight.Machine{
		Now: h.Now, Environ: h.Environ, Self: h.Self, Home: h.Home, TempDir: h.TempDir, Dir: std.Env.Dir,
		Boundaries: &boundary.Set{Self: h.Self, Environ: h.Environ, Scratch: scratch},
	}, nil
}

func printReport(std cli.IO, r preflight.Report) error {
	var lines []string
	for _, c := range r.Providers {
		lines = append(lines, fmt.Sprintf("%-12s %s", c.ID, strings.Join(cliWords(c), ", ")))
	}
	for _, b := range r.Boundaries {
		text := "holds"
		if b.ABI != nil {
			text += fmt.Sprintf(", Landlock ABI %d", *b.ABI)
		}
		if !b.Holds {
			text = "does not hold: " + b.Problem
		}
		lines = append(lines, fmt.Sprintf("%-12s %s", b.Kind, text))
	}
	for _, d := range r.Disks {
		text := fmt.Sprintf("%d MB free", d.FreeBytes>>20)
		if d.Problem != "" {
			text = d.Problem
		}
		lines = append(lines, fmt.Sprintf("%-12s %s: %s", "disk", d.Path, text))
	}
	for _, problem := range r.Problems() {
		lines = append(lines, fmt.Sprintf("%-12s %s", "problem", problem))
	}
	return std.Printf("%s\n", strings.Join(lines, "\n"))
}

func cliWords(c preflight.CLI) []string {
	if c.Path == "" {
		return []string{"not installed (" + c.Command + ")"}
	}
	words := []string{c.Path}
	if c.Version != "" {
		words[0] += ": " + c.Version
	}
	switch c.Verified {
	case "yes":
		words = append(words, "the version that was tried")
	case "other-version":
		words = append(words, "another version than was tried")
	case "unverified":
		words = append(words, "unverified: never tried")
	}
	switch c.Login {
	case "found":
		words = append(words, "login seen ("+c.LoginFrom+")")
	case "not-seen":
		words = append(words, "no login seen")
	}
	if c.Problem != "" {
		words = append(words, c.Problem)
	}
	return words
}
