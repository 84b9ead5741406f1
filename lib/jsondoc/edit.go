package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/sjson"
)

// ErrNoPlace is an edit at a pointer whose parent does not exist or cannot
// take the last key.
var ErrNoPlace = errors.New("no object or array that could take it")

// Set replaces the value at a JSON pointer by v, written as MarshalLine writes
// it, and gives the new document; d stays as it was. A missing last key is
// added at the end of its object; "-" or the next free index adds an element
// at the end of its array. Every other byte of the document is kept, and a new
// member is laid out like the one in front of it.
// Rule: docs/strict-reading.md, "Edits".
func (d Doc) Set(pointer string, v any) (Doc, error) {
	value, err := MarshalLine(v)
	if err != nil {
		return Doc{}, err
	}
	value = bytes.TrimSuffix(value, []byte{'\n'})
	t := d.positions()
	if n, ok := t.find(pointer); ok {
		return d.replace(pointer, t.nodes[n], value)
	}
	parent, key, ok := cutLast(pointer)
	n, found := t.find(parent)
	if !ok || !found || !t.takes(n, key) {
		return Doc{}, fmt.Errorf("%s: %s: %w", d.Name, pointer, ErrNoPlace)
	}
	at := t.insertAt(n)
	return d.splice(at, at, t.entry(n, key, value))
}

// Delete removes the member or element at a JSON pointer together with its
// comma. A pointer to nothing changes nothing; the document itself cannot be
// deleted.
func (d Doc) Delete(pointer string) (Doc, error) {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok {
		return d, nil
	}
	parent, _, ok := cutLast(pointer)
	if !ok {
		return Doc{}, fmt.Errorf("%s: the whole document: %w", d.Name, ErrNoPlace)
	}
	p, _ := t.find(parent)
	from, to := t.extent(p, n)
	return d.splice(from, to, nil)
}

// replace puts value in the place of one that is there. sjson does it where
// its path language can name the place; adding and deleting is never left to
// it, because it drops white space behind the last member, the final newline
// included.
func (d Doc) replace(pointer string, old node, value []byte) (Doc, error) {
	path, ok := sjsonPath(pointer)
	if !ok {
		return d.splice(int(old.start), int(old.end), value)
	}
	raw, err := sjson.SetRawBytes(d.Raw, path, value)
	if err != nil {
		return Doc{}, fmt.Errorf("%s: %s: %w", d.Name, pointer, err)
	}
	return Parse(d.Name, raw)
}

// sjsonPath writes a pointer in sjson's path language. It does so only for
// keys of letters, digits and a few marks, dots escaped: an empty key, a key
// with a bracket and a key that is escaped in the text are found by sjson in
// some places and not in others. A number is both, index and key, in sjson
// as it is in a pointer.
func sjsonPath(pointer string) (string, bool) {
	tokens, _ := Tokens(pointer)
	if len(tokens) == 0 {
		return "", false
	}
	for i, token := range tokens {
		if token == "" {
			return "", false
		}
		for _, c := range []byte(token) {
			if !isWordByte(c) && c != '-' && c != '.' && c != '/' {
				return "", false
			}
		}
		if token[0] == '-' { // "-1" appends
			return "", false
		}
		tokens[i] = strings.ReplaceAll(token, ".", `\.`)
	}
	return strings.Join(tokens, "."), true
}

// splice replaces raw[from:to] and checks the result as if it had been read.
func (d Doc) splice(from, to int, text []byte) (Doc, error) {
	raw := make([]byte, 0, len(d.Raw)-(to-from)+len(text))
	raw = append(append(append(raw, d.Raw[:from]...), text...), d.Raw[to:]...)
	return Parse(d.Name, raw)
}

// takes reports whether container n has a place for a new child of that key.
func (t *table) takes(n int32, key string) bool {
	switch t.raw[t.nodes[n].start] {
	case '{':
		return true
	case '[':
		i, ok := arrayIndex(key)
		return key == "-" || ok && i == int(t.nodes[n].n)
	}
	return false
}

// entry writes a new last child of container n, comma included, with the
// white space that the last one has.
func (t *table) entry(n int32, key string, value []byte) []byte {
	v := t.nodes[n]
	lead, colon := "", ":"
	var b []byte
	if v.n > 0 {
		last := t.nodes[t.kids[v.kids+v.n-1]]
		lead, colon = t.layout(last)
		b = append(b, ',')
	}
	b = append(b, lead...)
	if t.raw[v.start] == '{' {
		// The key came as UTF-8 from a pointer, or gets U+FFFD here.
		quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(key, "\ufffd"))
		b = append(append(b, quoted...), colon...)
	}
	return append(b, value...)
}

// layout gives the white space in front of a child and, for a member, the
// text between its key and its value.
func (t *table) layout(child node) (lead, colon string) {
	begin := int(child.start)
	if child.keyEnd > 0 {
		begin = int(child.key)
		colon = string(t.raw[child.keyEnd:child.start])
	}
	from := begin
	for from > 0 && strings.IndexByte(" \t\r\n", t.raw[from-1]) >= 0 {
		from--
	}
	return string(t.raw[from:begin]), colon
}

// insertAt gives the offset behind the last child of n, or behind its bracket.
func (t *table) insertAt(n int32) int {
	v := t.nodes[n]
	if v.n == 0 {
		return int(v.start) + 1
	}
	return int(t.nodes[t.kids[v.kids+v.n-1]].end)
}

// extent gives the bytes to remove with child n of p: its key, its value and
// one comma, the one before it or, for the first child, the one behind. With
// an only child goes all that its container holds.
func (t *table) extent(p, n int32) (from, to int) {
	v := t.nodes[p]
	if v.n == 1 {
		return int(v.start) + 1, int(v.end) - 1
	}
	kids := t.kids[v.kids : v.kids+v.n]
	for i, kid := range kids {
		if kid != n {
			continue
		}
		if i == 0 {
			return t.begin(kid), t.begin(kids[1])
		}
		return int(t.nodes[kids[i-1]].end), int(t.nodes[kid].end)
	}
	return 0, 0 // not reached: n is a child of p
}

// begin gives the offset of a child's key, or of its value in an array.
func (t *table) begin(n int32) int {
	if v := t.nodes[n]; v.keyEnd > 0 {
		return int(v.key)
	}
	return int(t.nodes[n].start)
}

// cutLast splits the last token off a pointer; false for the empty one.
func cutLast(pointer string) (parent, token string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", "", false
	}
	return pointer[:i], unescapeToken.Replace(pointer[i+1:]), true
}
