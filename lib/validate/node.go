package validate

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// source is a JSON text that findings point into: a document, or one row of a
// stream of lines.
type source struct {
	artifact *artifact
	doc      jsondoc.Doc
	row      int // the number of the line, 0 for a whole document
	value    any

	placeless bool // the text is not that of the file, so values have no line
}

func newSource(a *artifact, doc jsondoc.Doc, row int) *source {
	v, err := doc.Value()
	if err != nil { // cannot happen: doc was read strictly
		v = nil
	}
	return &source{artifact: a, doc: doc, row: row, value: v}
}

// node is the whole value.
func (s *source) node() node { return node{s, "", s.value, true} }

// place is where a pointer stands, or the nearest value around it: a missing
// key has the place of its object.
func (s *source) place(pointer string) (line, col int) {
	if s.placeless {
		return 0, 0
	}
	for {
		line, col = s.doc.Position(pointer)
		if line > 0 && s.row > 0 {
			return s.row, col
		}
		if line > 0 || pointer == "" {
			return line, col
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
}

// node is a value in a JSON text together with its place. The zero node, and
// what is looked up in a node of another type, is absent; so a rule can ask for
// any depth without looking back.
type node struct {
	src     *source
	pointer string
	value   any
	present bool
}

// has says whether there is a value at all, be it null.
func (n node) has() bool { return n.present }

// null says whether the value is there and null.
func (n node) null() bool { return n.present && n.value == nil }

// get is the member of an object.
func (n node) get(keys ...string) node {
	for _, key := range keys {
		object, _ := n.value.(map[string]any)
		v, ok := object[key]
		n = node{n.src, n.pointer + jsondoc.Pointer(key), v, ok}
	}
	return n
}

// find is the value at a pointer below n.
func (n node) find(pointer string) node {
	tokens, _ := jsondoc.Tokens(pointer)
	for _, token := range tokens {
		array, ok := n.value.([]any)
		if !ok {
			n = n.get(token)
			continue
		}
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(array) {
			return node{n.src, n.pointer + jsondoc.Pointer(token), nil, false}
		}
		n = node{n.src, n.pointer + jsondoc.Pointer(token), array[i], true}
	}
	return n
}

// list is the elements of an array.
func (n node) list() []node {
	array, _ := n.value.([]any)
	out := make([]node, len(array))
	for i, v := range array {
		out[i] = node{n.src, n.pointer + "/" + strconv.Itoa(i), v, true}
	}
	return out
}

// text is the value of a text, else "".
func (n node) text() string {
	s, _ := n.value.(string)
	return s
}

// isText says whether the value is a text.
func (n node) isText() bool {
	_, ok := n.value.(string)
	return ok
}

// isObject says whether the value is an object.
func (n node) isObject() bool {
	_, ok := n.value.(map[string]any)
	return ok
}

// isList says whether the value is an array.
func (n node) isList() bool {
	_, ok := n.value.([]any)
	return ok
}

// yes is the value of a boolean, else false.
func (n node) yes() bool {
	b, _ := n.value.(bool)
	return b
}

// integer is the value of a whole number.
func (n node) integer() (int64, bool) {
	number, ok := n.value.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := number.Int64()
	return i, err == nil
}

// whole is integer for numbers that have been counted, 0 when there is none.
func (n node) whole() int {
	i, _ := n.integer()
	return int(i)
}

// real is the value of any number.
func (n node) real() (float64, bool) {
	number, ok := n.value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := number.Float64()
	return f, err == nil
}

// texts is the elements of an array of texts; what is no text is left out.
func (n node) texts() []string {
	var out []string
	for _, e := range n.list() {
		if e.isText() {
			out = append(out, e.text())
		}
	}
	return out
}

// walk visits every value below n, n itself left out, in no particular order:
// findings are sorted later. visit gets the key that the value stands under (""
// in an array) and says whether to look below it; at gives the value with its
// pointer, which is only made when somebody asks.
func (n node) walk(visit func(key string, value any, at func() node) bool) {
	var tokens []string
	var down func(v any)
	step := func(token, key string, v any) {
		tokens = append(tokens, token)
		at := func() node { return node{n.src, n.pointer + jsondoc.Pointer(tokens...), v, true} }
		if visit(key, v, at) {
			down(v)
		}
		tokens = tokens[:len(tokens)-1]
	}
	down = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				step(key, key, member)
			}
		case []any:
			for i, element := range v {
				step(strconv.Itoa(i), "", element)
			}
		}
	}
	down(n.value)
}

// raw is the text of the value as it stands in the file.
func (n node) raw() []byte {
	if n.src == nil {
		return nil
	}
	raw, _ := n.src.doc.Lookup(n.pointer)
	return raw
}

// show tells a value in a few words for a message.
func (n node) show() string {
	switch v := n.value.(type) {
	case nil:
		if !n.present {
			return "missing"
		}
		return "null"
	case string:
		return finding.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case []any:
		return "a list of " + strconv.Itoa(len(v))
	default:
		return "an object"
	}
}

// plain is show with texts as they are.
func (n node) plain() string {
	if s, ok := n.value.(string); ok {
		return finding.Shorten(s)
	}
	if !n.present {
		return ""
	}
	return n.show()
}

// identityKeys name an element of an array for its anchor, the first that it
// has.
var identityKeys = []string{"id", "groupId", "itemId", "workerId"}

// equal compares values as JSON does: numbers by how they are written, the
// order of keys aside.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// anchor is a pointer with the indices of arrays replaced by the ids of their
// elements, so that it stays the same when rows are added in front.
func anchor(root any, pointer string) string {
	tokens, ok := jsondoc.Tokens(pointer)
	if !ok {
		return pointer
	}
	at := root
	for i, token := range tokens {
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) {
				return jsondoc.Pointer(tokens...)
			}
			at = v[n]
			if id := identity(at); id != "" {
				tokens[i] = id
			}
		default:
			return jsondoc.Pointer(tokens...)
		}
	}
	return jsondoc.Pointer(tokens...)
}

func identity(v any) string {
	object, _ := v.(map[string]any)
	for _, key := range identityKeys {
		if id, ok := object[key].(string); ok && id != "" {
			return id
		}
	}
	return ""
}
