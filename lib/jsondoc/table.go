package jsondoc

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A table answers questions about positions in one document. It is built in
// one pass when the first question comes, and each answer then costs no more
// than the length of its pointer, so that a validator may ask for every value
// of a large document.
//
// Values are numbered in the order in which they begin. The children of a
// container lie next to each other in kids; because a container is entered
// there only when it ends, inner containers come first:
//
//	{"a": [1, 2], "b": 3}      nodes  0:{…}  1:[…]  2:1  3:2  4:3
//	                           kids   2 3 | 1 4
//	                                  └ of 1  └ of 0
type table struct {
	raw []byte

	once    sync.Once
	nodes   []node
	kids    []int32
	members map[member]int32

	linesOnce sync.Once
	lines     []int32 // offset of the first byte of each line
	runes     []int32 // code points in front of each block
}

// node is one value: its text is raw[start:end], the key in front of it
// raw[key:keyEnd], quotes included (both 0 where there is no key).
type node struct {
	start, end  int32
	key, keyEnd int32
	kids, n     int32
}

// member is a value named by its object and its key.
type member struct {
	object int32
	key    string
}

// block is how many bytes may have to be counted again for one column.
const block = 512

func (d Doc) positions() *table {
	if d.table != nil {
		return d.table
	}
	return &table{raw: d.Raw}
}

// Position gives line and column of the first byte of the value at a JSON
// pointer, both from 1, columns in code points; 0, 0 if there is no such value.
func (d Doc) Position(pointer string) (line, col int) {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok {
		return 0, 0
	}
	return t.lineCol(int(t.nodes[n].start))
}

// Lookup gives the text of the value at a JSON pointer, without white space
// around it. It is a part of Raw and must not be modified.
func (d Doc) Lookup(pointer string) (raw []byte, ok bool) {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok {
		return nil, false
	}
	v := t.nodes[n]
	return d.Raw[v.start:v.end:v.end], true
}

// Keys gives the keys of the object at a JSON pointer in the order of the
// file; nil if there is no object there.
func (d Doc) Keys(pointer string) []string {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok || d.Raw[t.nodes[n].start] != '{' {
		return nil
	}
	v := t.nodes[n]
	keys := make([]string, 0, v.n)
	for _, kid := range t.kids[v.kids : v.kids+v.n] {
		keys = append(keys, t.keyOf(kid))
	}
	return keys
}

// Len gives the number of elements or members of the array or object at a
// JSON pointer, 0 if there is neither.
func (d Doc) Len(pointer string) int {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok {
		return 0
	}
	return int(t.nodes[n].n)
}

// find walks from the root along pointer.
func (t *table) find(pointer string) (int32, bool) {
	t.once.Do(t.build)
	if len(t.nodes) == 0 || pointer != "" && pointer[0] != '/' {
		return 0, false
	}
	at := int32(0)
	for rest := pointer; rest != ""; {
		var token string
		token, rest = cutToken(rest)
		next, ok := t.child(at, token)
		if !ok {
			return 0, false
		}
		at = next
	}
	return at, true
}

// child gives the value that token names in container at.
func (t *table) child(at int32, token string) (int32, bool) {
	v := t.nodes[at]
	switch t.raw[v.start] {
	case '{':
		kid, ok := t.members[member{at, token}]
		return kid, ok
	case '[':
		i, ok := arrayIndex(token)
		if !ok || i >= int(v.n) {
			return 0, false
		}
		return t.kids[int(v.kids)+i], true
	}
	return 0, false
}

// keyOf gives the decoded key in front of a value.
func (t *table) keyOf(n int32) string {
	return unquote(t.raw[t.nodes[n].key:t.nodes[n].keyEnd])
}

// build reads the tokens of the document once. The text was checked before,
// so the first error is its end; duplicate keys need no second look.
func (t *table) build() {
	t.members = map[member]int32{}
	dec := jsontext.NewDecoder(bytes.NewBuffer(t.raw), jsontext.AllowDuplicateNames(true))
	b := builder{table: t}
	for {
		from := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if err != nil {
			return
		}
		b.token(tok.Kind(), skipBetween(t.raw, from), int(dec.InputOffset()))
	}
}

// builder holds what is open while the tokens go by.
type builder struct {
	*table
	open   []int32   // containers, outermost first
	inside [][]int32 // the children of each so far
	key    [2]int32  // the key that waits for its value
	hasKey bool
}

func (b *builder) token(kind jsontext.Kind, start, end int) {
	if kind == '}' || kind == ']' {
		b.close(end)
		return
	}
	if depth := len(b.open); depth > 0 && !b.hasKey && b.raw[b.nodes[b.open[depth-1]].start] == '{' {
		b.key, b.hasKey = [2]int32{int32(start), int32(end)}, true
		return
	}
	b.value(start, end)
	if kind == '{' || kind == '[' {
		b.open = append(b.open, int32(len(b.nodes)-1))
		b.inside = append(b.inside, nil)
	}
}

func (b *builder) value(start, end int) {
	n := int32(len(b.nodes))
	b.nodes = append(b.nodes, node{start: int32(start), end: int32(end)})
	if b.hasKey {
		b.nodes[n].key, b.nodes[n].keyEnd = b.key[0], b.key[1]
		b.members[member{b.open[len(b.open)-1], b.keyOf(n)}] = n
		b.hasKey = false
	}
	if depth := len(b.inside); depth > 0 {
		b.inside[depth-1] = append(b.inside[depth-1], n)
	}
}

func (b *builder) close(end int) {
	last := len(b.open) - 1
	v := &b.nodes[b.open[last]]
	v.end = int32(end)
	v.kids, v.n = int32(len(b.kids)), int32(len(b.inside[last]))
	b.kids = append(b.kids, b.inside[last]...)
	b.open, b.inside = b.open[:last], b.inside[:last]
}

// lineCol is the fast form of the function of the same name: it finds the
// line in a table and counts code points of one block only.
func (t *table) lineCol(offset int) (line, col int) {
	t.linesOnce.Do(t.countLines)
	lo, hi := 0, len(t.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; int(t.lines[mid]) <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, t.runesBefore(offset) - t.runesBefore(int(t.lines[lo])) + 1
}

func (t *table) runesBefore(offset int) int {
	from := offset / block * block
	return int(t.runes[offset/block]) + firstBytes(t.raw[from:offset])
}

func (t *table) countLines() {
	t.lines = []int32{0}
	for i, c := range t.raw {
		if c == '\n' {
			t.lines = append(t.lines, int32(i+1))
		}
	}
	total := 0
	for from := 0; from <= len(t.raw); from += block {
		t.runes = append(t.runes, int32(total))
		total += firstBytes(t.raw[from:min(from+block, len(t.raw))])
	}
}

// firstBytes counts the bytes that begin a code point. In checked text that
// is the number of code points, also where a block boundary cuts one.
func firstBytes(b []byte) int {
	n := 0
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// skipBetween steps over white space, commas and colons in front of a token.
func skipBetween(raw []byte, i int) int {
	for i < len(raw) && strings.IndexByte(" \t\r\n,:", raw[i]) >= 0 {
		i++
	}
	return i
}

// unquote decodes a checked JSON string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	return string(text)
}

// arrayIndex reads a pointer token as an index: digits without a zero in front.
func arrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
	}
	i, err := strconv.Atoi(token)
	return i, err == nil
}
