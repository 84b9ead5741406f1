package main

import (
	"fmt"
	"io/fs"
	"os"
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
