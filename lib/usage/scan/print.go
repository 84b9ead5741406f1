package scan

import (
	"sync"
	"sync/atomic"

	"okstra/lib/transcript"
)

// printAtOnce is how many events are written as one text.
const printAtOnce = 256

// Print writes the events of a window as lines of JSON. write gets whole lines, in
// order, as many at a time as make a text of some size; what it gets it must not
// keep. Events become text on all cores while earlier text is written.
func (r *Result) Print(w transcript.Window, write func(lines []byte) error) error {
	n := (len(r.Events) + printAtOnce - 1) / printAtOnce
	piece := func(i int, text []byte) []byte {
		return appendEvents(text[:0], r.Events[i*printAtOnce:min((i+1)*printAtOnce, len(r.Events))], w)
	}
	if n < 2 || workers() < 2 {
		var text []byte
		for i := range n {
			text = piece(i, text)
			if err := write(text); err != nil {
				return err
			}
		}
		return nil
	}
	// Piece i passes through desk i%len(desks), which holds one text: empty for
	// who makes the next one, or full for who writes it.
	desks := make([]desk, 2*workers())
	for i := range desks {
		desks[i] = desk{empty: make(chan []byte, 1), full: make(chan []byte, 1)}
		desks[i].empty <- nil
	}
	stop := make(chan struct{})
	var next atomic.Int64
	var group sync.WaitGroup
	defer group.Wait()
	defer close(stop)
	for range workers() {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				d := &desks[i%len(desks)]
				select {
				case text := <-d.empty:
					d.full <- piece(i, text)
				case <-stop:
					return
				}
			}
		})
	}
	for i := range n {
		d := &desks[i%len(desks)]
		text := <-d.full
		if err := write(text); err != nil {
			return err
		}
		d.empty <- text
	}
	return nil
}

type desk struct{ empty, full chan []byte }

func appendEvents(text []byte, events []transcript.Event, w transcript.Window) []byte {
	for i := range events {
		e := &events[i]
		if !w.Holds(e.At) {
			continue
		}
		if e.Model == "" {
			e.Model = e.Assumed
		}
		text = append(e.AppendJSON(text), '\n')
	}
	return text
}
