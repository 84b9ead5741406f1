package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy is a lock that another writer held for the whole time that we were
// ready to wait.
var ErrBusy = errors.New("locked by another writer")

// LockWait is how long Append and Update wait for the lock.
const LockWait = 10 * time.Second

// lockPoll is how often a busy lock is tried again. It is short against the
// time an append takes, so that of many writers none is left behind.
const lockPoll = 3 * time.Millisecond

// lockSuffix is added to a path to name its lock file.
const lockSuffix = ".lock"

// Held is a lock that is held, the exclusive right to write one path among
// all who ask for it.
type Held struct{ file *flock.Flock }

// Lock takes the lock of path, which is an flock on path+".lock", and waits
// for it no longer than wait: then the error is ErrBusy. The lock file stays
// for ever, empty; to delete it would let two writers lock two files of the
// same name. A lock ends with its process at the latest. It is not
// reentrant: a second call in the same process waits like any other writer.
// Rule: docs/files.md, "Locks".
func Lock(ctx context.Context, path string, wait time.Duration) (*Held, error) {
	lockPath := path + lockSuffix
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", lockPath, err)
	}
	file := flock.New(lockPath, flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if !ok && err == nil {
		waiting, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		ok, err = file.TryLockContext(waiting, lockPoll)
	}
	switch {
	case ok:
		return &Held{file: file}, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, fmt.Errorf("%s: %w", lockPath, ErrSymlink)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: %w", lockPath, ErrBusy)
	}
	return nil, at(lockPath, err)
}

// Unlock gives the lock back. A second call does nothing.
func (l *Held) Unlock() {
	_ = l.file.Unlock() // closing the file releases it even where unlocking fails
}

// Update replaces the file at path by what edit makes of it, under the lock of
// path, so that no update of another process is lost. A missing file is given
// to edit as nil, an empty one as a slice of length 0. If edit returns nil or
// an error nothing is written. edit must not touch path in another way.
func Update(ctx context.Context, path string, perm fs.FileMode, edit func(old []byte) ([]byte, error)) error {
	lock, err := Lock(ctx, path, LockWait)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	old, err := read(path)
	if err != nil {
		return err
	}
	edited, err := edit(old)
	if err != nil || edited == nil {
		return err
	}
	return Write(path, edited, perm)
}

// read gives the content of a regular file, nil if there is no file.
func read(path string) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, at(path, err)
	}
	return content, nil
}
