package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/progress"
	"okstra/lib/run"
)

// book is everything that is written down about the jobs of one run: journal,
// ledger, errors and events. Jobs without a run manifest have a book with a
// journal alone, beside the first prompt.
type book struct {
	root     string
	manifest *run.Manifest // nil without a run
	journal  *journal
	ledger   *ledger // nil without a run
	own      *ownPaths
	room     *room // for the records of what runs; nil before something may
	now      func() time.Time
	warn     func(string)
	record   *record // the journal as it was found
}

// leaseWait is how long a second dispatcher waits for the first.
const leaseWait = atomicfile.LockWait

// leases are what keeps two dispatchers from running the same work: one for
// each run folder, by its path. The runs of a task type share a folder, and so
// its lease.
type leases map[string]*atomicfile.Held

func (l leases) take(ctx context.Context, path string) error {
	if l[path] != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	held, err := atomicfile.Lock(ctx, path, leaseWait)
	if err != nil {
		return whyBusy("another dispatcher works on this run folder", err)
	}
	l[path] = held
	return nil
}

// whyBusy says what the holder of a busy lock does. A lock that cannot be made
// is nobody's.
func whyBusy(what string, err error) error {
	if errors.Is(err, atomicfile.ErrBusy) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

func (l leases) release() {
	for _, held := range l {
		held.Unlock()
	}
}

// openBook takes the lease on the run folder and opens the journal.
func openBook(ctx context.Context, held leases, root string, manifest *run.Manifest, firstPrompt string, now func() time.Time, warn func(string)) (*book, error) {
	b := &book{root: root, manifest: manifest, now: now, warn: warn}
	path := filepath.Join(filepath.Dir(firstPrompt), "dispatch.jsonl")
	lease, runID := path, ""
	if manifest != nil {
		path = run.Abs(root, manifest.JournalPath)
		lease = filepath.Join(filepath.Dir(path), "dispatch")
		runID = manifest.RunID
	}
	err := held.take(ctx, lease)
	if err != nil {
		return nil, err
	}
	if manifest != nil { // what nobody could note is better not begun
		if _, _, err := run.LoadTeamState(run.Abs(root, manifest.TeamStatePath)); err != nil {
			return nil, err
		}
	}
	if b.record, err = readJournal(path, runID); err != nil {
		return nil, err
	}
	if b.journal, err = openJournal(path, b.record.mark); err != nil {
		return nil, err
	}
	if manifest != nil {
		b.ledger = openLedger(run.Abs(root, manifest.TeamStatePath), func(err error) { warn(err.Error()) })
	}
	return b, nil
}

// close writes what waits.
func (b *book) close() error {
	defer b.room.release()
	return errors.Join(b.ledger.flush(), b.journal.close())
}

// holdRoom holds room for the records of so many jobs at a time.
func (b *book) holdRoom(running, jobs int) error {
	teamState := ""
	if b.ledger != nil {
		teamState = b.ledger.path
	}
	b.room = &room{dir: filepath.Dir(b.journal.path), size: roomFor(running, jobs, teamState)}
	b.journal.room = b.room
	if b.ledger != nil {
		b.ledger.room = b.room
	}
	return b.room.hold()
}

// document replaces a sidecar of a job that runs, or did.
func (b *book) document(path string, v any) error {
	return b.own.write(path, func() error {
		return b.room.record(func() error { return writeDocument(path, v) })
	})
}

// writeError appends a row to the errors log of the run.
func (b *book) writeError(ctx context.Context, rows ...run.ErrorRow) error {
	if b.manifest == nil || len(rows) == 0 {
		return nil
	}
	lines := make([][]byte, len(rows))
	for i, row := range rows {
		row.RunID = b.manifest.RunID
		line, err := jsondoc.MarshalLine(row)
		if err != nil {
			return err
		}
		lines[i] = line
	}
	return b.room.record(func() error { return appendRows(ctx, b.warn, run.Abs(b.root, b.manifest.ErrorsLogPath), lines...) })
}

// announce appends a progress line to the events log of the run, on the
// lead's behalf.
func (b *book) announce(ctx context.Context, phase string, words ...string) error {
	if b.manifest == nil {
		return nil
	}
	line := progress.Line{Phase: phase, Text: strings.Join(words, " ")}
	return appendEvent(ctx, b.warn, b.root, *b.manifest, run.EventRow{At: run.Stamp(b.now()), Kind: "progress", Line: line.String()})
}

// appendEvent appends a row to the events log of a run.
func appendEvent(ctx context.Context, warn func(string), root string, m run.Manifest, row run.EventRow) error {
	row.RunID = m.RunID
	line, err := jsondoc.MarshalLine(row)
	if err != nil {
		return err
	}
	return appendRows(ctx, warn, run.Abs(root, m.EventsLogPath), line)
}

// appendRows appends lines to a log, whose folder it makes.
func appendRows(ctx context.Context, warn func(string), path string, lines ...[]byte) error {
	return appendFunc(ctx, warn, path, func() ([][]byte, error) { return lines, nil })
}

// appendFunc appends the lines that make gives under the lock of a log. A torn
// line that it finds there is told of and kept.
func appendFunc(ctx context.Context, warn func(string), path string, make func() ([][]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	torn, err := atomicfile.AppendFunc(ctx, path, make)
	if torn > 0 {
		warn(fmt.Sprintf("%s:%d: last line without a line break: its writer was cut off; it is kept, on a line of its own", path, torn))
	}
	return err
}

// writeDocument replaces a sidecar.
func writeDocument(path string, v any) error {
	text, err := jsondoc.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.WriteUnswept(path, text, 0o644)
}
