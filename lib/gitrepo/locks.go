package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StaleLock is a lock file of git that nobody holds: what a killed git leaves
// behind. Every later command that wants the lock fails on it.
type StaleLock struct {
	Path string
	Age  time.Duration
}

// StaleLocks lists the lock files of this working tree and of its repository
// that are at least as old as age and that nobody holds: no process has the
// file open, and no git works in the tree, which may have closed its lock and
// still rely on it. Where the processes cannot be seen, or the file belongs to
// somebody whose processes cannot, nothing is called stale. No lock is ever
// removed here.
// Rule: docs/worktrees.md, "Locks left behind".
func (r Repo) StaleLocks(ctx context.Context, now time.Time, age time.Duration) ([]StaleLock, error) {
	gitDir, err := r.GitDir(ctx)
	if err != nil {
		return nil, err
	}
	commonDir, err := r.CommonDir(ctx)
	if err != nil {
		return nil, err
	}
	var found []StaleLock
	for _, path := range lockFiles(gitDir, commonDir) {
		info, err := os.Lstat(path)
		if err != nil || !mayJudge(info) {
			continue
		}
		if old := now.Sub(info.ModTime()); old >= age {
			found = append(found, StaleLock{Path: path, Age: old})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	held, err := heldBelow(r.Dir, gitDir, commonDir)
	if err != nil {
		return nil, nil // nobody can tell
	}
	return slices.DeleteFunc(found, func(l StaleLock) bool { return held(l.Path) }), nil
}

// lockFiles are the lock files in the git directories: beside what they lock.
// Objects have none.
func lockFiles(gitDir, commonDir string) []string {
	var list []string
	take := func(pattern string) {
		found, _ := filepath.Glob(pattern)
		list = append(list, found...)
	}
	take(escapeGlob(gitDir) + "/*.lock")
	take(escapeGlob(commonDir) + "/*.lock")
	for _, dir := range []string{gitDir, commonDir} {
		_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".lock") {
				list = append(list, path)
			}
			return nil
		})
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// mayJudge tells whether the processes that could hold the file are ones that
// this process may look at.
func mayJudge(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && (os.Getuid() == 0 || int(stat.Uid) == os.Getuid())
}

// heldBelow looks at every process once and gives the answer whether a lock of
// the tree is held.
func heldBelow(tree, gitDir, commonDir string) (held func(path string) bool, _ error) {
	open := map[string]bool{}
	gitAtWork := false
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	if len(processes) == 0 {
		return nil, errors.New("no process is shown")
	}
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return nil, err
	}
	for _, process := range processes {
		if _, err := strconv.Atoi(process.Name()); err != nil {
			continue
		}
		dir := filepath.Join("/proc", process.Name())
		files, _ := os.ReadDir(filepath.Join(dir, "fd"))
		for _, file := range files {
			if target, err := os.Readlink(filepath.Join(dir, "fd", file.Name())); err == nil && strings.HasSuffix(target, ".lock") {
				open[target] = true
			}
		}
		if name, err := os.ReadFile(filepath.Join(dir, "comm")); err == nil && strings.HasPrefix(string(name), "git") {
			cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
			gitAtWork = gitAtWork || errors.Is(err, fs.ErrPermission) || err == nil && (isIn(cwd, real) || isIn(cwd, gitDir) || isIn(cwd, commonDir))
		}
	}
	return func(path string) bool { return gitAtWork || open[path] }, nil
}

func isIn(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
