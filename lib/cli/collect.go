package cli

import (
	"math"
	"runtime"
	"runtime/debug"
)

// gcPercent lets the heap grow to three times what is in use before it is
// collected: a filter lives for moments and keeps most of what it reads. With
// more, the first touch of new pages costs more than collecting old ones.
const gcPercent = 200

// collectLate puts the first garbage collection off until the process holds that
// many bytes. From then on the heap may double between collections, whatever is in
// use: the limit is no ceiling, for a process that needs more must not spend its
// time on looking for what it could do without.
func collectLate(heap int64) {
	if heap == 0 {
		debug.SetGCPercent(gcPercent)
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heap)
	runtime.AddCleanup(new([2]int64), func(struct{}) {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}, struct{}{})
}
