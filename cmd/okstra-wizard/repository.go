package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// repository answers the wizard's questions about refs.
type repository struct{ dir string }

func (r repository) git(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"--no-optional-locks", "-C", r.dir}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); text != "" {
			return "", errors.New(text)
		}
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

func (r repository) top() string {
	top, err := r.git("rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return top
}

// Head is the commit that is checked out.
func (r repository) Head() (string, error) { return r.Commit("HEAD") }

// Commit is the full commit that a ref names.
func (r repository) Commit(ref string) (string, error) {
	commit, err := r.git("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%q names no commit", ref)
	}
	return commit, nil
}

// DefaultBranch is the branch that the remote calls its default, or "".
func (r repository) DefaultBranch() string {
	name, err := r.git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
	if err != nil {
		return ""
	}
	return name
}
