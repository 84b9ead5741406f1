package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNoRun is a folder without a run manifest.
var ErrNoRun = errors.New("no run found (expected manifests/run-manifest-<task-type>-<seq>.json below it)")

// Find lists the run manifests that a path stands for, sorted: the file
// itself, or all manifests below a folder, be it a run folder, a task or a
// project. Below it symbolic links are not followed. A folder that cannot be
// looked into is an error beside the manifests of the others.
func Find(name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file or folder", name)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{name}, nil
	}
	dir := name
	if !isDir(dir) { // a link to a folder, which the walk would not enter
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, err
		}
	}
	if tasks := filepath.Join(dir, ".okstra", "tasks"); isDir(tasks) {
		dir = tasks
	}
	var list []string
	var closed []error
	err = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			closed = append(closed, err)
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case manifestName.MatchString(entry.Name()) && filepath.Base(filepath.Dir(at)) == "manifests":
			list = append(list, at)
		}
		return nil
	})
	if err = errors.Join(append(closed, err)...); err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: %w", name, ErrNoRun)
	}
	slices.Sort(list)
	return list, err
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}
