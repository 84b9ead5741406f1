package dispatch

import (
	"runtime"
	"testing"
	"time"

	"okstra/lib/run"
)

// Silence from the start is ended by the limit that comes first, under its own
// name.
func TestTheShorterOfIdleAndStartUpEndsSilence(t *testing.T) {
	line := run.Limits{WallSeconds: 3600, IdleSeconds: 900, StartupSeconds: 120, OutputBytes: 1, GraceSeconds: 5}
	short := line
	short.IdleSeconds = 60
	crowd := 10 * runtime.NumCPU()
	for _, tt := range []struct {
		name          string
		line          run.Limits
		given         time.Duration
		jobs          int
		idle, startup time.Duration
	}{
		{"as planned", line, 0, 1, 900 * time.Second, 120 * time.Second},
		{"a short one given", line, time.Second, 1, time.Second, 0},
		{"a long one given", line, time.Hour, 1, time.Hour, 120 * time.Second},
		{"a short one in the line", short, 0, 1, 60 * time.Second, 0},
		{"a crowd starts slowly", line, 0, crowd, 900 * time.Second, 1200 * time.Second},
		{"a crowd, and one given that is shorter", line, 200 * time.Second, crowd, 200 * time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &engine{opts: Options{Parallel: tt.jobs}, total: tt.jobs}
			if tt.given != 0 {
				e.opts.Idle = &tt.given
			}
			if got := e.limits(tt.line); got.Idle != tt.idle || got.Startup != tt.startup {
				t.Errorf("idle %v, start-up %v; want %v and %v", got.Idle, got.Startup, tt.idle, tt.startup)
			}
		})
	}
}
