package schema

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const urlPrefix = "okstra:schema/"

// library compiles embedded schemas on demand. One compiler serves all, so
// that shared definitions are compiled once; it is not safe for concurrent
// use, the schemas that it made are.
type library struct {
	mu       sync.Mutex
	raw      map[string]any
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	shapes   map[string]*shape
}

// shared is the library of the process.
var shared = sync.OnceValue(newLibrary)

func newLibrary() *library {
	l := &library{raw: map[string]any{}, compiled: map[string]*jsonschema.Schema{}, shapes: map[string]*shape{}}
	l.compiler = jsonschema.NewCompiler()
	l.compiler.DefaultDraft(jsonschema.Draft2020)
	l.compiler.UseLoader(l)
	return l
}

// Load gives an embedded schema by its URL and nothing else: the compiler's
// own loader would open any file that a $ref names.
func (l *library) Load(at string) (any, error) {
	name, ok := strings.CutPrefix(at, urlPrefix)
	if !ok {
		return nil, fmt.Errorf("%q is no embedded schema", at)
	}
	return l.document(name)
}

// document gives the parsed text of an embedded schema. The lock is held.
func (l *library) document(name string) (any, error) {
	if doc, ok := l.raw[name]; ok {
		return doc, nil
	}
	text, err := files.ReadFile(name + fileEnding)
	if err != nil {
		return nil, fmt.Errorf("schema %q: not embedded", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema %q: %w", name, err)
	}
	l.raw[name] = doc
	return doc, nil
}

// compile gives the compiled schema of an embedded file. A schema that does
// not compile is a fault of this program, which its tests find: it panics.
func (l *library) compile(name string) *jsonschema.Schema {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.compiled[name]; ok {
		return s
	}
	s, err := l.compiler.Compile(urlPrefix + name)
	if err != nil {
		panic("schema: " + err.Error())
	}
	l.compiled[name] = s
	return s
}

// at gives the part of an embedded schema that a URL with a fragment names,
// or nil.
func (l *library) at(location string) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lookup(location)
}

// lookup is at with the lock held.
func (l *library) lookup(location string) any {
	base, fragment, _ := strings.Cut(location, "#")
	node, err := l.document(strings.TrimPrefix(base, urlPrefix))
	if err != nil {
		return nil
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	if fragment == "" {
		return node
	}
	for _, token := range strings.Split(fragment[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch within := node.(type) {
		case map[string]any:
			node = within[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(within) {
				return nil
			}
			node = within[i]
		default:
			return nil
		}
	}
	return node
}
