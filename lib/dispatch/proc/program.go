package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// FindProgram finds the file that name starts in folder dir, by the search path
// of this process. What is not there is a missing command; what is there and
// cannot be started, a file without the right to be executed or a folder, is
// not: environ, the environment of the program, says where to look for that.
func FindProgram(name, dir string, environ []string) (string, *StartError) {
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrNotFound):
		if path = unexecutable(name, environ); path != "" {
			return "", &StartError{ReasonExecFailed, fmt.Sprintf("%s: %v", path, syscall.EACCES)}
		}
		return "", &StartError{ReasonCommandMissing, err.Error()}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", &StartError{ReasonCommandMissing, err.Error()}
	}
	return "", &StartError{ReasonExecFailed, err.Error()}
}

// unexecutable is the first file of that name in the folders of the search
// path, "" when there is none. A search passes over what cannot be executed.
func unexecutable(name string, environ []string) string {
	for _, entry := range environ {
		list, found := strings.CutPrefix(entry, "PATH=")
		if !found {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && filepath.IsAbs(path) {
				return path
			}
		}
	}
	return ""
}

// ExecFailure says why the program at path, which FindProgram found, could not
// be executed. The file is there: what is not there then is what it needs, an
// interpreter or a loader.
func ExecFailure(path string, err error) *StartError {
	if errors.Is(err, syscall.ENOENT) {
		return &StartError{ReasonExecFailed, fmt.Sprintf("%s: its interpreter: %v", path, err)}
	}
	return &StartError{ReasonExecFailed, fmt.Sprintf("%s: %v", path, err)}
}
