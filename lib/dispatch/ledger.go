package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// ledgerDelay is how long rows wait for others before they are written
// together. Readers see a row at most 200 ms late.
const ledgerDelay = 120 * time.Millisecond

// rosterChange is what a dispatch changes in a row of the roster. A nil field
// stays; PromptPath is set only where there is none yet, because the roster
// names the first dispatch.
type rosterChange struct {
	WorkerID   string
	PromptPath string
	Status     *string
	Reason     *string
	ResultPath *string
}

// ledger writes rows and roster changes to the team state, in groups. All
// other keys of the document stay as they are, and so does their order.
type ledger struct {
	path string
	room *room // nil before jobs run

	mu      sync.Mutex
	rows    []run.LedgerRow
	roster  []rosterChange
	timer   *time.Timer
	failed  func(error)
	flushMu sync.Mutex
	state   *stateFile // as it was written last
}

type ledgerKey struct {
	ref     string
	attempt int
}

// openLedger gives the ledger in the team state at path. failed is told an
// error of a write in the background; flush reports its own.
func openLedger(path string, failed func(error)) *ledger {
	return &ledger{path: path, failed: failed}
}

// put adds a row, or replaces the one of the same assignment and attempt.
func (l *ledger) put(row run.LedgerRow, changes ...rosterChange) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, row)
	l.roster = append(l.roster, changes...)
	l.schedule()
}

// note changes the roster alone.
func (l *ledger) note(changes ...rosterChange) {
	if l == nil || len(changes) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roster = append(l.roster, changes...)
	l.schedule()
}

func (l *ledger) schedule() {
	if l.timer == nil {
		l.timer = time.AfterFunc(ledgerDelay, func() {
			if err := l.flush(); err != nil {
				l.failed(err)
			}
		})
	}
}

// flush writes what waits, now. What cannot be written waits on, for the next
// flush: the last one tells whether anything is missing.
func (l *ledger) flush() error {
	if l == nil {
		return nil
	}
	l.flushMu.Lock()
	defer l.flushMu.Unlock()
	l.mu.Lock()
	rows, roster := l.rows, l.roster
	l.rows, l.roster = nil, nil
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	l.mu.Unlock()
	if len(rows) == 0 && len(roster) == 0 {
		return nil
	}
	err := l.room.record(func() error {
		return atomicfile.Update(context.Background(), l.path, 0o644, func(old []byte) ([]byte, error) {
			return l.edit(old, rows, roster)
		})
	})
	if err != nil {
		l.mu.Lock()
		l.rows, l.roster = append(rows, l.rows...), append(roster, l.roster...)
		l.mu.Unlock()
	}
	return err
}

// edit is what the flush makes of the team state. While nobody else changes the
// document, what was written last is known piece by piece and nothing is parsed
// again: a long ledger costs one copy.
func (l *ledger) edit(old []byte, rows []run.LedgerRow, roster []rosterChange) ([]byte, error) {
	if old == nil {
		return nil, fmt.Errorf("%s: %w", l.path, os.ErrNotExist)
	}
	if l.state == nil || !bytes.Equal(l.state.text, old) {
		state, err := readStateFile(l.path, old)
		if err != nil {
			return nil, err
		}
		l.state = state
	}
	for _, row := range rows {
		if err := l.state.place(row); err != nil {
			return nil, err
		}
	}
	for _, change := range roster {
		if err := l.state.change(change); err != nil {
			return nil, err
		}
	}
	return l.state.format(), nil
}

// keepUnknown adds to a new row the keys of the old one that it lacks.
func keepUnknown(old, fresh json.RawMessage) (json.RawMessage, error) {
	was, err := jsondoc.Parse("ledger row", old)
	if err != nil {
		return fresh, nil
	}
	is, err := jsondoc.Parse("ledger row", fresh)
	if err != nil {
		return nil, err
	}
	for _, key := range was.Keys("") {
		pointer := jsondoc.Pointer(key)
		if _, has := is.Lookup(pointer); has {
			continue
		}
		value, _ := was.Lookup(pointer)
		if is, err = is.Set(pointer, json.RawMessage(value)); err != nil {
			return nil, err
		}
	}
	return is.Raw, nil
}

// apply makes the change in a row of the roster.
func (c rosterChange) apply(doc jsondoc.Doc) (jsondoc.Doc, error) {
	set := func(key string, value *string) error {
		if value == nil {
			return nil
		}
		var err error
		doc, err = doc.Set("/"+key, *value)
		return err
	}
	prompt := &c.PromptPath
	if c.PromptPath == "" {
		prompt = nil
	}
	for _, field := range []struct {
		key   string
		value *string
	}{{"promptPath", prompt}, {"status", c.Status}, {"resultPath", c.ResultPath}} {
		if err := set(field.key, field.value); err != nil {
			return doc, err
		}
	}
	if c.Reason == nil {
		return doc, nil
	}
	if *c.Reason == "" {
		return doc.Delete("/reason")
	}
	return doc, set("reason", c.Reason)
}
