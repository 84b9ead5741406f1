package translate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// walk visits the strings that the rules take, depth first with object keys in
// file order. raw must be one well-formed JSON value without duplicate keys,
// which is what jsondoc.Parse lets through; start and end enclose the string
// with its quotes. Subtrees without a rule are skipped, not decoded.
func walk(raw []byte, root *rule, visit func(pointer string, start, end int)) {
	w := walker{raw: raw, visit: visit}
	w.value(root)
}

type walker struct {
	raw     []byte
	pos     int
	pointer []byte
	visit   func(pointer string, start, end int)
}

// value moves over the value at pos.
func (w *walker) value(r *rule) {
	w.space()
	switch {
	case w.pos >= len(w.raw):
	case r == nil:
		w.skip()
	case w.raw[w.pos] == '"' && r.take:
		start := w.pos
		w.str()
		w.visit(string(w.pointer), start, w.pos)
	case w.raw[w.pos] == '{' && r.keys != nil:
		w.object(r)
	case w.raw[w.pos] == '[' && r.any != nil:
		w.array(r)
	default:
		w.skip()
	}
}

func (w *walker) object(r *rule) {
	depth := len(w.pointer)
	for w.pos++; ; {
		w.space()
		if w.pos >= len(w.raw) || w.raw[w.pos] == '}' {
			w.pos++
			return
		}
		start := w.pos
		w.str()
		key := unquote(w.raw[start:w.pos])
		w.space()
		w.pos++ // the colon
		child := r.keys[key]
		if child != nil {
			w.pointer = append(w.pointer, '/')
			w.pointer = append(w.pointer, pointerToken(key)...)
		}
		w.value(child)
		w.pointer = w.pointer[:depth]
		w.comma()
	}
}

func (w *walker) array(r *rule) {
	depth := len(w.pointer)
	w.pos++
	for i := 0; ; i++ {
		w.space()
		if w.pos >= len(w.raw) || w.raw[w.pos] == ']' {
			w.pos++
			return
		}
		w.pointer = append(w.pointer, '/')
		w.pointer = strconv.AppendInt(w.pointer, int64(i), 10)
		w.value(r.any)
		w.pointer = w.pointer[:depth]
		w.comma()
	}
}

func (w *walker) space() {
	for w.pos < len(w.raw) {
		switch w.raw[w.pos] {
		case ' ', '\t', '\n', '\r':
			w.pos++
		default:
			return
		}
	}
}

func (w *walker) comma() {
	w.space()
	if w.pos < len(w.raw) && w.raw[w.pos] == ',' {
		w.pos++
	}
}

// str moves over the string at pos.
func (w *walker) str() {
	for w.pos++; w.pos < len(w.raw); w.pos++ {
		i := bytes.IndexAny(w.raw[w.pos:], `"\`)
		if i < 0 {
			w.pos = len(w.raw)
			return
		}
		if w.pos += i; w.raw[w.pos] == '"' {
			w.pos++
			return
		}
		w.pos++ // the escaped character
	}
}

// skip moves over any value at pos.
func (w *walker) skip() {
	depth := 0
	for w.pos < len(w.raw) {
		switch w.raw[w.pos] {
		case '"':
			w.str()
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
			w.pos++
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return
			}
			w.pos++
			continue
		default:
			w.pos++
			continue
		}
		if depth == 0 {
			return
		}
	}
}

// unquote decodes a well-formed JSON string literal.
func unquote(literal []byte) string {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1])
	}
	var s string
	if err := json.Unmarshal(literal, &s); err != nil {
		panic("translate: a checked document has a broken string: " + err.Error())
	}
	return s
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return pointerEscapes.Replace(key)
}
