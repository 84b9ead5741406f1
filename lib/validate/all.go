package validate

import (
	"context"
	"iter"
	"runtime"
)

// All judges many runs, as many at once as there are processors, and gives the
// results in the order of their manifests. It ends early when ctx does.
func All(ctx context.Context, manifests []string, opt Options) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		// A slot is a promise of a result. The channel's capacity bounds how
		// far the judging runs ahead of the reader.
		slots := make(chan chan Result, 2*runtime.GOMAXPROCS(0))
		go func() {
			defer close(slots)
			busy := make(chan struct{}, runtime.GOMAXPROCS(0))
			for _, m := range manifests {
				slot := make(chan Result, 1)
				select {
				case slots <- slot:
				case <-ctx.Done():
					return
				}
				busy <- struct{}{}
				go func() {
					defer func() { <-busy }()
					slot <- Run(m, opt)
				}()
			}
		}()
		for slot := range slots {
			select {
			case result := <-slot:
				if !yield(result) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
