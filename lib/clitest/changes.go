package clitest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Changes changes a JSON document in one place after the other, below the
// named keys of its root, and gives each changed document with the pointer to
// the place: a text longer by a letter, a number higher by one, a truth turned
// round, a list without its last element, with its first
// one twice, and with its first two in each other's place.
// free places, told by pointer and nearest key, are passed over.
func Changes(t *testing.T, document []byte, below []string, free func(at, key string) bool, try func(at string, document []byte)) {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(document, &tree); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, v any, key string, put func(any))
	show := func(at string) {
		text, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		try(at, text)
	}
	walk = func(at string, v any, key string, put func(any)) {
		change := func(x any) {
			if !free(at, key) {
				put(x)
				show(at)
				put(v)
			}
		}
		switch v := v.(type) {
		case map[string]any:
			for k, child := range v {
				walk(at+"/"+k, child, k, func(x any) { v[k] = x })
			}
		case []any:
			for i, child := range v {
				walk(fmt.Sprintf("%s/%d", at, i), child, key, func(x any) { v[i] = x })
			}
			if len(v) > 0 {
				change(v[:len(v)-1])
				change(append([]any{v[0]}, v...))
			}
			if len(v) > 1 {
				change(append([]any{v[1], v[0]}, v[2:]...))
			}
		case string:
			change(v + "x")
		case float64:
			change(v + 1)
		case bool:
			change(!v)
		}
	}
	for _, key := range below {
		walk("/"+key, tree[key], key, func(x any) { tree[key] = x })
	}
}
