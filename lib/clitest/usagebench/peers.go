package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// peer is a published program that reads the same transcripts.
type peer struct {
	name, version string
	with          []string // packages that have to be installed beside it
	args          []string
}

// peers stand here by their exact versions. tokscale starts with bun, which npm
// has as a package; its prices are in a cache, for it would fetch them.
var peers = []peer{
	{name: "ccusage", version: "20.0.24", args: []string{"daily", "--offline", "--json"}},
	{name: "tokscale", version: "1.4.3", with: []string{"bun@1.4.5"}, args: []string{"models", "--json", "--no-spinner"}},
}

// addPeers installs the peers below the bench's own folder, nowhere else, and
// adds a row for each that runs.
func (o options) addPeers(t *table, home string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.note("peers: not measured, npm is not there")
		return nil
	}
	view, err := o.peerHome(home)
	if err != nil {
		return err
	}
	for _, p := range peers {
		bin, err := p.install(npm, filepath.Join(o.dir, "peers", p.name))
		if err != nil {
			t.note("%s %s: not measured, npm: %v", p.name, p.version, err)
			continue
		}
		c := command{
			args: append([]string{filepath.Join(bin, p.name)}, p.args...),
			env:  []string{"HOME=" + view, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")},
		}
		if _, err := c.run(); err != nil {
			t.note("%s %s: not measured: %v", p.name, p.version, err)
			continue
		}
		t.add(fmt.Sprintf("%s %s (Claude and Codex only)", p.name, p.version), c)
	}
	return nil
}

// install gives the folder of the peer's program.
func (p peer) install(npm, dir string) (bin string, err error) {
	bin = filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, p.name)); err == nil {
		return bin, nil
	}
	args := []string{npm, "install", "--silent", "--no-save", "--no-package-lock", "--prefix", dir, p.name + "@" + p.version}
	_, err = command{args: append(args, p.with...)}.run()
	return bin, err
}

// peerHome is a home of links to the folders of the given one: what peers write
// into their home must not grow the files that are measured.
func (o options) peerHome(home string) (string, error) {
	view := filepath.Join(o.dir, "peer-home")
	if err := os.RemoveAll(view); err != nil {
		return "", err
	}
	prices := filepath.Join(view, ".cache", "tokscale")
	if err := os.MkdirAll(prices, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(home, e.Name()), filepath.Join(view, e.Name())); err != nil {
			return "", err
		}
	}
	none := fmt.Appendf(nil, `{"timestamp": %d, "data": {}}`, time.Now().Unix())
	for _, source := range []string{"litellm", "openrouter"} {
		if err := os.WriteFile(filepath.Join(prices, "pricing-"+source+".json"), none, 0o600); err != nil {
			return "", err
		}
	}
	return view, nil
}
