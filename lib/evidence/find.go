package evidence

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/all"
)

// Find lists the transcripts of a session below a home, sorted: the files that are
// called by its id, alone or behind a dash. Links are followed; of a file that was moved or
// packed only one copy is listed, a plain one before a packed one.
func Find(home transcript.Home, provider, session string) []string {
	if session == "" {
		return nil
	}
	var files []string
	for _, reader := range all.Of(provider) {
		s := search{session: session, name: reader.SameFile, been: map[string]bool{}, best: map[string]string{}}
		for _, root := range reader.Roots(home) {
			s.dir(root.Dir, root.Match)
		}
		for _, path := range s.best {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// search looks for the files of one session.
type search struct {
	session string
	name    func(string) string // what stays the same of a file that is moved; nil where files stay
	been    map[string]bool     // folders and files by their real names
	best    map[string]string   // the copy to read, by name
}

// dir searches a folder; what cannot be looked into holds no evidence.
func (s *search) dir(dir string, match func(string) bool) {
	if !s.first(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		kind := entry.Type()
		if kind&fs.ModeSymlink != 0 {
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			kind = info.Mode().Type()
		}
		switch {
		case kind.IsDir():
			s.dir(path, match)
		case kind.IsRegular() && s.isNamed(entry.Name()) && match(path) && s.first(path):
			s.keep(path)
		}
	}
}

// isNamed reports whether a file is called by the session: S1 is not in the name of
// S10, nor S1 in that of AS1.
func (s *search) isNamed(file string) bool {
	before, ok := strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(file, ".zst"), ".jsonl"), s.session)
	return ok && (before == "" || strings.HasPrefix(before, "rollout-") && strings.HasSuffix(before, "-"))
}

func (s *search) keep(path string) {
	if !transcript.HasSuffix(path, ".jsonl") {
		return
	}
	name := path
	if s.name != nil {
		name = s.name(path)
	}
	if known, ok := s.best[name]; !ok || packed(known) && !packed(path) {
		s.best[name] = path
	}
}

func packed(path string) bool { return strings.HasSuffix(path, ".zst") }

// first reports whether a path leads to what was not met before.
func (s *search) first(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || s.been[real] {
		return false
	}
	s.been[real] = true
	return true
}
