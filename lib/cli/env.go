package cli

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Env is what a program may know about its surroundings. Tests fill in their
// own values, so the same input gives the same output everywhere.
type Env struct {
	Get     func(string) string // one environment variable, "" when unset
	Now     func() time.Time    // the clock; --now, where declared, replaces it
	Dir     string              // the working directory, "" when it cannot be found
	Environ []string            // the whole environment, as KEY=value
	Random  io.Reader           // random bytes for identifiers
}

// Getenv is Get, but safe on a zero Env.
func (e Env) Getenv(key string) string {
	if e.Get == nil {
		return ""
	}
	return e.Get(key)
}

// Home is the user's home directory, "" when HOME is unset.
func (e Env) Home() string { return e.Getenv("HOME") }

// OkstraHome is where okstra keeps what belongs to no project: $OKSTRA_HOME,
// else .okstra in the home directory. A relative $OKSTRA_HOME begins at the
// working directory, for what is noted of it is read from others too. It is ""
// when neither is known; callers then do without rather than write to a
// relative path.
func (e Env) OkstraHome() string {
	switch dir := e.Getenv("OKSTRA_HOME"); {
	case filepath.IsAbs(dir):
		return dir
	case dir != "" && e.Dir != "":
		return filepath.Join(e.Dir, dir)
	}
	if home := e.Home(); home != "" {
		return filepath.Join(home, ".okstra")
	}
	return ""
}

// filled puts a working value in place of what a test has left out.
func (e Env) filled() Env {
	if e.Get == nil {
		e.Get = func(string) string { return "" }
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Random == nil {
		e.Random = rand.Reader
	}
	return e
}

// processEnv is the Env of the running process.
func processEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // a deleted directory: relative paths then fail with their own error
	}
	return Env{
		Get:     os.Getenv,
		Now:     time.Now,
		Dir:     dir,
		Environ: os.Environ(),
		Random:  rand.Reader,
	}
}
