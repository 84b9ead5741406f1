// Package pool bounds how many requests talk to the gateway at once.
package pool

import "context"

// Pool hands out a fixed number of slots.
type Pool struct{ slots chan struct{} }

// New makes a pool of n slots.
func New(n int) *Pool { return &Pool{slots: make(chan struct{}, n)} }

// Acquire waits for a slot, or until ctx ends.
func (p *Pool) Acquire(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release gives a slot back.
func (p *Pool) Release() { <-p.slots }

// InUse counts the slots that are taken.
func (p *Pool) InUse() int { return len(p.slots) }
