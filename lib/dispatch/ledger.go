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

	mu      sync.Mutex
	rows    []run.LedgerRow
	roster  []rosterChange
	timer   *time.Timer
	failed  func(error)
	flushMu sync.Mutex
	places  map[ledgerKey]int // where a row stood at the last write
}

type ledgerKey struct {
	ref     string
	attempt int
}

// openLedger gives the ledger in the team state at path. failed is told an
// error of a write in the background; flush reports its own.
func openLedger(path string, failed func(error)) *ledger {
	return &ledger{path: path, failed: failed, places: map[ledgerKey]int{}}
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

// flush writes what waits, now.
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
	return atomicfile.Update(context.Background(), l.path, 0o644, func(old []byte) ([]byte, error) {
		return l.edit(old, rows, roster)
	})
}

func (l *ledger) edit(old []byte, rows []run.LedgerRow, roster []rosterChange) ([]byte, error) {
	if old == nil {
		return nil, fmt.Errorf("%s: %w", l.path, os.ErrNotExist)
	}
	doc, err := jsondoc.Parse(l.path, old)
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		all := ledgerItems(doc)
		for _, row := range rows {
			if all, err = l.place(all, row); err != nil {
				return nil, err
			}
		}
		if doc, err = doc.Set("/workerDispatches", all); err != nil {
			return nil, err
		}
	}
	if doc, err = editRoster(doc, roster); err != nil {
		return nil, err
	}
	return jsondoc.Marshal(json.RawMessage(doc.Raw))
}

// ledgerItems gives the rows as they stand there. What is no list is empty: it
// will be one from now on.
func ledgerItems(doc jsondoc.Doc) []json.RawMessage {
	raw, ok := doc.Lookup("/workerDispatches")
	var all []json.RawMessage
	if !ok || json.Unmarshal(raw, &all) != nil {
		return []json.RawMessage{}
	}
	return all
}

// place puts a row where its key stands, else at the end. The place of the
// last write is tried first, so that a long ledger is not searched for every
// row. Keys of the row that this version does not know stay in it.
func (l *ledger) place(all []json.RawMessage, row run.LedgerRow) ([]json.RawMessage, error) {
	key := ledgerKey{row.AssignmentRef, row.Attempt}
	raw, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	at, known := l.places[key]
	if !known || at >= len(all) || keyOf(all[at]) != key {
		at = findRow(all, key)
	}
	if at < 0 {
		l.places[key] = len(all)
		return append(all, raw), nil
	}
	if raw, err = keepUnknown(all[at], raw); err != nil {
		return nil, err
	}
	l.places[key], all[at] = at, raw
	return all, nil
}

func findRow(all []json.RawMessage, key ledgerKey) int {
	needle, err := json.Marshal(key.ref)
	if err != nil {
		return -1
	}
	for i := len(all) - 1; i >= 0; i-- {
		if bytes.Contains(all[i], needle) && keyOf(all[i]) == key {
			return i
		}
	}
	return -1
}

func keyOf(raw json.RawMessage) ledgerKey {
	var row struct {
		AssignmentRef string `json:"assignmentRef"`
		Attempt       int    `json:"attempt"`
	}
	_ = json.Unmarshal(raw, &row) // what is no row has no key
	return ledgerKey{row.AssignmentRef, row.Attempt}
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

// editRoster applies the changes to the workers, matched by their ids.
func editRoster(doc jsondoc.Doc, changes []rosterChange) (jsondoc.Doc, error) {
	if len(changes) == 0 {
		return doc, nil
	}
	var state struct {
		Workers []struct {
			WorkerID   string `json:"workerId"`
			PromptPath string `json:"promptPath"`
		} `json:"workers"`
	}
	if err := doc.Decode(&state); err != nil {
		return doc, err
	}
	var err error
	for _, change := range changes {
		for i, worker := range state.Workers {
			if worker.WorkerID != change.WorkerID {
				continue
			}
			if worker.PromptPath != "" {
				change.PromptPath = ""
			} else {
				state.Workers[i].PromptPath = change.PromptPath
			}
			if doc, err = change.apply(doc, fmt.Sprintf("/workers/%d", i)); err != nil {
				return doc, err
			}
		}
	}
	return doc, nil
}

func (c rosterChange) apply(doc jsondoc.Doc, row string) (jsondoc.Doc, error) {
	set := func(key string, value *string) error {
		if value == nil {
			return nil
		}
		var err error
		doc, err = doc.Set(row+"/"+key, *value)
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
		return doc.Delete(row + "/reason")
	}
	return doc, set("reason", c.Reason)
}
