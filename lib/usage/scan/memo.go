package scan

import (
	"hash/crc32"
	"strconv"
	"unicode/utf8"

	"okstra/lib/transcript"
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
	rows                  exact // stands before the rows
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

// seal is the checksum, in hex, of all that stands behind it in a line. A number
// that a bad disk or an editor has changed is still a number: nothing else tells.
func seal(behind []byte) (hex [sealSize]byte) {
	sum := crc32.Checksum(behind, castagnoli)
	for i := range hex {
		hex[i] = "0123456789abcdef"[sum>>28]
		sum <<= 4
	}
	return hex
}

// sealed reports whether a line is whole and as it was written.
func sealed(line []byte) bool {
	n := len(documentHead) + sealSize
	return len(line) > n && string(line[:len(documentHead)]) == documentHead && [sealSize]byte(line[len(documentHead):n]) == seal(line[n:])
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
	sum := seal(b[n:])
	copy(b[len(documentHead):n], sum[:])
	return b
}

// read reads a document up to its rows into an empty memo. Whatever is not exactly
// as write writes it is no document.
func (m *memo) read(line []byte) bool {
	if !sealed(line) {
		return false
	}
	m.raw = line
	e := exact{text: line, at: len(documentHead) + sealSize}
	e.lit(`","reader":`)
	m.reader = e.string()
	e.lit(`,"path":`)
	m.path = e.string()
	e.lit(`,"headDigest":`)
	m.head = e.string()
	e.lit(`,"tailDigest":`)
	m.tail = e.string()
	e.lit(`,"device":`)
	m.device = uint64(e.count())
	e.lit(`,"inode":`)
	m.inode = uint64(e.count())
	e.lit(`,"size":`)
	m.size = e.count()
	e.lit(`,"mtimeNs":`)
	m.mtime = e.number()
	e.lit(`,"ctimeNs":`)
	m.ctime = e.number()
	e.lit(`,"offset":`)
	m.offset = e.count()
	e.lit(`,"lines":`)
	m.lines = e.count()
	e.lit(`,"bytes":`)
	m.bytes = e.count()
	e.lit(`,"skippedLines":`)
	m.skipped = e.count()
	e.lit(`,"badNumbers":`)
	m.bad = e.count()
	e.lit(`,"meta":{"startedNs":`)
	m.started = e.number()
	e.lit(`,"sessionId":`)
	m.session = e.string()
	e.lit(`,"agentName":`)
	m.agent = e.string()
	e.lit(`,"teamName":`)
	m.team = e.string()
	e.lit(`,"cwd":`)
	m.cwd = e.string()
	e.lit(`,"parentId":`)
	m.parent = e.string()
	e.lit(`},"markers":[],"rows":[`)
	m.rows = e
	return !e.bad
}

// file is the transcript as far as the document knows it; nil when a row is not
// as it was written.
func (m *memo) file(f found, s *transcript.Scratch) *transcript.File {
	e := m.rows
	rows := s.Begin(m.bytes)
	for !e.has(`]`) {
		if len(rows) == 0 {
			rows = append(rows, transcript.Row{At: transcript.NoTime})
		} else {
			e.lit(`,`)
			before := &rows[len(rows)-1]
			rows = append(rows, transcript.Row{
				TS: before.TS, At: before.At, Session: before.Session, Agent: before.Agent, CWD: before.CWD, Model: before.Model,
				ID: before.ID, Request: before.Request, Extra: before.Extra,
			})
		}
		e.row(&rows[len(rows)-1])
		if e.bad {
			return nil
		}
	}
	e.lit(`}`)
	if e.bad || e.at != len(e.text) {
		return nil
	}
	file := s.File()
	*file = transcript.File{
		Provider: f.reader.Provider, Path: f.path, Session: m.session, Agent: m.agent, Team: m.team, CWD: m.cwd, Parent: m.parent, Started: m.started,
		Rows: s.End(rows), Bytes: m.bytes, Skipped: m.skipped, BadNumbers: m.bad, End: transcript.Position{Line: int(m.lines), Offset: m.offset},
	}
	return file
}
