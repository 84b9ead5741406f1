package dispatch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// room is space on the disk of a run that is held back for the records of its
// running jobs: on a disk that fills up meanwhile, what a finished job did is
// still written down, and it is not run a second time. No job is started
// without it. Rule: docs/dispatch.md, "A full disk".
type room struct {
	dir  string
	size int64 // to be held before a start

	mu   sync.Mutex
	file *os.File // without a name: it ends with the process that holds it
	held int64
}

// What is held for each running job, for the run, and how much a record takes
// at a time.
const (
	roomPerJob = 64 << 10
	roomPerRun = 64 << 10
	roomStep   = 32 << 10
)

// roomFor is how much the records of a run may need at once: those of its
// running jobs, and a copy of the team state, which is replaced whole.
func roomFor(running, jobs int, teamState string) int64 {
	size := int64(roomPerRun + running*roomPerJob)
	if info, err := os.Stat(teamState); err == nil {
		size += info.Size() + int64(jobs)*1024
	}
	return size
}

// hold takes what is missing of the room.
func (r *room) hold() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held >= r.size {
		return nil
	}
	if err := r.take(); err != nil {
		return fmt.Errorf("%s: room for the records of running jobs (%d KiB): %w", r.dir, r.size>>10, err)
	}
	return nil
}

func (r *room) take() error {
	if r.file == nil {
		file, err := os.CreateTemp(r.dir, ".okstra-room-*")
		if err != nil {
			return err
		}
		if err := os.Remove(file.Name()); err != nil {
			file.Close()
			return err
		}
		r.file = file
	}
	if err := allocate(r.file, r.size); err != nil {
		_ = r.file.Truncate(r.held)
		return err
	}
	r.held = r.size
	return nil
}

// record writes a record. Where the disk is full it gives room back, step by
// step, for a hungry job might take more than the record needs.
func (r *room) record(write func() error) error {
	err := write()
	for isFull(err) && r.give() {
		err = write()
	}
	return err
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// give gives a step of the room back; false when there is none left.
func (r *room) give() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held <= 0 {
		return false
	}
	r.held = max(0, r.held-roomStep)
	return r.file.Truncate(r.held) == nil
}

// fill writes zeros up to size.
func fill(file *os.File, size int64) error {
	_, err := io.Copy(io.NewOffsetWriter(file, 0), io.LimitReader(zeros{}, size))
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func (r *room) release() {
	if r != nil && r.file != nil {
		r.file.Close()
	}
}
