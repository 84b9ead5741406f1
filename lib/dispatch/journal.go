package dispatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// journal is the file of accepted jobs and results, in the order in which
// they came. One dispatcher writes it at a time, under the lease of the run
// folder, so it needs no lock per row.
type journal struct {
	path string
	file *os.File
	room *room // nil before jobs run
	own  *ownPaths

	mu      sync.Mutex // guards waiting and queued
	waiting []byte
	queued  int

	writing sync.Mutex // held by whoever writes for all that wait
	written int
	err     error
}

// openJournal opens the journal at path for appending and creates it if need
// be. A last line that a crash cut off is ended with a newline and stays; mark,
// a job line that stands before it, is written behind it. A job that is
// accepted a second time says nothing new, but tells a reader that the bad
// line above was cut off by a crash and not damaged later.
func openJournal(path string, mark []byte) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, err
	}
	if err := endTornLine(file, mark); err != nil {
		file.Close()
		return nil, err
	}
	return &journal{path: path, file: file}, nil
}

func endTornLine(file *os.File, mark []byte) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	return appendWhole(file, append([]byte{'\n'}, mark...))
}

// appendWhole appends text and returns when it is on disk. Of a write that
// failed, on a full disk say, nothing stays: a batch whose lines were written in
// part would be taken for one of fewer jobs. The lease is ours, so nobody else's
// line can stand behind it.
func appendWhole(file *os.File, text []byte) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err == nil {
		err = file.Sync()
	}
	if err == nil {
		return nil
	}
	if back := file.Truncate(size); back != nil {
		return fmt.Errorf("%w (and the part that was written stays: %w)", err, back)
	}
	return err
}

// add appends lines and returns when they are on disk. Several callers at once
// share one write and one fsync. After a failed write every later call fails:
// a journal with a hole must not go on.
func (j *journal) add(lines ...[]byte) error {
	j.mu.Lock()
	for _, line := range lines {
		j.waiting = append(j.waiting, line...)
	}
	j.queued++
	mine := j.queued
	j.mu.Unlock()

	j.writing.Lock()
	defer j.writing.Unlock()
	if j.err != nil || j.written >= mine {
		return j.err
	}
	j.mu.Lock()
	text, upTo := j.waiting, j.queued
	j.waiting = nil
	j.mu.Unlock()
	j.err = j.own.write(j.path, func() error {
		return j.room.record(func() error { return appendWhole(j.file, text) })
	})
	j.written = upTo
	return j.err
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// entry is what the journal says about one job.
type entry struct {
	job    run.Job
	result *run.Result // the last one, nil for a job without
}

// again takes a line that accepts the job once more: the same job. Under
// another prompt nobody would find its attempts, and it would be run again. The
// text of the prompt may have changed as long as no attempt was judged.
func (e *entry) again(job run.Job) error {
	old := e.job
	for _, field := range []struct{ name, was, is string }{
		{"projectRoot", old.ProjectRoot, job.ProjectRoot},
		{"workerId", old.WorkerID, job.WorkerID},
		{"assignmentRef", old.AssignmentRef, job.AssignmentRef},
		{"role", old.Role, job.Role},
		{"promptPath", old.PromptPath, job.PromptPath},
		{"resultPath", old.ResultPath, job.ResultPath},
		{"worktreePath", old.WorktreePath, job.WorktreePath},
	} {
		if field.was != field.is {
			return fmt.Errorf("job %q was accepted with another %s: %q (expected %q)", job.JobID, field.name, field.is, field.was)
		}
	}
	if e.result == nil {
		e.job = job
		return nil
	}
	if old.PromptDigest != job.PromptDigest {
		return fmt.Errorf("job %q was accepted with another promptDigest: %q (expected %q)", job.JobID, job.PromptDigest, old.PromptDigest)
	}
	return nil
}

// JournalError is a journal that cannot be trusted: nothing is run on its
// account.
type JournalError struct{ Problems []error }

func (e *JournalError) Error() string { return errors.Join(e.Problems...).Error() }

// record is a journal as it was read.
type record struct {
	order   []string // job ids as they were first accepted
	entries map[string]*entry
	torn    []string // what crashes cut off
	mark    []byte   // a job line, for openJournal
}

// readJournal reads the journal at path; a missing one is empty. A line that a
// crash cut off is reported in torn: the last one, one before which nothing
// stands, or one that is followed by a job accepted again. Any other bad line,
// and a row of another run than runID, is a *JournalError.
func readJournal(path, runID string) (*record, error) {
	r := &journalReader{path: path, runID: runID, record: &record{entries: map[string]*entry{}}}
	file, err := jsondoc.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r.record, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for row, err := range jsonl.Rows(file, path) {
		r.row(row, err)
	}
	if r.cut != nil {
		r.record.torn = append(r.record.torn, r.cut.Error())
	}
	if len(r.problems) > 0 {
		return nil, &JournalError{Problems: r.problems}
	}
	return r.record, nil
}

type journalReader struct {
	path, runID string
	record      *record
	problems    []error
	cut         error // the line before, if it may have been cut off by a crash
}

func (r *journalReader) row(row jsonl.Row, err error) {
	cut := r.cut
	r.cut = nil
	if err != nil {
		if cut != nil {
			r.problems = append(r.problems, cut)
		}
		if cutOff(row.Raw) {
			r.cut = err
		} else {
			r.problems = append(r.problems, err)
		}
		return
	}
	first := len(r.record.entries) == 0
	again, err := r.document(row)
	if err != nil {
		r.problems = append(r.problems, err)
	}
	if cut == nil {
		return
	}
	if first || again {
		r.record.torn = append(r.record.torn, cut.Error())
	} else {
		r.problems = append(r.problems, cut)
	}
}

// cutOff tells whether text is what a crash leaves of a line: the beginning of
// a JSON value, or NULs in the place of bytes that the file system did not come
// to write, behind as much of the line as it did.
func cutOff(text []byte) bool {
	written := bytes.TrimRight(text, "\x00")
	if len(written) < len(text) && (len(written) == 0 || json.Valid(written)) {
		return true
	}
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(written)).Decode(&v), io.ErrUnexpectedEOF)
}

