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
// project. Symbolic links are not followed.
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
	if tasks := filepath.Join(name, ".okstra", "tasks"); isDir(tasks) {
		dir = tasks
	}
	var list []string
	err = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case manifestName.MatchString(entry.Name()) && filepath.Base(filepath.Dir(at)) == "manifests":
			list = append(list, at)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoRun)
	}
	slices.Sort(list)
	return list, nil
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}
