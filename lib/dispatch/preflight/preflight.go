// Package preflight looks at what a machine offers before a batch needs it:
// which agent CLIs are installed, in which version, whether somebody is logged
// in, which boundaries the kernel holds, and how much room there is.
//
// It reports what it saw. A login that it cannot see may be there all the same,
// and one that it sees may have run out.
//
// Rule: docs/providers.md, "The doctor".
package preflight

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/dispatch/boundary"
	"okstra/lib/dispatch/proc"
	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/safetext"
)

// Machine is where the questions are asked.
type Machine struct {
	Now        func() time.Time
	Environ    []string
	Self       string // the program that runs the built-in providers
	Home       string
	TempDir    string
	Dir        string // in which work would be done
	Boundaries *boundary.Set
}

// Report is what was found.
type Report struct {
	Providers  []CLI      `json:"providers"`
	Boundaries []Boundary `json:"boundaries"`
	Disks      []Disk     `json:"disks"`
}

// CLI is one provider. Verified says how the installed version stands to the
// one that the catalogue's row was tried with: "yes", "other-version",
// "unverified" for a row that was tried with none, "" when it is not known.
// Login is "found", "not-seen", or "" when the row does not say where to look.
type CLI struct {
	ID        string `json:"id"`
	Command   string `json:"command"`
	Path      string `json:"path"` // "" when it is not installed
	Version   string `json:"version"`
	Verified  string `json:"verified"`
	Login     string `json:"login"`
	LoginFrom string `json:"loginFrom"` // the variable or file that was seen
	Problem   string `json:"problem"`
}

// Boundary is what the self-test of a boundary gave.
type Boundary struct {
	Kind    string `json:"kind"`
	Holds   bool   `json:"holds"`
	ABI     *int   `json:"abi"`
	Problem string `json:"problem"`
}

// Disk is the room of a file system.
type Disk struct {
	Path      string `json:"path"`
	FreeBytes int64  `json:"freeBytes"`
	Problem   string `json:"problem"`
}

// enoughRoom is what one batch should find: transcripts, raw output and
// private copies of what its jobs change.
const enoughRoom = 1 << 30

// versionLimits bound the question for a version, which some CLIs answer only
// after they have asked the network.
var versionLimits = proc.Limits{Wall: 20 * time.Second, Output: 1 << 20, Grace: time.Second}

// Check asks all questions. The providers are asked one after the other,
// because the processes of one must be gone before the next is started.
func (m Machine) Check(ctx context.Context, providers []*provider.Provider) Report {
	r := Report{Providers: []CLI{}, Boundaries: []Boundary{}, Disks: []Disk{}}
	for _, p := range providers {
		if ctx.Err() == nil {
			r.Providers = append(r.Providers, m.cli(ctx, p))
		}
	}
	for _, kind := range boundary.Kinds {
		if kind == boundary.None || m.Boundaries == nil {
			continue // there is nothing to test about none
		}
		probe := m.Boundaries.Probe(ctx, kind)
		r.Boundaries = append(r.Boundaries, Boundary{Kind: kind, Holds: probe.OK, ABI: probe.ABI, Problem: safetext.Line(probe.Reason)})
	}
	seen := make(map[string]bool)
	for _, path := range []string{m.Dir, m.Home, m.TempDir} {
		if path != "" && !seen[path] {
			seen[path] = true
			r.Disks = append(r.Disks, disk(path))
		}
	}
	return r
}

// Problems lists what would stop a batch or make its results doubtful, for
// people. A CLI that is not installed is no problem: not all are needed.
func (r Report) Problems() []string {
	var list []string
	for _, c := range r.Providers {
		if c.Problem != "" {
			list = append(list, c.ID+": "+c.Problem)
		}
	}
	holds := false
	for _, b := range r.Boundaries {
		holds = holds || b.Holds
	}
	if len(r.Boundaries) > 0 && !holds {
		list = append(list, "no kernel boundary holds here: what workers write can only be audited")
	}
	for _, d := range r.Disks {
		if d.Problem != "" {
			list = append(list, d.Path+": "+d.Problem)
		}
	}
	return list
}

