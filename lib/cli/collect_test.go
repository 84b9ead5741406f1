package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// keepSettings puts the collector's settings, which are the process's, back.
func keepSettings(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}

func settings() (percent int, limit int64) {
	percent = debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// Until the process holds so much nothing is collected, however it comes to hold
// it; then the limit is gone, and a heap that goes on growing is collected when it
// has doubled, not at every step.
func TestNothingIsCollectedUntilTheHeapIsFull(t *testing.T) {
	const room = 24 << 20
	for name, step := range map[string]int{"small pieces": 32 << 10, "large pieces": 4 << 20} {
		t.Run(name, func(t *testing.T) {
			keepSettings(t)
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			collectLate(int64(m.Sys-m.HeapReleased) + room)
			var kept [][]byte
			grow := func(by int) {
				for range by / step {
					kept = append(kept, make([]byte, step))
				}
			}
			before := collections()
			grow(room / 2)
			if n := collections() - before; n != 0 {
				t.Errorf("%d collections in half of the room", n)
			}
			grow(2 * room)
			if n := collections() - before; n == 0 {
				t.Fatal("no collection beyond the room")
			}
			for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
				percent, limit := settings()
				if percent == 100 && limit == math.MaxInt64 {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%d %%, %d bytes remain in force", percent, limit)
				}
			}
			before = collections()
			grow(2 * room)
			if n := collections() - before; n > 4 {
				t.Errorf("%d collections while the heap doubled", n)
			}
			runtime.KeepAlive(kept)
		})
	}
}

func TestAProgramThatIsToStaySmallIsCollectedFromTheStart(t *testing.T) {
	keepSettings(t)
	collectLate(0)
	if percent, limit := settings(); percent != gcPercent || limit != math.MaxInt64 {
		t.Errorf("%d %%, %d bytes, want %d %% and no limit", percent, limit, gcPercent)
	}
}
