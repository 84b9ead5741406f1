package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// objectFolder is the name of an object store in a git directory.
const objectFolder = "objects"

// objectStores finds the object stores of the repositories that the roots are
// working trees of: they are not looked into, because objects are named by
// their content. Only these: what merely looks like the inside of a repository
// are files like any others. Nothing is asked of git, which a worker may have
// made to wait for ever.
func objectStores(roots []string) []string {
	var stores []string
	for _, root := range roots {
		common, ok := commonDirOf(filepath.Join(root, ".git"))
		if !ok {
			continue
		}
		stores = append(stores, filepath.Join(common, objectFolder))
		stores = append(stores, moduleStores(filepath.Join(common, "modules"))...)
	}
	slices.Sort(stores)
	return slices.Compact(stores)
}

// commonDirOf follows .git of a working tree, a folder or a file that names
// one, to the directory that all working trees of the repository share.
func commonDirOf(dotGit string) (string, bool) {
	dir, err := filepath.EvalSymlinks(dotGit)
	if err != nil {
		return "", false
	}
	if named, ok := pathIn(dir, "gitdir: "); ok {
		if dir, err = filepath.EvalSymlinks(named); err != nil {
			return "", false
		}
	}
	if named, ok := pathIn(filepath.Join(dir, "commondir"), ""); ok {
		if dir, err = filepath.EvalSymlinks(named); err != nil {
			return "", false
		}
	}
	info, err := os.Lstat(dir)
	return dir, err == nil && info.IsDir()
}

// pathIn reads the path that a small file holds behind a prefix, from the
// file's own folder.
func pathIn(file, prefix string) (string, bool) {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return "", false
	}
	text, err := readRegular(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || path == "" || strings.Contains(path, "\x00") {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path, true
}

// mostModules bounds how many folders are looked through for submodules.
const mostModules = 10_000

// moduleStores finds the stores of the submodules, whose git directories lie
// below modules of the repository's, each at a name that may have slashes in
// it, with those of its own submodules in its own modules.
func moduleStores(modules string) []string {
	var stores []string
	for pending := []string{modules}; len(pending) > 0 && len(pending)+len(stores) < mostModules; {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		has := func(name string) bool {
			return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name && !e.IsDir() == (name == "HEAD") })
		}
		if dir != modules && has("HEAD") && has("refs") && has(objectFolder) {
			stores, pending = append(stores, filepath.Join(dir, objectFolder)), append(pending, filepath.Join(dir, "modules"))
			continue
		}
		for _, e := range entries {
			if e.IsDir() {
				pending = append(pending, filepath.Join(dir, e.Name()))
			}
		}
	}
	return stores
}
