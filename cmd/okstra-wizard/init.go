package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/gitrepo"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

// beginning is what init prints.
type beginning struct {
	StateFile string        `json:"stateFile"`
	Next      wizard.Screen `json:"next"`
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
	entry := f.Enum("entry-mode", "", "", wizard.CurrentSession, wizard.External)
	return func(ctx context.Context, std cli.IO) error {
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
		if _, err := os.Lstat(*path); err == nil {
			return cli.WithHint(cli.Refused(fmt.Errorf("state-exists: %q is there already (expected a new name)", *path)),
				"okstra-wizard step --no-submit shows where it stands")
		}
		s.read(ctx, project)
		state := wizard.NewState(project, s.projectID(project))
		state.HostRuntime, state.AvailableFunctions, state.HostEntryMode = *host, declared, entryMode(*entry, *host)
		state.Selector, state.AsyncQuestions, state.Lang = *selector, *async, language(std, *lang)
		if state, err = s.machine.Preset(state, given); err != nil {
			return refused(err)
		}
		return s.commit(state, beginning{*path, state.Screen})
	}
}

// entryMode is how the lead comes in: the host session is the lead, unless
// nobody but a program is there.
func entryMode(given, host string) string {
	switch {
	case given != "":
		return given
	case host == wizard.External:
		return wizard.External
	}
	return wizard.CurrentSession
}

// declared checks the functions that a session says it has; "auto" stands for
// all that the host's row has, where the session has no say of its own.
func declared(host string, functions []string) ([]string, error) {
	row, err := wizard.FindHost(host)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	if slices.Equal(functions, []string{"auto"}) {
		if row.SelfDeclared {
			return nil, cli.Usagef("--available-functions auto: on %s the session decides (name the functions that it has)", host)
		}
		return append([]string{}, row.SemanticFunctions...), nil
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
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return "", cli.BadInput(fmt.Errorf("project root %q: %w", dir, err))
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", cli.BadInput(fmt.Errorf("project root %q is no folder", dir))
	}
	return abs, nil
}

// projectID is the identity that the project's tasks bear, else the name of
// its folder, made an identifier.
func (s *session) projectID(root string) string {
	if id := s.facts.ProjectID(); id != "" {
		return id
	}
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
