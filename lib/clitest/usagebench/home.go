package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"okstra/lib/clitest/usagehome"
)

// home makes a home once; a later run finds it complete or makes it anew.
func (o options) home(name string, contents usagehome.Options) (string, error) {
	dir := filepath.Join(o.dir, fmt.Sprintf("%s-%d-%d", name, contents.Claude+contents.Codex+contents.Grok+contents.Kimi, contents.FileBytes))
	done := dir + ".complete"
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := usagehome.Make(dir, contents); err != nil {
		return "", err
	}
	return dir, os.WriteFile(done, nil, 0o600)
}

// listing names the files of a home and reads each once, so that all programs
// find them in the page cache.
func listing(home string) (files []string, size int64, err error) {
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = append(files, path), size+info.Size()
		return nil
	})
	if err != nil || len(files) == 0 {
		return files, size, err
	}
	_, err = grep(files).run()
	return files, size, err
}

// peers are the published programs that read the same transcripts, each by its
// exact version.
var peers = []struct {
	name, version string
	args          []string
	needs         string // a program that it does not bring along
}{
	{"ccusage", "20.0.24", []string{"daily", "--offline", "--json"}, "node"},
	{"tokscale", "1.4.3", []string{"--json", "--no-spinner"}, "bun"},
}

// addPeers installs the peers below the bench's own folder, nowhere else.
func (o options) addPeers(t *table, home string) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.note("peers: not measured, npm is not there")
		return
	}
	dir := filepath.Join(o.dir, "peers")
	for _, p := range peers {
		if _, err := exec.LookPath(p.needs); err != nil {
			t.note("%s %s: not measured, it needs %s", p.name, p.version, p.needs)
			continue
		}
		bin := filepath.Join(dir, "node_modules", ".bin", p.name)
		if _, err := os.Stat(bin); err != nil {
			install := command{args: []string{npm, "install", "--silent", "--no-save", "--no-package-lock", "--prefix", dir, p.name + "@" + p.version}}
			if _, err := install.run(); err != nil {
				t.note("%s %s: not measured, npm: %v", p.name, p.version, err)
				continue
			}
		}
		c := command{args: append([]string{bin}, p.args...), env: []string{"HOME=" + home}}
		if _, err := c.run(); err != nil {
			t.note("%s %s: not measured: %v", p.name, p.version, err)
			continue
		}
		t.add(fmt.Sprintf("%s %s (Claude and Codex only)", p.name, p.version), c)
	}
}
