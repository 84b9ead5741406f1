package boundary

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// HelperCommand is the hidden command that sets a boundary up around itself
// and then becomes the program; HelperVariable tells it what to do.
const (
	HelperCommand  = "__enclose"
	HelperVariable = "OKSTRA_ENCLOSE"
)

// enclosure is what the helper has to set up. Paths are absolute and their
// links resolved.
type enclosure struct {
	Overlays []overlayMount `json:"overlays,omitempty"` // private copies of trees
	Writable []string       `json:"writable"`           // directories and files that stay writable
	Private  []bind         `json:"private,omitempty"`  // folders that something else stands in for
	Landlock int            `json:"landlock"`           // ABI to use, 0 for none
	DropCaps bool           `json:"dropCaps"`
	Dir      string         `json:"dir"` // in which the program begins
}

// overlayMount is a private copy-on-write view of Tree at its own path.
type overlayMount struct {
	Tree  string `json:"tree"`
	Upper string `json:"upper"` // what was changed
	Work  string `json:"work"`  // of the kernel
}

// bind puts the folder From in the place of At.
type bind struct {
	At   string `json:"at"`
	From string `json:"from"`
}

// wrap makes the helper the program that is started.
func (e enclosure) wrap(self string, spec *proc.Spec) error {
	e.Dir = spec.Dir
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	spec.Argv = append([]string{self, HelperCommand, "--"}, spec.Argv...)
	spec.Env = append(slices.Clone(spec.Env), HelperVariable+"="+string(raw))
	spec.Report = true
	spec.Namespaces = len(e.Overlays) > 0
	return nil
}

// existing makes the CLI's own writable paths exist, because a path that is
// not there cannot stay writable: folders are made, a missing settings file
// begins as an empty object. What cannot be made is left out.
func existing(paths []string) []string {
	var list []string
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			if filepath.Ext(path) == ".json" {
				beginSettings(path)
			} else {
				_ = os.MkdirAll(path, 0o700)
			}
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = appendOnce(list, real)
		}
	}
	return list
}

// beginSettings makes an empty settings file, whole or not at all: a CLI that
// finds half a file on a full disk takes its settings for corrupted, and one
// that another job has made meanwhile stays as it is.
func beginSettings(path string) {
	dir := filepath.Dir(path)
	_ = os.MkdirAll(dir, 0o700)
	file, err := os.CreateTemp(dir, ".okstra-*") // mode 0600
	if err != nil {
		return
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString("{}\n")
	if err = errors.Join(err, file.Close()); err == nil {
		_ = os.Link(file.Name(), path)
	}
}

func appendOnce(list []string, path string) []string {
	if path == "" || slices.Contains(list, path) {
		return list
	}
	return append(list, path)
}

// inside tells whether path is dir or lies below it.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// sharedTemps are the folders in which programs leave temporary files without
// asking for TMPDIR. Inside an overlay each of them is a private one; to
// Landlock the last is a device like all in /dev.
var sharedTemps = []string{"/tmp", "/var/tmp", "/dev/shm"}

// freeTemps are the shared temporary folders in which nothing lies that the
// boundary protects.
func freeTemps(protected []string) []string {
	var list []string
	for _, dir := range sharedTemps {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || slices.ContainsFunc(protected, func(p string) bool { return inside(p, real) || inside(real, p) }) {
			continue
		}
		list = appendOnce(list, real)
	}
	return list
}

// writtenInPlace are the roots of a policy that a job writes to directly: a
// worktree of its own with its part of the repository, scratch and external
// roots. What it does there is judged by the audit of its round.
func writtenInPlace(p *run.WritePolicy) []string {
	var list []string
	if p.SourcePolicy.Mode == writepolicy.SourceMutation {
		for _, path := range []string{p.SourcePolicy.AllowedRoot, p.GitPolicy.WorktreeGitDir, p.GitPolicy.GitCommonDir} {
			list = appendOnce(list, path)
		}
	}
	for _, path := range slices.Concat(p.AuxiliaryPolicy.ScratchRoots, p.AuxiliaryPolicy.ExternalRoots) {
		list = appendOnce(list, path)
	}
	return list
}

func resolvedAll(paths []string) []string {
	var list []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = appendOnce(list, real)
		}
	}
	return list
}

// InPlace are the roots that a job with this policy writes to directly inside
// an overlay too, as the policy has them and with their links resolved.
func InPlace(p *run.WritePolicy) []string {
	list := writtenInPlace(p)
	for _, path := range resolvedAll(list) {
		list = appendOnce(list, path)
	}
	return list
}

// artifactDirs are the folders in which the artifacts of a policy lie.
func artifactDirs(p *run.WritePolicy) []string {
	var list []string
	for _, path := range p.ArtifactPolicy.AllowedPaths {
		list = appendOnce(list, filepath.Dir(filepath.Join(p.ArtifactPolicy.AllowedRoot, path)))
	}
	return list
}
