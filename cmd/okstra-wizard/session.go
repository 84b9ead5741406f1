package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"okstra/lib/atomicfile"
	"okstra/lib/cli"
	"okstra/lib/gitrepo"
	"okstra/lib/jsondoc"
	"okstra/lib/provider"
	"okstra/lib/schema"
	"okstra/lib/wizard"
	"okstra/lib/wizard/facts"
)

const stateKind = "okstra-wizard-state"

// session is one call of the program on a state file, which stays locked for
// the whole of it.
type session struct {
	std     cli.IO
	path    string
	lock    *atomicfile.Held
	doc     jsondoc.Doc
	state   wizard.State
	facts   *facts.Project
	machine wizard.Machine
}

// open reads the state that path names.
func open(ctx context.Context, std cli.IO, path string) (*session, error) {
	if _, err := os.Lstat(path); path != "" && path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, missing(path)
	}
	s, err := locked(ctx, std, path)
	if err != nil {
		return nil, err
	}
	if err := s.load(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func missing(path string) error {
	return cli.WithHint(cli.BadInput(fmt.Errorf("state file %q does not exist", path)), "okstra-wizard init makes one")
}

func locked(ctx context.Context, std cli.IO, path string) (*session, error) {
	if path == "" {
		return nil, cli.Usagef("--state-file is empty")
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil, cli.BadInput(fmt.Errorf("state file %q: its folder does not exist", path))
	}
	if err := lockable(path); err != nil {
		return nil, err
	}
	lock, err := atomicfile.Lock(ctx, path, atomicfile.LockWait)
	if err != nil {
		return nil, err
	}
	return &session{std: std, path: path, lock: lock}, nil
}

// lockable refuses what can never be a state file before a lock file is made
// beside it.
func lockable(path string) error {
	if path == "-" {
		return cli.Usagef("--state-file: %q (expected a file, which is read and replaced)", path)
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return cli.BadInput(fmt.Errorf("state file %q: %w", path, err))
	case info.Mode()&fs.ModeSymlink != 0:
		return cli.BadInput(fmt.Errorf("state file %q: %w", path, atomicfile.ErrSymlink))
	case !info.Mode().IsRegular():
		return cli.BadInput(fmt.Errorf("state file %q: %w", path, atomicfile.ErrNotRegular))
	}
	return nil
}

func (s *session) load(ctx context.Context) error {
	doc, err := jsondoc.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return missing(s.path)
	}
	if err != nil {
		return cli.BadInput(err)
	}
	if err := schema.Decode(doc, stateKind, &s.state); err != nil {
		return err
	}
	if err := s.state.Check(); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", s.path, err))
	}
	s.doc = doc
	s.read(ctx, s.state.ProjectRoot)
	s.state, err = s.machine.Resume(s.state)
	return err
}

func (s *session) close() { s.lock.Unlock() }

func (s *session) say() wizard.Texts { return wizard.TextsFor(s.state.Lang) }

// commit makes a state the one that the file holds and prints out, unless the
// state is the one that is there. What is printed has arrived before the file
// changes: a call that fails leaves it as it was.
func (s *session) commit(next wizard.State, out any) error {
	if next.Revision == s.state.Revision {
		return s.std.Document(out)
	}
	doc, text, err := s.merged(next)
	if err != nil {
		return err
	}
	pending, err := atomicfile.Create(s.path, 0o600)
	if err != nil {
		return err
	}
	defer pending.Abort()
	if _, err := pending.Write(text); err != nil {
		return err
	}
	if err := s.std.Document(out); err != nil {
		return err
	}
	if err := s.std.Flush(); err != nil {
		return err
	}
	if err := pending.Commit(); err != nil {
		return err
	}
	s.doc, s.state = doc, next
	return nil
}

// save replaces the state file without a word, for the dialogue.
func (s *session) save(next wizard.State) error {
	if next.Revision == s.state.Revision {
		return nil
	}
	doc, text, err := s.merged(next)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.path, text, 0o600); err != nil {
		return err
	}
	s.doc, s.state = doc, next
	return nil
}

// merged is the text of a state. Keys that this version does not know stay.
func (s *session) merged(next wizard.State) (jsondoc.Doc, []byte, error) {
	raw, err := next.MarshalStable()
	if err != nil {
		return jsondoc.Doc{}, nil, err
	}
	fields, err := jsondoc.Parse(s.path, raw)
	if err != nil {
		return jsondoc.Doc{}, nil, err
	}
	doc := s.doc
	if doc.Raw == nil {
		doc = fields
	} else if doc, err = merge(doc, fields); err != nil {
		return jsondoc.Doc{}, nil, err
	}
	text, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	return doc, text, err
}

func merge(doc, fields jsondoc.Doc) (jsondoc.Doc, error) {
	var err error
	for _, key := range fields.Keys("") {
		value, _ := fields.Lookup("/" + key)
		if doc, err = doc.Set("/"+key, json.RawMessage(value)); err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// read makes ready to read facts from the project; nothing is read yet.
func (s *session) read(ctx context.Context, root string) {
	s.facts = &facts.Project{
		Root: root, OkstraHome: s.std.Env.OkstraHome(), Catalogue: provider.Builtin,
		Git: repository{ctx, gitrepo.Open(root, s.std.Env.Environ)},
		Installed: func(command string) bool {
			_, err := exec.LookPath(command)
			return err == nil
		},
		Getenv: s.std.Env.Getenv,
		Warn:   func(text string) { s.std.Warnf("%s", text) },
	}
	s.machine = wizard.Machine{Facts: s.facts}
}
