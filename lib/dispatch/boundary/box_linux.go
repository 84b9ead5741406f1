package boundary

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
)

// box is a boundary of the kernel.
type box struct {
	kind      string
	self      string
	order     Order
	enclosure enclosure
	dir       string // of what the overlays keep, "" without
	mutations []run.Mutation
	copied    []string // what was copied out, absolute
	missing   error    // a folder to be left writable is not there: this job cannot be started
}

func (s *Set) make(kind string, order Order) (Box, error) {
	if order.Policy == nil {
		return nil, errors.New("a boundary needs a write policy")
	}
	b := &box{kind: kind, self: s.Self, order: order}
	abi := LandlockABI()
	own := append(existing(order.Writable), resolvedAll(writtenInPlace(order.Policy))...)
	protected := []string{order.Tree, order.Root}
	switch kind {
	case Landlock:
		b.enclosure = enclosure{Landlock: abi, Writable: append(own, artifactDirs(order.Policy)...)}
		b.enclosure.Writable = append(b.enclosure.Writable, freeTemps(protected)...)
		if order.TempDir != "" {
			b.enclosure.Writable = appendOnce(b.enclosure.Writable, order.TempDir)
		}
		for _, dir := range b.enclosure.Writable {
			if _, err := os.Stat(dir); err != nil {
				b.missing = fmt.Errorf("a folder that stays writable is not there: %w", err)
			}
		}
	case Overlay:
		b.enclosure = enclosure{Writable: own, DropCaps: true}
		if !order.OwnSandbox {
			b.enclosure.Landlock = abi
		}
		if err := b.makeOverlays(s); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// makeOverlays plans a private copy of every tree that the job must not change
// in place: the one it works in and the one its artifacts lie in.
func (b *box) makeOverlays(s *Set) error {
	own, err := s.ownDir()
	if err != nil {
		return err
	}
	b.dir = filepath.Join(own, b.order.Name)
	in := func(name string) (string, error) {
		path := filepath.Join(b.dir, name)
		return path, os.MkdirAll(path, 0o700)
	}
	for i, tree := range b.trees() {
		upper, err1 := in("upper" + strconv.Itoa(i))
		work, err2 := in("work" + strconv.Itoa(i))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		b.enclosure.Overlays = append(b.enclosure.Overlays, overlayMount{Tree: tree, Upper: upper, Work: work})
	}
	if len(b.enclosure.Overlays) == 0 {
		return errors.New("nothing to overlay: every root is written in place")
	}
	protected := append([]string{s.Scratch, b.order.TempDir}, b.trees()...)
	for i, temp := range freeTemps(append(protected, b.enclosure.Writable...)) {
		from, err := in("temp" + strconv.Itoa(i))
		if err != nil {
			return err
		}
		b.enclosure.Private = append(b.enclosure.Private, bind{At: temp, From: from})
	}
	if b.order.TempDir != "" {
		b.enclosure.Writable = appendOnce(b.enclosure.Writable, b.order.TempDir)
	}
	return nil
}

// trees are the roots to overlay: outer ones only, and none that is written
// in place.
func (b *box) trees() []string {
	var list []string
	for _, tree := range resolvedAll([]string{b.order.Root, b.order.Tree}) {
		skip := false
		for _, path := range append(resolvedAll(writtenInPlace(b.order.Policy)), list...) {
			skip = skip || inside(tree, path)
		}
		if !skip {
			list = append(list, tree)
		}
	}
	return list
}

func (b *box) Wrap(spec *proc.Spec) error {
	if b.missing != nil {
		return b.missing
	}
	return b.enclosure.wrap(b.self, spec)
}

func (b *box) Record() run.Boundary {
	r := run.Boundary{Kind: b.kind, SelfTest: "passed", Requested: b.order.Requests, Mutations: b.mutations}
	if abi := b.enclosure.Landlock; abi > 0 {
		r.ABI = &abi
	}
	if b.kind == Overlay {
		r.LeavesOpen, r.Attribution = []string{"cli-home", "network"}, "call"
		if r.Mutations == nil {
			r.Mutations = []run.Mutation{}
		}
		return r
	}
	r.LeavesOpen, r.Attribution = []string{"cli-home", "metadata", "network"}, "batch"
	return r
}

// Settle reads what the job changed out of the upper layers and copies its
// artifacts to the tree. Nothing else leaves the overlay.
func (b *box) Settle(judge Judge) error {
	if b.kind != Overlay {
		return nil
	}
	b.mutations, b.copied = []run.Mutation{}, nil
	var full *FullDiskError
	for _, o := range b.enclosure.Overlays {
		changes, err := readUpper(o.Upper, o.Tree)
		if err != nil {
			return fmt.Errorf("read what the job changed in %s: %w", o.Tree, err)
		}
		for _, c := range changes {
			if c.empty && slices.Contains(b.order.SandboxDirs, c.path) {
				continue
			}
			path := run.Rel(b.order.Root, filepath.Join(o.Tree, c.path))
			m := run.Mutation{Path: path, Change: c.change, Class: judge(path, c.folder)}
			if m.Class == "artifact" && c.regular && c.size <= MostArtifact {
				err := b.keep(func() error { return copyOut(filepath.Join(o.Upper, c.path), filepath.Join(o.Tree, c.path)) })
				switch {
				case err == nil:
					m.CopiedOut = true
					b.copied = append(b.copied, filepath.Join(o.Tree, c.path))
				case !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT):
					return fmt.Errorf("copy %s out: %w", path, err)
				case full == nil:
					full = &FullDiskError{Path: path, Err: err}
				}
			}
			b.mutations = append(b.mutations, m)
		}
	}
	if full != nil {
		return full
	}
	return nil
}

func (b *box) keep(write func() error) error {
	if b.order.Keep != nil {
		return b.order.Keep(write)
	}
	return write()
}

// Wrote knows of every file in a tree that the job got a private copy of, but
// where the CLI's own folders lie in it.
func (b *box) Wrote(path string) (wrote, known bool) {
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	holds := func(dir string) bool { return inside(path, dir) }
	known = slices.ContainsFunc(b.enclosure.Overlays, func(o overlayMount) bool { return holds(o.Tree) }) && !slices.ContainsFunc(b.enclosure.Writable, holds)
	return known && slices.Contains(b.copied, path), known
}

// Close throws away what is left of the overlays.
func (b *box) Close() {
	if b.dir != "" {
		proc.RemoveAll(b.dir)
	}
}
