package stream

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"okstra/lib/dispatch/proc"
)

// Follower reads the output files of a running process as they grow and tells
// the process control what progress it saw. It is the proc.Watcher of a job.
type Follower struct {
	files  proc.FileWatcher
	stdout *tail
	stderr *tail
	reader *Reader
	log    *bufio.Writer
	onLook func(Summary)
}

// mostRetries is how many retries in a row count as progress: a provider that
// only ever tries again makes none.
const mostRetries = 20

// Follow gives a follower of the two files. trees are folders whose growth is
// progress too, from now on; log gets the readable account of both files; onLook, if any,
// is told the summary after each look at which something was new.
func Follow(rules Rules, stdout, stderr string, trees []string, now func() time.Time, log io.Writer, onLook func(Summary)) *Follower {
	f := &Follower{
		files:  proc.FileWatcher{Paths: []string{stdout, stderr}, Trees: trees, Since: now(), Now: now},
		stdout: &tail{path: stdout}, stderr: &tail{path: stderr},
		onLook: onLook,
	}
	if log != nil {
		f.log = bufio.NewWriterSize(log, 32<<10)
		f.reader = NewReader(rules, f.log)
	} else {
		f.reader = NewReader(rules, nil)
	}
	return f
}

// mostReading is how long one look reads. A program that writes faster than we
// read would otherwise keep us from ever looking at its limits; the rest is
// read at the next look, or at the end.
const mostReading = 200 * time.Millisecond

// Look reads what is new and judges whether it is progress.
func (f *Follower) Look(now time.Time) proc.Sight {
	until := f.files.Now().Add(mostReading)
	return f.look(now, func() bool { return f.files.Now().Before(until) })
}

// look reads for as long as more says so, at least a bit of each stream.
func (f *Follower) look(now time.Time, more func() bool) proc.Sight {
	sight := f.files.Look(now)
	before := f.reader.Summary()
	read := f.stdout.copyTo(f.reader, more)
	errText := f.stderr.copyTo(plainLog{f.log}, more)
	if f.log != nil {
		_ = f.log.Flush()
	}
	after := f.reader.Summary()
	onlyRetries := after.InARow > mostRetries && after.Events-before.Events == after.Retries-before.Retries
	if sight.Progress && onlyRetries && errText == 0 {
		sight.Progress = false
	}
	if f.onLook != nil && read+errText > 0 {
		f.onLook(after)
	}
	return sight
}

// Close reads the rest and gives the final summary.
func (f *Follower) Close() Summary {
	f.look(time.Time{}, func() bool { return true })
	f.reader.Close()
	if f.log != nil {
		_ = f.log.Flush()
	}
	f.stdout.close()
	f.stderr.close()
	return f.reader.Summary()
}

// plainLog writes text to the log with terminal escapes removed.
type plainLog struct{ log *bufio.Writer }

func (l plainLog) Write(p []byte) (int, error) {
	if l.log != nil {
		writeText(l.log, p)
	}
	return len(p), nil
}

// tail reads a file that grows. The file need not exist yet.
type tail struct {
	path string
	file *os.File
	buf  []byte
}

// copyTo passes on what is new, as long as more says so, and tells how many
// bytes that were.
func (t *tail) copyTo(w io.Writer, more func() bool) (total int64) {
	if t.file == nil {
		file, err := proc.OpenOutput(t.path)
		if err != nil {
			return 0
		}
		t.file, t.buf = file, make([]byte, 64<<10)
	}
	for {
		n, err := t.file.Read(t.buf)
		total += int64(n)
		_, _ = w.Write(t.buf[:n])
		if n == 0 || err != nil || !more() {
			return total
		}
	}
}

func (t *tail) close() {
	if t.file != nil {
		t.file.Close()
	}
}

// ReadFile reads the whole output of a process that is over. A missing file is
// an empty one.
func ReadFile(rules Rules, path string) (Summary, error) {
	reader := NewReader(rules, nil)
	file, err := proc.OpenOutput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return reader.Summary(), nil
	}
	if err != nil {
		return Summary{}, err
	}
	defer file.Close()
	if _, err := io.Copy(reader, file); err != nil {
		return Summary{}, err
	}
	reader.Close()
	return reader.Summary(), nil
}
