package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"unicode/utf8"

	"okstra/lib/jsondoc"
)

// maxLarge bounds a snapshot document: a tree of some ten million entries.
const maxLarge = 4 << 30

// Read reads a snapshot document. One that is larger than other documents may
// be, because its tree is, is read row by row: of it only the rows are kept.
// The error is a *FormatError, or jsondoc's.
// Rule: docs/audit.md, "The snapshot document".
func Read(r io.Reader, name string) (*Snapshot, error) { return read(r, name, jsondoc.MaxSize) }

// read is Read with the size of the largest document that is read as a whole.
func read(r io.Reader, name string, small int) (*Snapshot, error) {
	var begin bytes.Buffer
	if _, err := begin.ReadFrom(io.LimitReader(r, int64(small)+1)); err != nil {
		return nil, &jsondoc.ReadError{Name: name, Err: err}
	}
	if begin.Len() > small {
		return readLarge(io.LimitReader(io.MultiReader(&begin, r), maxLarge), name)
	}
	doc, err := jsondoc.Parse(name, begin.Bytes())
	if err != nil {
		return nil, err
	}
	return Load(doc)
}

// ReadFile reads the snapshot in the regular file at path.
func ReadFile(path string) (*Snapshot, error) {
	f, err := jsondoc.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// readLarge reads a document without holding it.
func readLarge(r io.Reader, name string) (*Snapshot, error) {
	l := &largeReader{name: name, dec: json.NewDecoder(r), s: &Snapshot{}}
	rest := map[string]json.RawMessage{}
	err := l.object(func(key string) error {
		if key == "roots" {
			return l.array(l.root)
		}
		return l.value(rest, key)
	})
	if err == nil {
		if _, more := l.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the document")
		}
	}
	if fault := (*FormatError)(nil); errors.As(err, &fault) {
		return nil, fault
	}
	if err != nil {
		return nil, &FormatError{Name: name, Problem: fmt.Sprintf("not a snapshot, near byte %d: %v", l.dec.InputOffset(), err)}
	}
	return l.whole(rest)
}

type largeReader struct {
	name string
	dec  *json.Decoder
	s    *Snapshot
}

// whole adds everything but the trees, which the usual reader reads.
func (l *largeReader) whole(rest map[string]json.RawMessage) (*Snapshot, error) {
	rest["roots"] = json.RawMessage("[]")
	raw, err := json.Marshal(rest)
	if err != nil {
		return nil, &FormatError{Name: l.name, Problem: err.Error()}
	}
	doc, err := jsondoc.Parse(l.name, raw)
	if err != nil {
		return nil, err
	}
	s, err := load(doc)
	if err != nil {
		return nil, err
	}
	s.Roots = l.s.Roots
	if err := s.isWhole(l.name); err != nil {
		return nil, err
	}
	return s, nil
}

// root reads one tree.
func (l *largeReader) root() error {
	root := Root{}
	rest := map[string]json.RawMessage{}
	rows := false
	err := l.object(func(key string) error {
		if key != "rows" {
			return l.value(rest, key)
		}
		rows = true
		return l.array(func() error { return l.row(&root) })
	})
	if err != nil {
		return err
	}
	var path name
	var unreadable []name
	if err := json.Unmarshal(rest["root"], &path); err != nil || !filepath.IsAbs(string(path)) {
		return l.gap("root")
	}
	if err := json.Unmarshal(rest["unreadable"], &unreadable); err != nil || unreadable == nil {
		return l.gap("unreadable")
	}
	if !rows {
		return l.gap("rows")
	}
	root.Root, root.Unreadable = string(path), texts(unreadable)
	l.s.Roots = append(l.s.Roots, root)
	return nil
}

// gap is the error of a tree that lacks a key.
func (l *largeReader) gap(key string) error {
	return &FormatError{Name: l.name, Pointer: fmt.Sprintf("/roots/%d/%s", len(l.s.Roots), key), Problem: missing}
}

func (l *largeReader) row(root *Root) error {
	var raw json.RawMessage
	if err := l.dec.Decode(&raw); err != nil {
		return err
	}
	var values []json.RawMessage
	err := json.Unmarshal(raw, &values)
	if err == nil && !utf8.Valid(raw) {
		err = errors.New("not UTF-8")
	}
	row := Row{}
	if err == nil {
		err = row.read(values)
	}
	if n := len(root.Rows); err == nil && n > 0 && row.Path <= root.Rows[n-1].Path {
		err = fmt.Errorf("path %q does not come after %q", row.Path, root.Rows[n-1].Path)
	}
	if err != nil {
		return &FormatError{Name: l.name, Pointer: fmt.Sprintf("/roots/%d/rows/%d", len(l.s.Roots), len(root.Rows)), Problem: err.Error()}
	}
	root.Rows = append(root.Rows, row)
	return nil
}

// value keeps the value of a key as it is.
func (l *largeReader) value(into map[string]json.RawMessage, key string) error {
	var raw json.RawMessage
	err := l.dec.Decode(&raw)
	into[key] = raw
	return err
}

// object reads an object, calling each where the value of a key begins.
func (l *largeReader) object(each func(key string) error) error {
	if err := l.expect('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for l.dec.More() {
		token, err := l.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return fmt.Errorf("key %q stands there twice", key)
		}
		seen[key] = true
		if err := each(key); err != nil {
			return err
		}
	}
	return l.expect('}')
}

// array reads an array, calling each where an element begins.
func (l *largeReader) array(each func() error) error {
	if err := l.expect('['); err != nil {
		return err
	}
	for l.dec.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return l.expect(']')
}

func (l *largeReader) expect(delim rune) error {
	token, err := l.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if got, ok := token.(json.Delim); !ok || rune(got) != delim {
		return fmt.Errorf("%v (expected %c)", token, delim)
	}
	return nil
}
