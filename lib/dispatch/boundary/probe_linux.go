package boundary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// ProbeCommand is the hidden command that tries the boundary it runs in: it
// writes to the first path, which must work, and to the second, which must not.
const ProbeCommand = "__try-boundary"

// probeTime bounds a self-test.
const probeTime = 20 * time.Second

// test sets a boundary of the kind up around a small program and looks whether
// it holds: what is allowed works, what is not is refused, and, for an
// overlay, the tree below stays as it was.
func (s *Set) test(ctx context.Context, kind string) Probe {
	if kind == None {
		return Probe{OK: true}
	}
	var abi *int
	if n := LandlockABI(); n > 0 {
		abi = &n
	}
	if kind == Landlock && abi == nil {
		return Probe{Reason: "this kernel has no Landlock"}
	}
	if err := s.try(ctx, kind); err != nil {
		return Probe{Reason: err.Error()}
	}
	return Probe{OK: true, ABI: abi}
}

func (s *Set) try(ctx context.Context, kind string) error {
	scratch, err := proc.MakeScratch(s.Scratch)
	if err != nil {
		return err
	}
	defer scratch.Remove()
	dir := scratch.Dir
	tree, outside := filepath.Join(dir, "tree"), filepath.Join(dir, "outside")
	for _, path := range []string{filepath.Join(tree, "results"), outside} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
	}
	policy := &run.WritePolicy{
		ArtifactPolicy: run.ArtifactPolicy{AllowedRoot: tree, AllowedPaths: []string{"results/allowed"}},
		SourcePolicy:   run.SourcePolicy{Mode: writepolicy.SourceReadonly, AllowedRoot: tree},
	}
	probing := &Set{Self: s.Self, Environ: s.Environ, Scratch: filepath.Join(dir, "scratch")}
	box, err := probing.make(kind, Order{Name: "probe", Tree: tree, Root: tree, Policy: policy})
	if err != nil {
		return err
	}
	defer probing.Close()
	allowed, refused := filepath.Join(tree, "results", "allowed"), filepath.Join(outside, "refused")
	spec := proc.Spec{Argv: []string{s.Self, ProbeCommand, allowed, refused}, Env: s.Environ, Dir: tree}
	if err := box.Wrap(&spec); err != nil {
		return err
	}
	if err := start(ctx, spec); err != nil {
		return err
	}
	return held(box, kind, allowed, refused)
}

// held looks at what the probe left.
func held(box Box, kind, allowed, refused string) error {
	if _, err := os.Lstat(refused); err == nil {
		return errors.New("a write outside was not refused")
	}
	_, below := os.Lstat(allowed)
	if kind == Landlock {
		return below
	}
	if below == nil {
		return errors.New("a write reached the tree below the overlay")
	}
	if err := box.Settle(func(string, bool) string { return "unplanned" }); err != nil {
		return err
	}
	if m := box.Record().Mutations; !slices.ContainsFunc(m, func(m run.Mutation) bool { return m.Path == "results/allowed" && m.Change == "created" }) {
		return fmt.Errorf("the overlay does not show what was written: %v", m)
	}
	return nil
}

// start runs the probe in the caller's own process tree: it is over at once.
func start(ctx context.Context, spec proc.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, spec.Argv[0], spec.Argv[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = spec.Dir, spec.Env, &said, &said, []*os.File{w}
	cmd.SysProcAttr = proc.Attributes(spec)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return fmt.Errorf("cannot be started: %w", err)
	}
	report := make([]byte, 4096)
	n, _ := r.Read(report)
	if err := cmd.Wait(); err != nil {
		text := strings.TrimSpace(string(report[:n]))
		if text == "" {
			text = strings.TrimSpace(said.String())
		}
		if text != "" {
			return errors.New(text)
		}
		return err
	}
	return nil
}

// TryBoundary is the body of the probe.
func TryBoundary(allowed, refused string) error {
	if err := os.WriteFile(allowed, []byte("written\n"), 0o600); err != nil {
		return fmt.Errorf("an allowed write was refused: %w", err)
	}
	err := os.WriteFile(refused, []byte("written\n"), 0o600)
	switch {
	case err == nil:
		return errors.New("a write outside was not refused")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EPERM):
		return nil
	}
	return err
}
