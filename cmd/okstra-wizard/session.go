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
	machine wizard.Machine
}

// open reads the state that path names.
func open(ctx context.Context, std cli.IO, path string) (*session, error) {
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

func locked(ctx context.Context, std cli.IO, path string) (*session, error) {
	if path == "" {
		return nil, cli.Usagef("--state-file is empty")
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, cli.BadInput(fmt.Errorf("state file %q: its folder does not exist", path))
	}
	lock, err := atomicfile.Lock(ctx, path, atomicfile.LockWait)
	if err != nil {
		return nil, err
	}
	return &session{std: std, path: path, lock: lock}, nil
}

func (s *session) load(ctx context.Context) error {
	doc, err := jsondoc.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.WithHint(cli.BadInput(fmt.Errorf("state file %q does not exist", s.path)), "okstra-wizard init makes one")
	}
	if err != nil {
		return cli.BadInput(err)
	}
	if err := schema.Decode(doc, stateKind, &s.state); err != nil {
		return err
	}
	s.doc = doc
	s.machine, err = machine(ctx, s.std, s.state.ProjectRoot)
	return err
}

func (s *session) close() { s.lock.Unlock() }

// save replaces the state file. Keys that this version does not know stay.
func (s *session) save(next wizard.State) error {
	raw, err := next.MarshalStable()
	if err != nil {
		return err
	}
	doc := s.doc
	if doc.Raw == nil {
		doc = jsondoc.Doc{Name: s.path, Raw: []byte("{}")}
	}
	fields, err := jsondoc.Parse(s.path, raw)
	if err != nil {
		return err
	}
	for _, key := range fields.Keys("") {
		value, _ := fields.Lookup("/" + key)
		if doc, err = doc.Set("/"+key, json.RawMessage(value)); err != nil {
			return err
		}
	}
	text, err := jsondoc.Marshal(json.RawMessage(doc.Raw))
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.path, text, 0o600); err != nil {
		return err
	}
	s.doc, s.state = doc, next
	return nil
}

// machine reads facts from the project.
func machine(ctx context.Context, std cli.IO, root string) (wizard.Machine, error) {
	catalogue, err := provider.Builtin()
	if err != nil {
		return wizard.Machine{}, err
	}
	return wizard.Machine{Facts: &facts.Project{
		Root: root, OkstraHome: std.Env.OkstraHome(), Catalogue: catalogue, Git: repository{ctx, gitrepo.Open(root, std.Env.Environ)},
		Installed: func(command string) bool {
			_, err := exec.LookPath(command)
			return err == nil
		},
		Getenv: std.Env.Getenv,
		Warn:   func(text string) { std.Warnf("%s", text) },
	}}, nil
}

// refused makes an engine's refusal an error of status 1.
func refused(err error) error {
	var r *wizard.Refusal
	if errors.As(err, &r) {
		return cli.Refused(err)
	}
	return err
}
