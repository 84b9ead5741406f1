package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// A snapshot of a tree of some 400,000 entries is larger than any other document
// may be, and lawful. It is read value by value: its rows are held against the
// schema a thousand at a time and forgotten, and what is left is a document
// without rows, which the rules look at. Its values have no line, for the lines
// of the file are not those of that document.
// Rule: docs/audit.md, "The snapshot document".

const (
	snapshotKind = "mutation-snapshot"
	mostSnapshot = 4 << 30 // what lib/audit reads of one
	rowsAtOnce   = 1000
)

// readSnapshot fills the artifact from a snapshot of any size.
func (a *artifact) readSnapshot(r io.Reader) {
	fuse := &fuse{r: io.LimitReader(r, mostSnapshot+1)}
	s := &snapshotReader{artifact: a, fuse: fuse, dec: json.NewDecoder(fuse)}
	slim, err := s.document()
	var syntax *jsondoc.SyntaxError
	switch {
	case errors.As(err, &syntax):
		f := syntaxFault(syntax)
		f.line, f.col = 0, 0 // they are those of a part
		a.fault = f
		return
	case errors.Is(err, errLongValue), fuse.err != nil && !errors.Is(fuse.err, io.EOF):
		a.fault = &readFault{code: "doc-unreadable", message: err.Error()}
		return
	case err != nil:
		a.fault = &readFault{code: "doc-syntax", message: fmt.Sprintf("not JSON, near byte %d: %v", s.dec.InputOffset(), err)}
		return
	}
	doc, err := jsondoc.Parse(a.path, slim)
	if err != nil {
		a.cannot(err)
		return
	}
	a.accept(doc)
	a.doc.placeless = true
	for i := range a.schema {
		a.schema[i].Line, a.schema[i].Column = 0, 0
	}
	a.schema = append(a.schema, s.found...)
}

// fuse stops a reader that asks for more than a document's worth of bytes since
// it was set last, so that one endless value does not fill the memory.
type fuse struct {
	r    io.Reader
	left int
	err  error
}

var errLongValue = fmt.Errorf("a value of more than %d bytes", jsondoc.MaxSize)

func (f *fuse) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, errLongValue
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	f.err = err
	return n, err
}

type snapshotReader struct {
	artifact *artifact
	fuse     *fuse
	dec      *json.Decoder
	roots    int
	found    []finding.Finding // what is wrong with rows; no more of one root than its first chunk of faults
}

// document reads to the end and gives the text of the document without rows.
func (s *snapshotReader) document() ([]byte, error) {
	slim, err := s.object(func(key string) ([]byte, error) {
		if key == "roots" {
			return s.array(s.root)
		}
		return s.value()
	})
	if err != nil {
		return nil, err
	}
	if _, err := s.token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more data after the value (expected end of document)")
	}
	return slim, nil
}

// root reads one tree and gives it without its rows.
func (s *snapshotReader) root() ([]byte, error) {
	defer func() { s.roots++ }()
	return s.object(func(key string) ([]byte, error) {
		if key == "rows" {
			return s.rows()
		}
		return s.value()
	})
}

// rows checks the rows of a tree in chunks and gives an empty list.
func (s *snapshotReader) rows() ([]byte, error) {
	var chunk []json.RawMessage
	done := 0
	flush := func() error {
		err := s.check(chunk, done)
		done += len(chunk)
		chunk = chunk[:0]
		return err
	}
	_, err := s.array(func() ([]byte, error) {
		row, err := s.value()
		if err != nil {
			return nil, err
		}
		chunk = append(chunk, row)
		if len(chunk) < rowsAtOnce {
			return nil, nil
		}
		return nil, flush()
	})
	if err == nil {
		err = flush()
	}
	return []byte("[]"), err
}

// check holds rows against the schema, in a document that is made for them.
func (s *snapshotReader) check(rows []json.RawMessage, from int) error {
	if len(rows) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(`{"schemaVersion":"1.0","kind":"okstra-mutation-snapshot","root":"/","artifactRoot":"/","policyDigests":[],` +
		`"columns":["path","type","mode","uid","gid","size","mtimeNs","ctimeNs","ino","digest"],"git":null,"roots":[{"root":"/","unreadable":[],"rows":[`)
	b.Write(bytes.Join(asBytes(rows), []byte(",")))
	b.WriteString(`]}]}`)
	doc, err := jsondoc.Parse(s.artifact.path, b.Bytes())
	if err != nil {
		return err
	}
	for _, f := range schema.Validate(doc, snapshotKind) {
		f.Pointer, f.Line, f.Column = s.moved(f.Pointer, from), 0, 0
		s.found = append(s.found, f)
	}
	return nil
}

// moved is a pointer into a chunk as one into the document.
func (s *snapshotReader) moved(pointer string, from int) string {
	var row int
	var rest string
	if n, _ := fmt.Sscanf(pointer, "/roots/0/rows/%d%s", &row, &rest); n == 0 {
		return pointer
	}
	return fmt.Sprintf("/roots/%d/rows/%d%s", s.roots, from+row, rest)
}

func asBytes(rows []json.RawMessage) [][]byte {
	out := make([][]byte, len(rows))
	for i, r := range rows {
		out[i] = r
	}
	return out
}

// token reads one token; value one whole value, as it is written.
func (s *snapshotReader) token() (json.Token, error) {
	s.fuse.left = jsondoc.MaxSize
	return s.dec.Token()
}

func (s *snapshotReader) value() ([]byte, error) {
	s.fuse.left = jsondoc.MaxSize
	var raw json.RawMessage
	err := s.dec.Decode(&raw)
	return raw, err
}

// object reads an object and writes it again with the values that each gives.
// A key that stands twice stays so: whoever parses the result finds it.
func (s *snapshotReader) object(each func(key string) ([]byte, error)) ([]byte, error) {
	return s.nest('{', '}', func() ([]byte, error) {
		token, err := s.token()
		if err != nil {
			return nil, err
		}
		key, err := json.Marshal(token)
		if err != nil {
			return nil, err
		}
		value, err := each(fmt.Sprint(token))
		return append(append(key, ':'), value...), err
	})
}

// array reads an array; elements that each gives as nil are left out.
func (s *snapshotReader) array(each func() ([]byte, error)) ([]byte, error) {
	return s.nest('[', ']', each)
}

func (s *snapshotReader) nest(begin, end json.Delim, each func() ([]byte, error)) ([]byte, error) {
	if err := s.expect(begin); err != nil {
		return nil, err
	}
	out := []byte{byte(begin)}
	for s.more() {
		part, err := each()
		if err != nil {
			return nil, err
		}
		if part != nil && len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, part...)
		if len(out) > jsondoc.MaxSize {
			return nil, errLongValue
		}
	}
	return append(out, byte(end)), s.expect(end)
}

func (s *snapshotReader) more() bool {
	s.fuse.left = jsondoc.MaxSize
	return s.dec.More()
}

func (s *snapshotReader) expect(due json.Delim) error {
	token, err := s.token()
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case token != due:
		return fmt.Errorf("%v (expected %v)", token, due)
	}
	return nil
}
