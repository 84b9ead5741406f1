package scan

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// few is how many steps are not worth another thread.
const few = 16

// atOnce does n steps of about equal weight on all cores, in any order. worker
// counts those that do them, from 0: what one worker uses no other does.
func atOnce(n int, step func(worker, i int)) {
	if n < few {
		for i := range n {
			step(0, i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range min(workers(), n/few+1) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				step(worker, i)
			}
		})
	}
	group.Wait()
}

// workers is the most workers that atOnce has.
func workers() int { return runtime.GOMAXPROCS(0) }
