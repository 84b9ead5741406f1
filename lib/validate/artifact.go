package validate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/schema"
)

// form is how an artifact is read.
type form int

const (
	document form = iota // one JSON document
	lines                // JSON lines
	markdown             // text
	opaque               // bytes that nobody parses: only that it is there counts
)

// artifact is one file of a run, read once.
type artifact struct {
	path string // from the project root, or absolute outside
	kind string // of the document, or of a line; "" for Markdown
	form form

	foreign bool // it belongs to another run
	missing bool
	refused bool // its path leaves the project: it was not opened
	fault   *readFault
	doc     *source   // nil unless it is a document that could be read
	rows    []*source // of a stream of lines
	torn    int       // the number of a last line without an end, else 0
	bad     []*readFault
	schema  []finding.Finding
	text    []byte // as it lies there; nil for lines
	runID   string // rows of other runs are left out; "" keeps all
	wanted  []want
	used    bool // the rule that is applied has looked at it
}

// readFault is why a file or a line could not be read.
type readFault struct {
	code      string
	line, col int
	pointer   string
	message   string
}

// want is a place that names an artifact.
type want struct {
	by       node
	required bool
}

// note remembers that a rule has looked at the artifact.
func (a *artifact) note() {
	if a != nil {
		a.used = true
	}
}

// usable says whether there is something to judge.
func (a *artifact) usable() bool {
	a.note()
	return a != nil && !a.missing && !a.refused && a.fault == nil
}

// absent says whether a file that was looked for is not there; nobody looked
// for that of an entry too broken to name one.
func (a *artifact) absent() bool { return a != nil && a.missing }

// root is the document's value; the zero node when it could not be read.
func (a *artifact) root() node {
	a.note()
	if a == nil || a.doc == nil {
		return node{}
	}
	return a.doc.node()
}

// sound says whether the document was read and fits its schema, so that it may
// be decoded into Go values and recomputed.
func (a *artifact) sound() bool {
	a.note()
	if a == nil || a.doc == nil {
		return false
	}
	for _, f := range a.schema {
		if f.Level == finding.Error {
			return false
		}
	}
	return true
}

// read fills the artifact from the file at abs.
func (a *artifact) read(abs string) {
	f, err := jsondoc.Open(abs)
	if err != nil {
		a.cannot(err)
		return
	}
	defer f.Close()
	switch a.form {
	case document:
		if info, err := f.Stat(); err == nil && a.kind == snapshotKind && info.Size() > jsondoc.MaxSize {
			a.readSnapshot(f)
			return
		}
		a.readDocument(f)
	case lines:
		a.readLines(f)
	case markdown:
		a.readText(f)
	case opaque:
	}
}

// cannot notes why the file could not be read.
func (a *artifact) cannot(err error) {
	if errors.Is(err, fs.ErrNotExist) {
		a.missing = true
		return
	}
	var syntax *jsondoc.SyntaxError
	if errors.As(err, &syntax) {
		a.fault = syntaxFault(syntax)
		return
	}
	var unread *jsondoc.ReadError
	if errors.As(err, &unread) {
		err = unread.Err
	}
	a.fault = &readFault{code: "doc-unreadable", message: err.Error()}
}

func syntaxFault(e *jsondoc.SyntaxError) *readFault {
	return &readFault{code: "doc-syntax", line: e.Line, col: e.Col, pointer: e.Pointer, message: "not JSON: " + e.Msg}
}

func (a *artifact) readDocument(r io.Reader) {
	doc, err := jsondoc.Read(r, a.path)
	if err != nil {
		a.cannot(err)
		return
	}
	a.accept(doc)
}

// parse fills the artifact from bytes.
func (a *artifact) parse(raw []byte) {
	doc, err := jsondoc.Parse(a.path, raw)
	if err != nil {
		a.cannot(err)
		return
	}
	a.accept(doc)
}

// accept takes a document that was read strictly.
func (a *artifact) accept(doc jsondoc.Doc) {
	doc.Name = a.path
	a.doc = newSource(a, doc, 0)
	a.text = doc.Raw
	a.schema = schema.Validate(doc, a.kind)
}

