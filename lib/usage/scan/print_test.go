package scan

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"okstra/lib/transcript"
)

// manyEvents are events of which every third is a second later than the two
// before it, and every fourth names no model.
func manyEvents(n int) []transcript.Event {
	start := time.Date(2026, 9, 8, 10, 0, 0, 0, time.UTC)
	events := make([]transcript.Event, n)
	for i := range events {
		at := start.Add(time.Duration(i/3) * time.Second)
		events[i] = transcript.Event{Provider: "claude", TS: at.Format(time.RFC3339), At: at.UnixNano(), Assumed: "assumed", Source: transcript.Source{Path: "p", Line: i}}
		if i%4 > 0 {
			events[i].Model = fmt.Sprint("m", i)
		}
	}
	return events
}

func TestPrintedInPiecesOrOneByOneTheLinesAreTheSame(t *testing.T) {
	window := transcript.Window{Since: time.Date(2026, 9, 8, 10, 1, 0, 0, time.UTC)}
	for _, n := range []int{0, 1, printAtOnce, printAtOnce + 1, 20*printAtOnce + 7} {
		for _, w := range []transcript.Window{{}, window} {
			var want, got bytes.Buffer
			for _, e := range manyEvents(n) {
				if e.Model == "" {
					e.Model = "assumed"
				}
				if w.Holds(e.At) {
					want.Write(append(e.AppendJSON(nil), '\n'))
				}
			}
			r := Result{Events: manyEvents(n)}
			if err := r.Print(w, func(lines []byte) error { got.Write(lines); return nil }); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d events: %d bytes, want %d, or another order", n, got.Len(), want.Len())
			}
		}
	}
}

func TestPrintingEndsWhereWritingFails(t *testing.T) {
	full := errors.New("full")
	r := Result{Events: manyEvents(50 * printAtOnce)}
	for _, after := range []int{0, 1, 30} {
		calls := 0
		err := r.Print(transcript.Window{}, func([]byte) error {
			if calls++; calls > after {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || calls != after+1 {
			t.Errorf("%v after %d calls, want the fault of call %d", err, calls, after+1)
		}
	}
}
