package provider

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Values is what one attempt puts into the placeholders of its row. Paths are
// absolute.
type Values struct {
	Workdir             string
	ProjectRoot         string
	ArtifactRoot        string
	PromptPath          string
	ResultPath          string
	SessionID           string
	ModelExecutionValue string
	Self                string // the program that runs the built-in providers
	TempDir             string // the temporary directory made for this attempt, if any

	Boundary string            // the one in force
	Root     bool              // the process sees itself as uid 0
	Extra    map[string]string // set for every CLI by the dispatcher, over all else
}

// Launch is how one attempt is started. Env is complete and sorted: nothing
// else may be added from the environment of this process.
type Launch struct {
	Command  string
	Args     []string
	Dir      string
	Env      []string
	Stdin    string   // path of the prompt file, "" for the null device
	Writable []string // directories and files of the CLI's own that stay writable
	Progress []string // directories whose growth counts as progress
}

// outerSession are the marks that a CLI leaves in the environment of the
// processes it starts. Whoever inherits them believes to run inside that
// session and refuses to start, or writes into it; no wildcard lets them pass.
var outerSession = []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"}

// Launch fills a row in for one attempt. environ is the environment of which
// the row's allow-list lets a part pass. It is an error when the row does not
// tolerate the boundary.
// Rule: docs/providers.md, "Placeholders".
func (p *Provider) Launch(v Values, environ []string) (Launch, error) {
	if !p.Tolerates(v.Boundary) {
		return Launch{}, fmt.Errorf("provider %q does not tolerate boundary %q (expected %s)", p.ID, v.Boundary, orList(p.Boundaries))
	}
	env := p.environment(v, environ)
	value := p.values(v, env)
	l := Launch{
		Args:     arguments(p.Variants[v.Boundary].apply(p.Argv), value),
		Env:      sorted(env),
		Writable: p.paths(p.WritableHome, value, v, env),
		Progress: p.paths(p.ProgressPaths, value, v, env),
	}
	l.Command, _ = expand(p.Command, value)
	if l.Dir, _ = expand(p.Cwd, value); l.Dir == "" {
		l.Dir = v.Workdir
	}
	if p.Prompt == PromptStdin {
		l.Stdin = v.PromptPath
	}
	return l, nil
}

// CredentialFiles gives the files whose presence shows a login, for the
// environment environ.
func (p *Provider) CredentialFiles(environ []string) []string {
	if p.Login == nil {
		return nil
	}
	env := p.environment(Values{}, environ)
	return p.paths(p.Login.Files, p.values(Values{}, env), Values{}, env)
}

// CredentialVariable gives the first variable that shows a login and is set,
// or "".
func (p *Provider) CredentialVariable(environ []string) string {
	if p.Login == nil {
		return ""
	}
	env := p.environment(Values{}, environ)
	for _, name := range p.Login.Env {
		if env[name] != "" {
			return name
		}
	}
	return ""
}

// environment is what the CLI sees, by name.
func (p *Provider) environment(v Values, environ []string) map[string]string {
	env := make(map[string]string)
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && p.passes(name) {
			env[name] = value
		}
	}
	value := p.values(v, env)
	set := func(list map[string]string) {
		for name, template := range list {
			env[name], _ = expand(template, value)
		}
	}
	set(p.Env.Set)
	if v.Root {
		set(p.Env.AsRoot)
	}
	maps.Copy(env, v.Extra)
	return env
}

func (p *Provider) passes(name string) bool {
	for _, pattern := range p.Env.Pass {
		prefix, wild := strings.CutSuffix(pattern, "*")
		if name == pattern || wild && strings.HasPrefix(name, prefix) && !slices.Contains(outerSession, name) {
			return name != "CLAUDECODE"
		}
	}
	return false
}

// values looks placeholders up; what it does not know is empty, and the check
// at load has seen to it that this is a variant's own name.
func (p *Provider) values(v Values, env map[string]string) func(string) string {
	fixed := map[string]string{
		"workdir": v.Workdir, "projectRoot": v.ProjectRoot, "artifactRoot": v.ArtifactRoot,
		"modelExecutionValue": v.ModelExecutionValue, "sessionId": v.SessionID,
		"promptPath": v.PromptPath, "promptPointer": pointer(v.PromptPath), "resultPath": v.ResultPath,
		"self": v.Self, "home": env["HOME"], "tmp": v.TempDir,
	}
	return func(name string) string {
		if variable, def, ok := environmentName(name); ok {
			if set := env[variable]; set != "" {
				return set
			}
			return tilde(def, env["HOME"])
		}
		if text, ok := fixed[name]; ok {
			return text
		}
		return p.Variants[v.Boundary].Values[name]
	}
}

// pointer is the sentence that names a prompt file. The prompt itself never
// stands in an argument: one argument holds at most 128 KiB, and every user of
// the machine can read it.
func pointer(promptPath string) string {
	if promptPath == "" {
		return ""
	}
	return "Read the whole file " + promptPath + " and carry out the task that it describes."
}

// paths fills path templates in and makes them absolute. A home that is not
// known drops the paths that need it.
func (p *Provider) paths(templates []string, value func(string) string, v Values, env map[string]string) []string {
	var list []string
	for _, t := range templates {
		text, filled := expand(t, value)
		text = tilde(text, env["HOME"])
		switch {
		case !filled, text == "", !filepath.IsAbs(text) && v.Workdir == "":
			continue
		case !filepath.IsAbs(text):
			text = filepath.Join(v.Workdir, text)
		}
		if text = path.Clean(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func sorted(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