func (a *artifact) readLines(r io.Reader) {
	for row, err := range jsonl.Rows(r, a.path) {
		var syntax *jsondoc.SyntaxError
		switch {
		case errors.As(err, &syntax):
			a.bad = append(a.bad, syntaxFault(syntax))
		case err != nil && row.Number > 0:
			a.bad = append(a.bad, &readFault{code: "doc-unreadable", line: row.Number, message: err.Error()})
		case err != nil:
			a.cannot(err)
		}
		if row.Torn {
			a.torn = row.Number
		}
		if err != nil {
			continue
		}
		a.addRow(newSource(a, jsondoc.Doc{Name: a.path, Raw: row.Raw}, row.Number))
	}
}

// addRow keeps a row of this run, and holds it against its schema.
func (a *artifact) addRow(row *source) {
	id := row.node().get("runId")
	if a.runID != "" && id.isText() && id.text() != a.runID {
		return
	}
	a.rows = append(a.rows, row)
	kind := a.kind
	if kind == "" { // the journal has lines of two kinds
		kind = "job"
		if row.node().get("kind").text() == "okstra-result" {
			kind = "result"
		}
	}
	a.schema = append(a.schema, schema.ValidateLine(a.path, row.row, row.doc.Raw, kind)...)
}

func (a *artifact) readText(r io.Reader) {
	raw, err := io.ReadAll(io.LimitReader(r, jsondoc.MaxSize+1))
	switch {
	case err != nil:
		a.fault = &readFault{code: "doc-unreadable", message: err.Error()}
	case len(raw) > jsondoc.MaxSize:
		a.fault = &readFault{code: "doc-unreadable", message: fmt.Sprintf("more than %d bytes", jsondoc.MaxSize)}
	default:
		a.text = raw
	}
}

// line is the text of a line, from 1, without its end; "" where there is none.
func (a *artifact) line(n int) string {
	rest := a.text
	for i := 1; len(rest) > 0; i++ {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if i == n {
			return strings.TrimSuffix(string(line), "\r")
		}
		rest = after
	}
	return ""
}

// digestOf is the digest of a file's bytes as they lie there.
func digestOf(abs string) (string, error) {
	f, err := jsondoc.Open(abs)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return digest.Reader(f)
}

// paths knows where the files of a run lie.
type paths struct {
	root     string          // the project root here
	recorded string          // the project root as the manifest has it
	clean    map[string]bool // folders below root that are known to hold no symbolic link
	seen     map[string]seenPath
}

// seenPath is what rel has said about a path: documents repeat the same ones.
type seenPath struct {
	rel string
	err error
}

// errOutside is a path that leaves the project; errLink one that passes through
// a symbolic link.
var (
	errOutside = errors.New("leaves the project")
	errLink    = errors.New("passes through a symbolic link")
)

// rel is a path of a document, relative to the project root. A run may have
// been moved or checked out elsewhere: what lies below the recorded root is
// taken to lie below the root here.
func (p *paths) rel(name string) (string, error) {
	if s, ok := p.seen[name]; ok {
		return s.rel, s.err
	}
	rel, err := p.find(name)
	if p.seen != nil {
		p.seen[name] = seenPath{rel, err}
	}
	return rel, err
}

func (p *paths) find(name string) (string, error) {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) {
		inside, ok := below(p.root, name)
		if !ok && p.recorded != "" {
			inside, ok = below(p.recorded, name)
		}
		if !ok {
			return name, errOutside
		}
		name = inside
	}
	clean := path.Clean(name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return name, errOutside
	}
	return clean, p.links(clean)
}

func below(root, name string) (string, bool) {
	root = strings.TrimSuffix(filepath.ToSlash(root), "/")
	clean := path.Clean(name)
	if clean == root {
		return ".", true
	}
	return strings.CutPrefix(clean, root+"/")
}

// links looks for a symbolic link among the folders of a relative path.
func (p *paths) links(rel string) error {
	dir := path.Dir(rel)
	if dir == "." || p.clean[dir] {
		return nil
	}
	if err := p.links(dir); err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(dir)))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errLink
	}
	p.clean[dir] = true
	return nil
}

func (p *paths) abs(rel string) string {
	if path.IsAbs(rel) {
		return rel
	}
	return filepath.Join(p.root, filepath.FromSlash(rel))
}
