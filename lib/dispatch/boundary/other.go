//go:build !linux

package boundary

import (
	"context"
	"errors"
)

// ProbeCommand is of no use on this system.
const (
	ProbeCommand = "__try-boundary"
)

var errNoKernel = errors.New("boundaries of the kernel need Linux")

func (s *Set) test(_ context.Context, kind string) Probe {
	if kind == None {
		return Probe{OK: true}
	}
	return Probe{Reason: errNoKernel.Error()}
}

func (s *Set) make(string, Order) (Box, error) { return nil, errNoKernel }

// LandlockABI is 0: this system has no Landlock.
func LandlockABI() int { return 0 }

// Enclose fails on this system.
func Enclose([]string, []string) error { return errNoKernel }

// TryBoundary fails on this system.
func TryBoundary(string, string) error { return errNoKernel }
