package translate

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed strings.txt
var stringsTxt string

// rule is a node of the tree that the lines of strings.txt make: what stands
// at one pointer, and what may stand below it.
type rule struct {
	take  bool
	leave bool
	below bool // leave: everything below as well
	keys  map[string]*rule
	any   *rule // the elements of an array
}

// rules is the tree of strings.txt. The file is part of the program, so a line
// that cannot be read is a fault of the program; a test reads it first.
var rules = sync.OnceValue(func() *rule {
	root, err := parseRules(stringsTxt)
	if err != nil {
		panic(err)
	}
	return root
})

func parseRules(text string) (*rule, error) {
	root := &rule{}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || !strings.HasPrefix(fields[1], "/") {
			return nil, fmt.Errorf("strings.txt:%d: %q (expected a verb and a JSON pointer)", i+1, line)
		}
		at := root
		pointer, below := strings.CutSuffix(fields[1], "/**")
		for _, key := range strings.Split(pointer, "/")[1:] {
			at = at.child(key)
		}
		if at.take || at.leave {
			return nil, fmt.Errorf("strings.txt:%d: %s has two lines", i+1, fields[1])
		}
		switch {
		case fields[0] == "take" && !below:
			at.take = true
		case fields[0] == "leave":
			at.leave, at.below = true, below
		default:
			return nil, fmt.Errorf("strings.txt:%d: %q (expected take or leave)", i+1, line)
		}
	}
	return root, nil
}

func (r *rule) child(key string) *rule {
	if key == "*" {
		if r.any == nil {
			r.any = &rule{}
		}
		return r.any
	}
	if r.keys == nil {
		r.keys = make(map[string]*rule)
	}
	if r.keys[key] == nil {
		r.keys[key] = &rule{}
	}
	return r.keys[key]
}

// ruled says whether a pointer pattern, with * for array indexes, has a line:
// taken is its verdict, known whether there is one at all.
func (r *rule) ruled(pattern string) (taken, known bool) {
	at := r
	for _, key := range strings.Split(pattern, "/")[1:] {
		if at.below {
			return false, true
		}
		next := at.keys[key]
		if key == "*" {
			next = at.any
		}
		if next == nil {
			return false, false
		}
		at = next
	}
	return at.take, at.take || at.leave
}
