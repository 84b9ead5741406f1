package gitrepo

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// To start git takes longer than to read its few small files, of which a clean
// repository has no others than plain ones. What follows reads those; whatever
// is not of the plainest form is left to git, which then also tells what is
// wrong with it.

// plainDir is the git directory of a repository that is nothing but plain: it
// is the directory .git of the working tree, shared with no other place, and
// its configuration sets none of what makes git look elsewhere or refuse.
func (r Repo) plainDir() (gitDir string, ok bool) {
	dir, err := filepath.EvalSymlinks(r.Dir)
	if err != nil || !filepath.IsAbs(dir) || strings.Contains(dir, "\n") {
		return "", false
	}
	gitDir = filepath.Join(dir, ".git")
	for _, name := range []string{"", "objects", "refs"} {
		path := filepath.Join(gitDir, name)
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || syscall.Access(path, searchable) != nil {
			return "", false
		}
	}
	if _, err := os.Lstat(filepath.Join(gitDir, "commondir")); !os.IsNotExist(err) {
		return "", false
	}
	head, ok := readPlain(filepath.Join(gitDir, "HEAD"))
	if !ok || !plainHead.Match(head) {
		return "", false
	}
	config, ok := readPlain(filepath.Join(gitDir, "config"))
	return gitDir, ok && isPlainConfig(config)
}

const searchable = 1 // X_OK

var (
	plainHead    = regexp.MustCompile(`^(ref: refs/heads/[^\x00-\x20]+|[0-9a-f]{40})\n$`)
	plainSection = regexp.MustCompile(`^\[([A-Za-z0-9.-]+)( "[^"\\\]]*")?\]$`)
	plainValue   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*) ?= ?([^"\\#;]*)$`)
	plainID      = regexp.MustCompile(`^[0-9a-f]{40}$`)
	plainName    = regexp.MustCompile(`^refs(/[A-Za-z0-9_+#,=-]+(\.[A-Za-z0-9_+#,=-]+)*)+$`)
)

// readPlain reads a file that is a regular one.
func readPlain(path string) ([]byte, bool) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err := io.ReadAll(file)
	return text, err == nil
}

// isPlainConfig tells whether a configuration says nothing about where the
// repository and its tree lie, or of what format it is, and is written in the
// plainest of forms, so that this can be told.
func isPlainConfig(text []byte) bool {
	if !bytes.HasSuffix(text, []byte("\n")) || bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.Trim(line, " \t\n")
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if m := plainSection.FindStringSubmatch(line); m != nil {
			section, _, _ = strings.Cut(strings.ToLower(m[1]), ".")
			if slices.Contains([]string{"extensions", "include", "includeif"}, section) {
				return false
			}
			continue
		}
		m := plainValue.FindStringSubmatch(line)
		if m == nil || section == "" {
			return false
		}
		if plain, told := plainCore[strings.ToLower(m[1])]; section == "core" && told && (plain == "" || m[2] != plain) {
			return false
		}
	}
	return true
}

// plainCore are the settings that say where a tree lies and of what format a
// repository is, and what a plain one has there; "" for none.
var plainCore = map[string]string{"worktree": "", "bare": "false", "repositoryformatversion": "0"}

// plainRefs are the refs of a repository that plainDir has named.
func plainRefs(gitDir string) (refs map[string]string, ok bool) {
	refs = make(map[string]string)
	// The single files first: a ref that is being packed is in both places, and
	// then in the other one.
	if !looseRefs(gitDir, "refs", refs) {
		return nil, false
	}
	path := filepath.Join(gitDir, "packed-refs")
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		return refs, true
	}
	packed, ok := readPlain(path)
	if !ok || len(packed) > 0 && packed[len(packed)-1] != '\n' {
		return nil, false
	}
	first := true
	for line := range strings.Lines(string(packed)) {
		line = strings.TrimSuffix(line, "\n")
		id, name, found := strings.Cut(line, " ")
		peeled := strings.TrimPrefix(line, "^")
		switch {
		case first && strings.HasPrefix(line, "# pack-refs with:"), !first && peeled != line && plainID.MatchString(peeled):
		case found && isPlainRef(id, name):
			if _, loose := refs[name]; !loose {
				refs[name] = id
			}
		default:
			return nil, false
		}
		first = false
	}
	return refs, true
}

// looseRefs adds the refs that are files of their own in a directory.
func looseRefs(gitDir, dir string, refs map[string]string) bool {
	entries, err := os.ReadDir(filepath.Join(gitDir, dir))
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.IsDir():
			if !looseRefs(gitDir, name, refs) {
				return false
			}
		case e.Type() == fs.FileMode(0):
			text, ok := readPlain(filepath.Join(gitDir, name))
			id, ended := strings.CutSuffix(string(text), "\n")
			if !ok || !ended || !isPlainRef(id, name) {
				return false
			}
			refs[name] = id
		default:
			return false
		}
	}
	return true
}

// isPlainRef tells whether a ref has a name of the most usual form and is the
// name of an object, not of another ref.
func isPlainRef(id, name string) bool {
	return plainID.MatchString(id) && strings.Trim(id, "0") != "" && plainName.MatchString(name) && !strings.HasSuffix(name, ".lock") && !strings.Contains(name, ".lock/")
}
