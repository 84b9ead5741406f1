package upstream

import (
	"context"
	"errors"
	"time"
)

// ErrGaveUp is returned when every attempt failed.
var ErrGaveUp = errors.New("gateway: gave up")

const attempts = 5

// withRetry calls do until it succeeds, waiting a little longer each time.
func withRetry(ctx context.Context, do func(context.Context) error) error {
	wait := 200 * time.Millisecond
	for try := 0; try < attempts; try++ {
		if err := do(ctx); err == nil {
			return nil
		}
		time.Sleep(wait)
		wait *= 2
	}
	return ErrGaveUp
}