func (m Machine) cli(ctx context.Context, p *provider.Provider) CLI {
	c := CLI{ID: p.ID, Command: p.Command, Login: m.login(p)}
	if c.Login == "found" {
		c.LoginFrom = m.loginFrom(p)
	}
	values := provider.Values{Workdir: m.Dir, Self: m.Self, Boundary: p.Boundaries[0], Root: os.Getuid() == 0, TempDir: m.TempDir}
	launch, err := p.Launch(values, m.Environ)
	if err != nil {
		c.Problem = err.Error()
		return c
	}
	c.Command, c.Path = launch.Command, lookUp(launch.Command, m.Environ)
	if c.Path == "" {
		return c
	}
	c.Version, c.Problem = m.version(ctx, append([]string{c.Path}, p.VersionArgs...), launch.Env)
	switch verified := p.VerifiedVersion(); {
	case c.Version == "" || p.ID == provider.Replay:
	case verified == "":
		c.Verified = "unverified"
	case containsVersion(c.Version, verified):
		c.Verified = "yes"
	default:
		c.Verified = "other-version"
	}
	return c
}

func (m Machine) login(p *provider.Provider) string {
	switch {
	case p.Login == nil:
		return ""
	case m.loginFrom(p) != "":
		return "found"
	}
	return "not-seen"
}

func (m Machine) loginFrom(p *provider.Provider) string {
	if name := p.CredentialVariable(m.Environ); name != "" {
		return name
	}
	for _, file := range p.CredentialFiles(m.Environ) {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// version runs a CLI for its version, which is the first line that it prints.
func (m Machine) version(ctx context.Context, argv, env []string) (version, problem string) {
	dir, err := os.MkdirTemp(m.TempDir, "okstra-doctor-")
	if err != nil {
		return "", err.Error()
	}
	defer os.RemoveAll(dir)
	spec := proc.Spec{Argv: argv, Env: env, Dir: dir, Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"), Limits: versionLimits}
	watch := &proc.FileWatcher{Paths: []string{spec.Stdout, spec.Stderr}, Since: m.Now(), Now: m.Now}
	report := proc.Run(ctx, m.Now, spec, nil, watch, func(run.Process) {})
	text := firstLine(spec.Stdout)
	switch {
	case report.StartError != nil:
		return "", report.StartError.Error()
	case report.Limit != "":
		return "", fmt.Sprintf("did not tell its version within %v", versionLimits.Wall)
	case report.ExitCode == nil || *report.ExitCode != 0:
		return "", "failed to tell its version: " + orText(firstLine(spec.Stderr), endOf(report))
	case text == "":
		return "", "printed no version"
	}
	return text, ""
}

func endOf(r proc.Report) string {
	if r.ExitCode != nil {
		return fmt.Sprintf("exit status %d", *r.ExitCode)
	}
	return r.Signal
}

func orText(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// firstLine is the first line of a file that says something, made safe to show.
func firstLine(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if text := safetext.Cut(strings.TrimSpace(safetext.Line(line)), 100); text != "" {
			return text
		}
	}
	return ""
}

// containsVersion tells whether a version stands in a text as a whole word:
// 1.0.4 is not in 1.0.41.
func containsVersion(text, version string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '(' || r == ')' || r == ',' }) {
		if strings.TrimPrefix(word, "v") == version {
			return true
		}
	}
	return false
}

// lookUp finds a program in the PATH of an environment, not in that of this
// process.
func lookUp(command string, environ []string) string {
	if strings.Contains(command, "/") {
		if isProgram(command) {
			return command
		}
		return ""
	}
	for _, entry := range environ {
		path, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if file := filepath.Join(dir, command); filepath.IsAbs(dir) && isProgram(file) {
				return file
			}
		}
	}
	return ""
}

func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
