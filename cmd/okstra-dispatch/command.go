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
	"time"

	"okstra/lib/cli"
	"okstra/lib/dispatch"
	"okstra/lib/gitrepo"
	"okstra/lib/provider"
	"okstra/lib/run"
)

func app() cli.App {
	return cli.App{
		Name: "okstra-dispatch", Summary: "run agent CLIs under a write policy and judge how each ended", Help: appHelp,
		Commands: slices.Concat([]cli.Command{
			{Name: "plan", Summary: "make job lines from run inputs, a prompt or a run", Help: planHelp, Flags: planFlags},
			{Name: "run", Summary: "run job lines in parallel", Help: runHelp, Flags: runFlags},
			{Name: "status", Summary: "what became of every job of a run", Help: statusHelp, Flags: statusFlags},
			{Name: "resume", Summary: "run what a run has not completed", Help: resumeHelp, Flags: resumeFlags},
			{Name: "wrap", Summary: "run one command under limits, log and boundary", Help: wrapHelp, Flags: wrapFlags},
			{Name: "progress append", Summary: "add a checkpoint line to a run's event log", Help: progressHelp, Flags: progressFlags},
			{Name: "errors append", Summary: "add a row to a run's errors log", Help: errorsAppendHelp, Flags: errorsAppendFlags},
			{Name: "errors fold", Summary: "take workers' own error files into the errors log", Help: errorsFoldHelp, Flags: errorsFoldFlags},
			{Name: "explain", Summary: "print the outcome table", Help: explainHelp, Flags: explainFlags},
		}, stageCommands(), policyCommands(), auditCommands(), providersCommands(), hiddenCommands()),
	}
}

// catalogueFlag declares --providers and gives a function that loads the
// catalogue once the arguments are read.
func catalogueFlag(f *cli.Flags) func() (*provider.Catalogue, error) {
	files := f.Strings("providers")
	return func() (*provider.Catalogue, error) {
		c, err := provider.Load(*files)
		return c, cli.BadInput(err)
	}
}

// noStream refuses "-" where a file's place matters, because files are written
// beside it or it is named in documents.
func noStream(flag, name string) error {
	if name == "-" {
		return cli.Usagef("--%s: \"-\" is standard input (expected a file that has a place; ./- is one of that name)", flag)
	}
	return nil
}

// host gathers what the library may use of this process.
func host(std cli.IO, cat *provider.Catalogue) (dispatch.Host, error) {
	self, err := os.Executable()
	if err != nil {
		return dispatch.Host{}, err
	}
	temp := std.Env.Getenv("TMPDIR")
	if temp == "" {
		temp = "/tmp"
	}
	return dispatch.Host{
		Now: std.Env.Now, Environ: std.Env.Environ, Home: std.Env.Home(), OkstraHome: std.Env.OkstraHome(), TempDir: temp,
		Random: std.Env.Random, Self: self, Stderr: std.Err, Warn: func(text string) { std.Warnf("%s", text) }, Catalogue: cat,
	}, nil
}

// manifestFlag declares the flag that names the run, and gives a function that
// turns its value into an absolute path once the arguments are read.
func manifestFlag(f *cli.Flags) func(cli.IO) (string, error) {
	name := f.String("run-manifest", "")
	f.Required("run-manifest")
	return func(std cli.IO) (string, error) { return manifestPath(std, *name) }
}

// manifestPath is the path of a run manifest. Of a folder it is said which
// file is meant.
func manifestPath(std cli.IO, name string) (string, error) {
	if err := noStream("run-manifest", name); err != nil {
		return "", err
	}
	path := absolute(std, name)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // what else may be wrong is told when it is read
	}
	err := cli.BadInput(fmt.Errorf("--run-manifest %q is a folder (expected a run manifest, the file manifests/run-manifest-TYPE-SEQ.json of a run folder)", name))
	for _, pattern := range []string{"run-manifest-*.json", "manifests/run-manifest-*.json", "runs/*/manifests/run-manifest-*.json"} {
		if found, _ := fs.Glob(os.DirFS(path), pattern); len(found) > 0 {
			return "", cli.WithHint(err, "the last one there is "+filepath.Join(name, slices.Max(found)))
		}
	}
	return "", err
}

// loadManifest reads the run that a flag names.
func loadManifest(std cli.IO, flag func(cli.IO) (string, error)) (run.Manifest, error) {
	path, err := flag(std)
	if err != nil {
		return run.Manifest{}, err
	}
	return dispatch.LoadRun(path)
}

// absolute makes a path of the command line or the environment absolute and
// normalised, as documents hold it.
func absolute(std cli.IO, path string) string {
	if path == "" {
		return ""
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(std.Env.Dir, path)
}

// projectRoot is the folder given, or the git work tree around the working
// directory, with links resolved.
func projectRoot(ctx context.Context, std cli.IO, dir string) (string, error) {
	if dir == "" {
		top, err := gitrepo.Open(std.Env.Dir, std.Env.Environ).TopLevel(ctx)
		if err != nil {
			return "", cli.WithHint(cli.BadInput(err), "name the project root with --out")
		}
		return top, nil
	}
	real, err := filepath.EvalSymlinks(absolute(std, dir))
	return real, cli.BadInput(err)
}

// replayDir is the folder of recordings that the flag or the environment
// names.
func replayDir(std cli.IO, flag string) string {
	if flag == "" {
		flag = std.Env.Getenv("OKSTRA_REPLAY_DIR")
	}
	return absolute(std, flag)
}

// boundaryFlag declares --boundary.
func boundaryFlag(f *cli.Flags, def string) func() ([]string, error) {
	list := f.CSV("boundary", def)
	return func() ([]string, error) {
		for _, kind := range *list {
			if !slices.Contains(boundaryKinds, kind) {
				return nil, cli.Usagef("--boundary: %q (expected %s)", kind, cli.OneOf(boundaryKinds))
			}
		}
		if len(*list) == 0 {
			return nil, cli.Usagef("--boundary: no boundary named (expected %s)", strings.Join(boundaryKinds, ", "))
		}
		return *list, nil
	}
}

var boundaryKinds = []string{provider.BoundaryOverlay, provider.BoundaryLandlock, provider.BoundaryNone}

// given is the value of a flag that stands on the command line, else nil.
func given[T any](value *T, set *bool) *T {
	if !*set {
		return nil
	}
	return value
}

// refused marks errors of the library that say no to something understood.
func refused(err error) error {
	if journal := (*dispatch.JournalError)(nil); errors.As(err, &journal) {
		return cli.Refused(err)
	}
	return err
}

// tooShort refuses a limit that nothing could meet.
func tooShort(name string, d *time.Duration) error {
	if d != nil && *d < 10*time.Millisecond {
		return cli.Usagef("--%s: %v (expected at least 10ms)", name, *d)
	}
	return nil
}
