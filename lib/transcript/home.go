package transcript

import (
	"path/filepath"
	"strings"
)

// Home says where the CLIs look for their own homes.
type Home struct {
	Dir string              // stands for HOME
	Get func(string) string // the environment; nil when Dir overrides it
}

// Or is the directory an environment variable names, else one below the home.
// An empty variable counts as unset.
func (h Home) Or(variable string, below ...string) string {
	if v := h.Variable(variable); v != "" {
		return v
	}
	return h.Below(below...)
}

// Variable is a variable of the environment, "" when the home overrides it.
func (h Home) Variable(name string) string {
	if h.Get == nil {
		return ""
	}
	return strings.TrimSpace(h.Get(name))
}

// Below is a path below the home, "" when there is none.
func (h Home) Below(path ...string) string {
	if h.Dir == "" {
		return ""
	}
	return filepath.Join(append([]string{h.Dir}, path...)...)
}

// Root is a directory that holds transcripts of a provider at any depth.
type Root struct {
	Dir   string
	Match func(path string) bool // is a file below Dir, by its whole path, a transcript
	Depth int                    // so many folders below Dir name what belongs together in the cache; 0 means one
}

// HasSuffix reports whether a path is of a kind, compressed or not.
func HasSuffix(path, suffix string) bool {
	return strings.HasSuffix(strings.TrimSuffix(path, ".zst"), suffix)
}
