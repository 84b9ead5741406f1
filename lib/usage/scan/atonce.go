package scan

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// few is how many steps are not worth another thread.
const few = 16

// atOnce does n steps of about equal weight on all cores, in any order.
func atOnce(n int, step func(i int)) {
	if n < few {
		for i := range n {
			step(i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n/few+1) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				step(i)
			}
		})
	}
	group.Wait()
}
