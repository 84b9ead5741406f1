package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/gitrepo"
	"okstra/lib/run"
	"okstra/lib/wizard"
	"okstra/lib/wizard/hosts"
)

func app() cli.App {
	return cli.App{
		Name: "okstra-wizard", Summary: "ask for a run's inputs one screen at a time", Help: appHelp,
		Commands: []cli.Command{
			{Name: "init", Summary: "make a new state", Help: initHelp, Flags: initFlags},
			{Name: "step", Summary: "submit one answer, or show the pending screen again", Help: stepHelp, Flags: stepFlags},
			{Name: "render", Summary: "the pending screen as numbered text", Help: renderHelp, Flags: renderFlags},
			{Name: "run", Summary: "ask everything in a numbered dialogue", Help: runHelp, Flags: runFlags},
			{Name: "back", Summary: "change the answer before the pending question", Help: backHelp, Flags: backFlags},
			{Name: "goto", Summary: "change the answer of a step", Help: gotoHelp, Flags: gotoFlags},
			{Name: "confirmation", Summary: "the answers so far", Help: confirmationHelp, Flags: confirmationFlags},
			{Name: "render-args", Summary: "print the run inputs", Help: renderArgsHelp, Flags: renderArgsFlags},
			{Name: "steps", Summary: "the step table", Help: stepsHelp, Flags: stepsFlags},
			{Name: "picker present", Summary: "a pick cut to a host's limit", Help: presentHelp, Flags: presentFlags},
			{Name: "picker accept", Summary: "take a choice on a presented screen", Help: acceptHelp, Flags: acceptFlags},
		},
	}
}

// stateFile declares the flag that all commands on a state share.
func stateFile(f *cli.Flags) *string {
	path := f.String("state-file", "")
	f.Required("state-file")
	return path
}

func initFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	host := f.Enum("host", "", hostIDs()...)
	f.Required("host")
	functions := f.CSV("available-functions", "")
	presets := f.Strings("preset")
	root := f.String("project-root", "")
	selector := f.Enum("selector", "preferred", "preferred", "required")
	async := f.Bool("async-questions")
	lang := f.Enum("lang", "", append([]string{""}, wizard.Languages...)...)
	entry := f.Enum("entry-mode", "current-session", "current-session", "external")
	return func(ctx context.Context, std cli.IO) error {
		if _, err := os.Lstat(*path); err == nil {
			return cli.Refused(fmt.Errorf("state-exists: %q is there already (expected a new name)", *path))
		}
		declared, err := declared(*host, *functions)
		if err != nil {
			return err
		}
		given, err := presetMap(*presets)
		if err != nil {
			return err
		}
		project, err := projectRoot(ctx, std, *root)
		if err != nil {
			return err
		}
		s, err := locked(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		if s.machine, err = machine(ctx, std, project); err != nil {
			return err
		}
		state := wizard.NewState(project, projectID(project))
		state.HostRuntime, state.AvailableFunctions, state.HostEntryMode = *host, declared, *entry
		state.Selector, state.AsyncQuestions, state.Lang = *selector, *async, language(std, *lang)
		if state, err = s.machine.Preset(state, given); err != nil {
			return refused(err)
		}
		if err := s.save(state); err != nil {
			return err
		}
		return std.Document(struct {
			StateFile string        `json:"stateFile"`
			Next      wizard.Screen `json:"next"`
		}{*path, state.Screen})
	}
}

func stepFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	answer := f.String("answer", "")
	answered := f.Given("answer")
	repeat := f.Bool("no-submit")
	token := f.String("token", "")
	host := f.Enum("host", "", append([]string{""}, hostIDs()...)...)
	functions := f.CSV("available-functions", "")
	declares := f.Given("available-functions")
	return func(ctx context.Context, std cli.IO) error {
		if *answered == *repeat {
			return cli.Usagef("give either --answer or --no-submit")
		}
		redeclares := *host != "" || *declares
		if *answered && redeclares {
			return cli.Usagef("--host and --available-functions go with --no-submit")
		}
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		switch {
		case *answered:
			next, echo, err := s.machine.Answer(s.state, *answer, *token)
			return s.finish(next, echo, err)
		case !redeclares:
			return std.Document(reply{"", s.state.Screen})
		}
		runtime, list := s.state.HostRuntime, s.state.AvailableFunctions
		if *host != "" {
			runtime = *host
		}
		if *declares {
			if list, err = declared(runtime, *functions); err != nil {
				return err
			}
		}
		next, err := s.machine.Declare(s.state, runtime, list)
		return s.finish(next, "", err)
	}
}

func renderFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	f.Enum("as", "text", "text")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		if s.state.Selector == "required" && !slices.Contains(s.state.AvailableFunctions, "native_single_select") {
			host, err := wizard.FindHost(s.state.HostRuntime)
			if err != nil {
				return cli.BadInput(err)
			}
			return cli.WithHint(cli.Refused(errors.New("selector-unavailable: this session must use a native selector and has declared none")), host.Hint)
		}
		return std.Printf("%s", hosts.Text(s.state.Screen))
	}
}

func backFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		next, err := s.machine.Back(s.state)
		return s.finish(next, "", err)
	}
}

func gotoFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	step := f.Arg("step")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		next, err := s.machine.Goto(s.state, *step)
		return s.finish(next, "", err)
	}
}

func confirmationFlags(f *cli.Flags) cli.Body {
	path := stateFile(f)
	format := f.Enum("format", "text", "text", "json")
	return func(ctx context.Context, std cli.IO) error {
		s, err := open(ctx, std, *path)
		if err != nil {
			return err
		}
		defer s.close()
		lines := s.machine.Confirmation(s.state)
		if *format == "json" {
			return std.Document(struct {
				Answers []wizard.Line `json:"answers"`
			}{lines})
		}
		for _, l := range lines {
			if err := std.Printf("%s: %s\n", l.Name, l.Answer); err != nil {
				return err
			}
		}
		return nil
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
		inputs, err := s.machine.RunInputs(s.state)
		if err != nil {
			return refused(err)
		}
		return std.Document(inputs)
	}
}

func stepsFlags(f *cli.Flags) cli.Body {
	format := f.Enum("format", "text", "text", "json")
	return func(ctx context.Context, std cli.IO) error {
		m, err := machine(ctx, std, std.Env.Dir)
		if err != nil {
			return err
		}
		steps := m.Steps(wizard.NewState(std.Env.Dir, "project"))
		if *format == "json" {
			return std.Document(struct {
				Steps []wizard.StepInfo `json:"steps"`
			}{steps})
		}
		for _, s := range steps {
			kind := s.Kind
			if s.Multi {
				kind += ", multi"
			}
			if err := std.Printf("%-22s %-12s %-8s %s\n", s.Step, kind, s.Group, strings.Join(s.Reads, " ")); err != nil {
				return err
			}
		}
		return nil
	}
}

func hostIDs() []string {
	var ids []string
	for _, h := range wizard.Hosts() {
		ids = append(ids, h.ID)
	}
	return ids
}

// declared checks the functions that a session says it has; "auto" stands for
// all that the host's row has, where the session has no say of its own.
func declared(host string, functions []string) ([]string, error) {
	row, err := wizard.FindHost(host)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if slices.Equal(functions, []string{"auto"}) {
		if host == "codex" {
			return nil, cli.Usagef("--available-functions auto: on codex the session decides (name the functions that it has)")
		}
		return row.SemanticFunctions, nil
	}
	for _, name := range functions {
		if !slices.Contains(wizard.Functions, name) {
			return nil, cli.Usagef("--available-functions: unknown function %q (expected %s)", name, cli.OneOf(wizard.Functions))
		}
	}
	out := slices.Clone(functions)
	slices.Sort(out)
	return append([]string{}, slices.Compact(out)...), nil
}

func presetMap(presets []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range presets {
		step, value, ok := strings.Cut(p, "=")
		if !ok || step == "" {
			return nil, cli.Usagef("--preset %q (expected STEP=VALUE)", p)
		}
		if _, twice := out[step]; twice {
			return nil, cli.Usagef("--preset: step %q is given twice", step)
		}
		out[step] = value
	}
	return out, nil
}

// projectRoot is the folder given, else the top of the git work tree around
// the working directory, else that directory; links are resolved.
func projectRoot(ctx context.Context, std cli.IO, given string) (string, error) {
	dir := given
	if dir == "" {
		dir = std.Env.Dir
		if top, err := gitrepo.Open(dir, std.Env.Environ).TopLevel(ctx); err == nil {
			dir = top
		}
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", cli.BadInput(fmt.Errorf("project root %q: %w", dir, errors.Unwrap(err)))
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", cli.BadInput(fmt.Errorf("project root %q is no folder", dir))
	}
	return abs, nil
}

// projectID is the name of the folder, made an identifier.
func projectID(root string) string {
	id := wizard.CleanSegment(filepath.Base(root))
	if run.CheckSegment(id) != nil {
		return "project"
	}
	return id
}

// language is the one asked for, else that of the locale.
func language(std cli.IO, given string) string {
	for _, candidate := range []string{given, std.Env.Getenv("LC_ALL"), std.Env.Getenv("LC_MESSAGES"), std.Env.Getenv("LANG")} {
		if candidate != "" {
			return wizard.TextsFor(candidate).Lang
		}
	}
	return wizard.Languages[0]
}
