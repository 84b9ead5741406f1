package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// rowsPerm is the mode of a file that Append creates, before the umask.
const rowsPerm = 0o644

// ErrRow is a row that would not be one line.
var ErrRow = errors.New("row is empty or has a line break inside")

// Append adds rows to the file at path, which it creates if need be, under
// the lock of path. A row may end in one newline or in none. When it returns
// nil all rows are on disk; otherwise none of them is in the file, unless the
// process or the machine died in between. If an earlier writer died within a
// row, that torn row is ended with a newline and kept; torn is the number of
// its line, 0 where there was none, so that the caller can tell of it.
// Rule: docs/files.md, "Appending rows".
func Append(ctx context.Context, path string, rows ...[]byte) (torn int, err error) {
	if len(rows) == 0 {
		return 0, nil
	}
	return AppendFunc(ctx, path, func() ([][]byte, error) { return rows, nil })
}

// AppendFunc is Append with rows that depend on what the file holds: they are
// made under its lock, so that no other writer comes between. An error of rows
// is given back as it is, and nothing is written.
func AppendFunc(ctx context.Context, path string, rows func() ([][]byte, error)) (torn int, err error) {
	lock, err := Lock(ctx, path, LockWait)
	if err != nil {
		return 0, err
	}
	defer lock.Unlock()
	list, err := rows()
	if err != nil {
		return 0, err
	}
	text, err := joinRows(list)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if len(text) == 0 {
		return 0, nil
	}
	f, created, err := openRows(path)
	if err != nil {
		return 0, err
	}
	torn, err = appendTo(f, text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && created {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return 0, at(path, err)
	}
	return torn, nil
}

func joinRows(rows [][]byte) ([]byte, error) {
	var text []byte
	for i, row := range rows {
		row = bytes.TrimSuffix(row, []byte{'\n'})
		if len(row) == 0 || bytes.IndexByte(row, '\n') >= 0 {
			return nil, fmt.Errorf("row %d of %d: %w", i+1, len(rows), ErrRow)
		}
		text = append(append(text, row...), '\n')
	}
	return text, nil
}

// openRows opens path for reading and appending, and tells whether it is new.
func openRows(path string) (f *os.File, created bool, err error) {
	_, err = os.Lstat(path)
	created = errors.Is(err, fs.ErrNotExist)
	f, err = openRegular(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	return f, created, err
}

// openRegular opens a regular file and refuses a symbolic link at path.
func openRegular(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, rowsPerm)
	if errors.Is(err, syscall.ELOOP) {
		err = ErrSymlink
	}
	if err != nil {
		return nil, at(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, at(path, err)
	}
	return f, nil
}

// appendTo writes text in one call. If only a part of it went in, as on a
// full disk, that part is taken back: the lock is ours, so nobody else's row
// can stand behind it. torn is the number of a line without its end that text
// stands behind.
func appendTo(f *os.File, text []byte) (torn int, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	cut, err := isTorn(f, size)
	if err == nil && cut {
		text = append([]byte{'\n'}, text...)
		torn, err = lastLine(f, size)
	}
	if err != nil {
		return 0, err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return 0, takeBack(f, size, err)
	}
	return torn, nil
}

// lastLine is the number of the line in which the size bytes of f end.
func lastLine(f *os.File, size int64) (int, error) {
	lines, buf := 1, make([]byte, 64<<10)
	for r := io.NewSectionReader(f, 0, size); ; {
		n, err := r.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// takeBack removes a half-written append and returns its cause.
func takeBack(f *os.File, size int64, cause error) error {
	if err := f.Truncate(size); err != nil {
		return fmt.Errorf("%w (and the part that was written stays: %w)", cause, err)
	}
	return cause
}

// isTorn reports whether the last of size bytes is no newline.
func isTorn(f *os.File, size int64) (bool, error) {
	if size == 0 {
		return false, nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}
