package dispatch

import (
	"os"
	"strconv"
	"strings"

	"okstra/lib/run"
)

// paths are the files of one attempt, as documents name them: relative to the
// project root, or absolute outside it.
type paths struct {
	root    string
	Prompt  string // the first prompt, or the copy of a later attempt
	Status  string
	Log     string
	Stdout  string
	Stderr  string
	Attempt string // beside the first prompt
}

func attemptPaths(root, firstPrompt string, n int) paths {
	prompt := run.PromptOfAttempt(firstPrompt, n)
	return paths{
		root: root, Prompt: prompt, Status: run.StatusPath(prompt), Log: run.LogPath(prompt),
		Stdout: run.StdoutPath(prompt), Stderr: run.StderrPath(prompt), Attempt: run.AttemptPath(firstPrompt, n),
	}
}

func (p paths) abs(path string) string { return run.Abs(p.root, path) }

// errorsSidecarOf is the name of a worker's errors sidecar for an attempt:
// from the second on a name of its own, so that the first survives.
func errorsSidecarOf(first string, n int) string {
	if first == "" || n <= 1 {
		return first
	}
	return strings.TrimSuffix(first, ".json") + ".attempt-" + strconv.Itoa(n) + ".json"
}

// setAside renames what already lies at path to the next free ".old-<n>", so
// that a file of an earlier run is never taken for one of this.
func setAside(path string, own *ownPaths) error {
	if _, err := os.Lstat(path); err != nil {
		return nil // nothing there, or nothing that could be renamed
	}
	for n := 1; ; n++ {
		old := path + ".old-" + strconv.Itoa(n)
		if _, err := os.Lstat(old); os.IsNotExist(err) {
			return own.write(old, func() error { return os.Rename(path, old) })
		}
	}
}
