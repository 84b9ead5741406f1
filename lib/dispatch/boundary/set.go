package boundary

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"okstra/lib/dispatch/proc"
	"okstra/lib/run"
	"okstra/lib/writepolicy"
)

// The kinds of boundaries, strongest first.
const (
	Overlay  = "overlay"
	Landlock = "landlock"
	None     = "none"
)

// Kinds lists them in the default order of preference.
var Kinds = []string{Overlay, Landlock, None}

// Precision is how precisely a boundary of that kind holds a policy's paths.
func Precision(kind string) string {
	switch kind {
	case Overlay:
		return writepolicy.PrecisionExact
	case Landlock:
		return writepolicy.PrecisionDirectory
	}
	return writepolicy.PrecisionNone
}

// Order is what a boundary is made for.
type Order struct {
	Name     string // of the attempt, unique in the batch, a path component
	Tree     string // in which the job works
	Root     string // of the project, below which its artifacts lie
	Policy   *run.WritePolicy
	Writable []string // directories and files of the CLI that stay writable
	TempDir  string   // its temporary directory
	// OwnSandbox tells that the CLI starts a sandbox of its own, which cannot
	// be started inside Landlock.
	OwnSandbox bool
	// SandboxDirs are folders at the top of the tree that such a sandbox makes
	// to mount over, and leaves behind, empty, when it is killed.
	SandboxDirs []string
	Requests    []string // what the job would accept, in order
	// Keep does the writing of an artifact; nil for just doing it. It may try
	// again after it made room.
	Keep func(write func() error) error
}

// A FullDiskError tells of artifacts that could not be put in their place for
// want of room. The record of what the job changed is whole.
type FullDiskError struct {
	Path string // the first, as documents name it
	Err  error
}

func (e *FullDiskError) Error() string { return fmt.Sprintf("copy %s out: %v", e.Path, e.Err) }
func (e *FullDiskError) Unwrap() error { return e.Err }

// Judge gives the class of a path that a job changed; made tells that the
// change is a new folder.
type Judge func(path string, made bool) string

// Box is the boundary around one attempt. Wrap is called once before the
// start, Settle once after the end of the last process, Close in any case.
type Box interface {
	Wrap(spec *proc.Spec) error
	// Settle takes the job's results out of the boundary, as far as the
	// policy allows it.
	Settle(judge Judge) error
	// Wrote tells whether the file at an absolute path is one that Settle put
	// there; known is false where the boundary does not see what is written.
	Wrote(path string) (wrote, known bool)
	Record() run.Boundary
	Close()
}

// Probe is what the self-test of a kind gave.
type Probe struct {
	Kind   string
	OK     bool
	ABI    *int   // of Landlock, where it is in use
	Reason string // why it does not hold
}

// Set makes boundaries for one batch and probes each kind at most once.
type Set struct {
	Self    string   // the program that holds the helper commands
	Environ []string // of the helpers
	Scratch string   // where private copies are kept, on an ordinary file system

	mu     sync.Mutex
	probes map[string]Probe
	own    *proc.Scratch // below Scratch, made when it is needed
}

// ownDir is where this process keeps its private copies.
func (s *Set) ownDir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		var err error
		if s.own, err = proc.MakeScratch(s.Scratch); err != nil {
			return "", err
		}
	}
	return s.own.Dir, nil
}

// Close throws away what is left of the set's private copies. The set can be
// used again afterwards.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own.Remove()
	s.own = nil
}

// Probe tests a kind, or gives what an earlier test gave.
func (s *Set) Probe(ctx context.Context, kind string) Probe {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.probes[kind]; ok {
		return p
	}
	p := s.test(ctx, kind)
	p.Kind = kind
	if s.probes == nil {
		s.probes = map[string]Probe{}
	}
	s.probes[kind] = p
	return p
}

// Choose gives the first kind of the list that the job accepts and that
// holds here. The error tells why none does.
func (s *Set) Choose(ctx context.Context, list, accepted []string) (string, error) {
	var why []string
	for _, kind := range list {
		if !slices.Contains(accepted, kind) {
			why = append(why, kind+": not acceptable to this job")
			continue
		}
		p := s.Probe(ctx, kind)
		if p.OK {
			return kind, nil
		}
		why = append(why, kind+": "+p.Reason)
	}
	return "", fmt.Errorf("no acceptable boundary %q", why)
}

// Box makes a boundary of a kind that Choose gave.
func (s *Set) Box(kind string, order Order) (Box, error) {
	if kind == None {
		return open{order}, nil
	}
	return s.make(kind, order)
}

// open is no boundary at all.
type open struct{ order Order }

func (o open) Wrap(*proc.Spec) error { return nil }
func (o open) Settle(Judge) error    { return nil }
func (o open) Close()                {}

func (o open) Wrote(string) (wrote, known bool) { return false, false }

func (o open) Record() run.Boundary {
	return run.Boundary{Kind: None, SelfTest: "not-needed", Requested: o.order.Requests, LeavesOpen: []string{"everything", "network"}, Attribution: "batch"}
}