// document takes a row; again tells that it accepts a job that was accepted
// before.
func (r *journalReader) document(row jsonl.Row) (again bool, _ error) {
	where := fmt.Sprintf("%s:%d", r.path, row.Number)
	var head struct {
		Kind  string `json:"kind"`
		JobID string `json:"jobId"`
	}
	if jsondoc.Unmarshal(row.Raw, &head) != nil || head.JobID == "" {
		return false, fmt.Errorf("%s: neither a job nor a result", where)
	}
	known := r.record.entries[head.JobID]
	switch head.Kind {
	case "okstra-job":
		var job run.Job
		if err := schema.DecodeLine(r.path, row.Number, row.Raw, "okstra-job", &job); err != nil {
			return false, err
		}
		if r.runID != "" && !strings.HasPrefix(job.JobID, r.runID+"/") {
			return false, fmt.Errorf("%s: job %q is of another run (expected %q)", where, job.JobID, r.runID)
		}
		if known != nil {
			if err := known.again(job); err != nil {
				return false, fmt.Errorf("%s: %w", where, err)
			}
			return true, nil
		}
		if r.record.mark == nil {
			r.record.mark = append(bytes.Clone(row.Raw), '\n')
		}
		r.record.order = append(r.record.order, job.JobID)
		r.record.entries[job.JobID] = &entry{job: job}
	case "okstra-result":
		var result run.Result
		if err := schema.DecodeLine(r.path, row.Number, row.Raw, "okstra-result", &result); err != nil {
			return false, err
		}
		if known == nil {
			return false, fmt.Errorf("%s: result of job %q, which was never accepted", where, result.JobID)
		}
		known.result = &result
	default:
		return false, fmt.Errorf("%s: kind %q (expected okstra-job or okstra-result)", where, head.Kind)
	}
	return false, nil
}
