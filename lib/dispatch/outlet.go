package dispatch

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"okstra/lib/run"
	"okstra/lib/safetext"
)

// outlet passes result lines on as jobs end, or in the order of the input.
type outlet struct {
	ordered bool
	write   func(run.Result) error

	mu      sync.Mutex
	next    int
	waiting map[int]run.Result
	err     error
}

func (o *outlet) put(index int, result run.Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	if !o.ordered {
		o.err = o.write(result)
		return o.err
	}
	if o.waiting == nil {
		o.waiting = map[int]run.Result{}
	}
	o.waiting[index] = result
	for {
		result, ok := o.waiting[o.next]
		if !ok {
			return o.err
		}
		delete(o.waiting, o.next)
		o.next++
		if o.err = o.write(result); o.err != nil {
			return o.err
		}
	}
}

// flush passes on what waits behind a job that never ended.
func (o *outlet) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, index := range slices.Sorted(maps.Keys(o.waiting)) {
		if o.err == nil {
			o.err = o.write(o.waiting[index])
		}
	}
	o.waiting = nil
	return o.err
}

func (e *engine) emit(t *task, result run.Result) error {
	e.mu.Lock()
	e.results++
	if *result.Outcome != OutcomeCompleted {
		e.bad++
	}
	e.mu.Unlock()
	return e.out.put(t.index, result)
}

// oneLine makes a text fit for a message field.
func oneLine(text string) string {
	const most = 500
	text = strings.TrimSpace(safetext.Line(text))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
