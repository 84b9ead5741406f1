package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is a value of the data and the JSON pointer where it stands. The zero
// node is a value that is not there; every method works on it.
type node struct {
	v  any
	at string
}

// get follows a path of object keys, "routing/rationale".
func (n node) get(path string) node {
	for key := range strings.SplitSeq(path, "/") {
		object, _ := n.v.(map[string]any)
		v, ok := object[key]
		if !ok {
			return node{}
		}
		n = node{v: v, at: n.at + "/" + pointerEscapes.Replace(key)}
	}
	return n
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// list is the elements of an array, nil for anything else.
func (n node) list() []node {
	values, _ := n.v.([]any)
	nodes := make([]node, len(values))
	for i, v := range values {
		nodes[i] = node{v: v, at: n.at + "/" + strconv.Itoa(i)}
	}
	return nodes
}

// keys is the keys of an object, sorted.
func (n node) keys() []string {
	object, _ := n.v.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// isNull says whether there is nothing: no value, or null.
func (n node) isNull() bool { return n.v == nil }

// text is a string, a number or a boolean as text; "" for anything else.
func (n node) text() string {
	switch v := n.v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// texts is the texts of an array's elements.
func (n node) texts() []string {
	var texts []string
	for _, e := range n.list() {
		texts = append(texts, e.text())
	}
	return texts
}

// whole is an integral number; ok is false for null and everything else.
func (n node) whole() (value int64, ok bool) {
	number, _ := n.v.(json.Number)
	value, err := strconv.ParseInt(number.String(), 10, 64)
	return value, err == nil
}

// amount is any number that is not negative.
func (n node) amount() (value float64, ok bool) {
	number, _ := n.v.(json.Number)
	value, err := strconv.ParseFloat(number.String(), 64)
	return value, err == nil && value >= 0
}

func (n node) String() string { return fmt.Sprintf("%s=%v", n.at, n.v) }
