package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoParent is an edit at a pointer whose parent does not exist or cannot
// hold the last key.
var ErrNoParent = errors.New("no object or array to edit")

// Set replaces the value at a JSON pointer by v (as MarshalLine writes it) and
// gives the new document; d stays as it was. A missing last key is added at
// the end of its object, "-" or the next free index at the end of its array.
// Every other byte of the document is kept.
func (d Doc) Set(pointer string, v any) (Doc, error) {
	value, err := MarshalLine(v)
	if err != nil {
		return Doc{}, err
	}
	value = bytes.TrimSuffix(value, []byte{'\n'})
	t := d.positions()
	if n, ok := t.find(pointer); ok {
		return d.splice(int(t.nodes[n].start), int(t.nodes[n].end), value)
	}
	parent, key, ok := cutLast(pointer)
	n, found := t.find(parent)
	if !ok || !found {
		return Doc{}, fmt.Errorf("%s: %s: %w", d.Name, pointer, ErrNoParent)
	}
	entry, ok := t.entry(n, key, value)
	if !ok {
		return Doc{}, fmt.Errorf("%s: %s: %w", d.Name, pointer, ErrNoParent)
	}
	at := t.insertAt(n)
	return d.splice(at, at, entry)
}

// Delete removes the member or element at a JSON pointer. A pointer to
// nothing changes nothing; the document itself cannot be deleted.
func (d Doc) Delete(pointer string) (Doc, error) {
	t := d.positions()
	n, ok := t.find(pointer)
	if !ok {
		return d, nil
	}
	parent, _, ok := cutLast(pointer)
	if !ok {
		return Doc{}, fmt.Errorf("%s: the whole document: %w", d.Name, ErrNoParent)
	}
	p, _ := t.find(parent)
	from, to := t.extent(p, n)
	return d.splice(from, to, nil)
}

// splice replaces raw[from:to] and checks the result as if it had been read.
func (d Doc) splice(from, to int, text []byte) (Doc, error) {
	raw := make([]byte, 0, len(d.Raw)-(to-from)+len(text))
	raw = append(append(append(raw, d.Raw[:from]...), text...), d.Raw[to:]...)
	return Parse(d.Name, raw)
}

// entry writes a new last child of container n, comma included.
func (t *table) entry(n int32, key string, value []byte) ([]byte, bool) {
	var b []byte
	if t.nodes[n].n > 0 {
		b = append(b, ',')
	}
	switch t.raw[t.nodes[n].start] {
	case '{':
		quoted, err := jsontext.AppendQuote(nil, key)
		if err != nil {
			return nil, false
		}
		b = append(append(b, quoted...), ':')
	case '[':
		if i, ok := arrayIndex(key); key != "-" && (!ok || i != int(t.nodes[n].n)) {
			return nil, false
		}
	default:
		return nil, false
	}
	return append(b, value...), true
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
// one comma, the one before it or, for the first child, the one behind.
func (t *table) extent(p, n int32) (from, to int) {
	v := t.nodes[p]
	kids := t.kids[v.kids : v.kids+v.n]
	for i, kid := range kids {
		if kid != n {
			continue
		}
		from, to = t.begin(kid), int(t.nodes[kid].end)
		switch {
		case i > 0:
			from = int(t.nodes[kids[i-1]].end)
		case len(kids) > 1:
			to = t.begin(kids[1])
		}
	}
	return from, to
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
