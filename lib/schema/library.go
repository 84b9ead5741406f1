package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const urlPrefix = "okstra:schema/"

// library reads embedded schema files and compiles what is asked for. Rules
// and shapes are never changed once they were handed out.
type library struct {
	mu       sync.Mutex
	texts    map[string]any
	rules    map[string]*rule
	patterns map[string]*regexp.Regexp
	shapes   map[string]*shape
}

// shared is the library of the process.
var shared = sync.OnceValue(newLibrary)

func newLibrary() *library {
	return &library{
		texts: map[string]any{}, rules: map[string]*rule{},
		patterns: map[string]*regexp.Regexp{}, shapes: map[string]*shape{},
	}
}

// root gives the compiled schema of an embedded file. A schema that does not
// compile is a fault of this program, which its tests find: it panics.
func (l *library) root(file string) *rule {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.rule(urlPrefix + file + "#")
	if err != nil {
		panic("schema: " + err.Error())
	}
	return r
}

// shape gives the shape of an embedded schema file.
func (l *library) shape(file string) *shape {
	r := l.root(file)
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.shapes[file]
	if !ok {
		s = outline([]*rule{r})
		l.shapes[file] = s
	}
	return s
}

// text gives the parsed text of an embedded schema file.
func (l *library) text(file string) (any, error) {
	if v, ok := l.texts[file]; ok {
		return v, nil
	}
	raw, err := files.ReadFile(file + fileEnding)
	if err != nil {
		return nil, fmt.Errorf("%q is no embedded schema", file)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("schema %q: %w", file, err)
	}
	l.texts[file] = v
	return v, nil
}

// lookup gives the part of an embedded schema that a location names: the URL
// of a file, "#", and a JSON pointer. Nothing but embedded files is ever
// opened.
func (l *library) lookup(location string) (any, error) {
	base, pointer, _ := strings.Cut(location, "#")
	file, ok := strings.CutPrefix(base, urlPrefix)
	if !ok {
		return nil, fmt.Errorf("%q is no embedded schema", base)
	}
	v, err := l.text(file)
	if err != nil || pointer == "" {
		return v, err
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch within := v.(type) {
		case map[string]any:
			sub, ok := within[unescape(token)]
			if !ok {
				return nil, fmt.Errorf("%s: nothing there", location)
			}
			v = sub
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(within) {
				return nil, fmt.Errorf("%s: nothing there", location)
			}
			v = within[i]
		default:
			return nil, fmt.Errorf("%s: nothing there", location)
		}
	}
	return v, nil
}

// resolve gives the location that a $ref means in the file of another
// location.
func resolve(ref, at string) string {
	if strings.HasPrefix(ref, "#") {
		base, _, _ := strings.Cut(at, "#")
		return base + ref
	}
	if !strings.Contains(ref, "#") {
		return ref + "#"
	}
	return ref
}

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
