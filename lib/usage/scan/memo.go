package scan

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
	"unicode/utf8"

	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
)

// memo is what the cache knows about one transcript: one document of kind
// okstra-usage-cache. Its rows stay text until they are needed.
type memo struct {
	raw []byte // the line that holds it

	reader, path          string
	device, inode         uint64
	size, mtime, ctime    int64
	offset, lines, bytes  int64 // how far it was read
	skipped, bad, started int64
	head, tail            string // digests
	session, agent, team  string
	cwd, parent           string
	rows                  rawjson.Cursor
}

// numbers and texts name the members of a document, in the order in which it is
// written; rows come behind them.
func (m *memo) texts() []member[string] {
	return []member[string]{
		{"reader", &m.reader}, {"path", &m.path}, {"headDigest", &m.head}, {"tailDigest", &m.tail},
	}
}

func (m *memo) numbers() []member[int64] {
	return []member[int64]{
		{"size", &m.size},
		{"mtimeNs", &m.mtime},
		{"ctimeNs", &m.ctime},
		{"offset", &m.offset},
		{"lines", &m.lines},
		{"bytes", &m.bytes},
		{"skippedLines", &m.skipped},
		{"badNumbers", &m.bad},
	}
}

func (m *memo) meta() []member[string] {
	return []member[string]{
		{"sessionId", &m.session}, {"agentName", &m.agent}, {"teamName", &m.team}, {"cwd", &m.cwd}, {"parentId", &m.parent},
	}
}

type member[T any] struct {
	name string
	at   *T
}

const (
	documentHead = `{"schemaVersion":"1.0","kind":"okstra-usage-cache","checksum":"crc32c:`
	sealSize     = len("00000000") // in hex
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal is the checksum of all that stands behind it in a line. A number that a
// bad disk or an editor has changed is still a number: nothing else tells.
func seal(behind []byte) []byte {
	return fmt.Appendf(nil, "%08x", crc32.Checksum(behind, castagnoli))
}

// sealed reports whether a line is whole and as it was written.
func sealed(line []byte) bool {
	n := len(documentHead) + sealSize
	return len(line) > n && string(line[:len(documentHead)]) == documentHead && bytes.Equal(line[len(documentHead):n], seal(line[n:]))
}

// write makes the document's line. It is nil when a text is no UTF-8, which JSON
// cannot hold as it is.
func (m *memo) write(rows []transcript.Row) []byte {
	b := append(make([]byte, 0, 512+128*len(rows)), documentHead...)
	b = append(append(b, "00000000"...), '"') // the checksum comes last
	whole := true
	text := func(name, s string) {
		whole = whole && utf8.ValidString(s)
		b = append(append(append(b, '"'), name...), '"', ':')
		b = transcript.AppendString(b, s)
	}
	for _, t := range m.texts() {
		b = append(b, ',')
		text(t.name, *t.at)
	}
	b = strconv.AppendUint(append(b, `,"device":`...), m.device, 10)
	b = strconv.AppendUint(append(b, `,"inode":`...), m.inode, 10)
	for _, n := range m.numbers() {
		b = append(append(append(b, ',', '"'), n.name...), '"', ':')
		b = strconv.AppendInt(b, *n.at, 10)
	}
	b = strconv.AppendInt(append(b, `,"meta":{"startedNs":`...), m.started, 10)
	for _, t := range m.meta() {
		b = append(b, ',')
		text(t.name, *t.at)
	}
	b = append(b, `},"markers":[],"rows":[`...)
	var before transcript.Row
	for i := range rows {
		var ok bool
		if i > 0 {
			b = append(b, ',')
		}
		b, ok = appendRow(b, &rows[i], &before)
		whole = whole && ok
		before = rows[i]
	}
	if !whole {
		return nil
	}
	b = append(b, `]}`...)
	n := len(documentHead) + sealSize
	copy(b[len(documentHead):n], seal(b[n:]))
	return b
}

// readMemo reads a document up to its rows. Whatever is not exactly as write
// writes it is no document.
func readMemo(line []byte) (*memo, bool) {
	if !sealed(line) {
		return nil, false
	}
	m := &memo{raw: line}
	c := rawjson.New(line)
	c.Object()
	expect := func(name string) bool {
		key, ok := c.Key()
		return ok && string(key) == name
	}
	ok := true
	for _, name := range []string{"schemaVersion", "kind", "checksum"} {
		ok = ok && expect(name) && len(c.Skip()) > 0
	}
	for _, t := range m.texts() {
		ok = ok && expect(t.name) && readText(&c, t.at)
	}
	var device, inode int64
	ok = ok && expect("device") && readNumber(&c, &device) && expect("inode") && readNumber(&c, &inode)
	m.device, m.inode = uint64(device), uint64(inode)
	for _, n := range m.numbers() {
		ok = ok && expect(n.name) && readNumber(&c, n.at)
	}
	ok = ok && expect("meta") && c.Object() && expect("startedNs") && readNumber(&c, &m.started)
	for _, t := range m.meta() {
		ok = ok && expect(t.name) && readText(&c, t.at)
	}
	if !ok {
		return nil, false
	}
	if _, more := c.Key(); more || !expect("markers") || len(c.Skip()) == 0 || !expect("rows") || c.Bad() {
		return nil, false
	}
	m.rows = c
	return m, true
}

func readText(c *rawjson.Cursor, into *string) bool {
	text, ok := c.Text()
	*into = string(rawjson.Unquote(text))
	return ok
}

func readNumber(c *rawjson.Cursor, into *int64) bool {
	n, err := strconv.ParseInt(string(c.Skip()), 10, 64)
	*into = n
	return err == nil
}

// file is the transcript as far as the document knows it; nil when a row is not
// as it was written.
func (m *memo) file(f found, s *transcript.Scratch) *transcript.File {
	file := &transcript.File{
		Provider: f.reader.Provider, Path: f.path, Session: m.session, Agent: m.agent, Team: m.team, CWD: m.cwd, Parent: m.parent, Started: m.started,
		Bytes: m.bytes, Skipped: m.skipped, BadNumbers: m.bad, End: transcript.Position{Line: int(m.lines), Offset: m.offset},
	}
	c := m.rows
	if !c.Array() {
		return nil
	}
	none := &transcript.Row{}
	rows := s.Begin(m.bytes)
	for before := none; c.Element(); before = &rows[len(rows)-1] {
		row := transcript.Row{TS: before.TS, Session: before.Session, Agent: before.Agent, CWD: before.CWD, Model: before.Model, ID: before.ID, Request: before.Request, Extra: before.Extra}
		rows = append(rows, row)
		if !readRow(&c, &rows[len(rows)-1], &s.Texts) {
			return nil
		}
	}
	file.Rows = s.End(rows)
	if _, more := c.Key(); more || !c.AtEnd() || m.offset < 0 || m.lines < 0 || m.skipped < 0 || m.bad < 0 || m.bytes < 0 {
		return nil
	}
	return file
}
