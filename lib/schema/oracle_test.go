package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
)

// The engine is compared with a public one: they must agree on which
// documents are valid, and on where the first complaints lie.

type oracle struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// Load gives embedded files only.
func (*oracle) Load(url string) (any, error) {
	raw, err := File(strings.TrimPrefix(url, urlPrefix) + fileEnding)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

var theOracle = sync.OnceValue(func() *oracle {
	o := &oracle{compiler: jsonschema.NewCompiler()}
	o.compiler.UseLoader(o)
	return o
})

func (o *oracle) valid(file string, v any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	s, err := o.compiler.Compile(urlPrefix + file)
	if err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	return s.Validate(v)
}

// tame reports whether exact arithmetic can cope with every number of a
// value: the oracle takes minutes for some, and panics at others.
func tame(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, sub := range v {
			if !tame(sub) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(sub any) bool { return !tame(sub) })
	case json.Number:
		return len(v) <= 15
	}
	return true
}

// agrees compares the two engines on a document, held against every version
// of a kind.
func agrees(t failer, doc jsondoc.Doc, name string) {
	v, err := doc.Value()
	if err != nil || !tame(v) {
		return
	}
	e := catalogue()[name]
	for _, version := range e.versions {
		file := e.file(version)
		theirs := theOracle().valid(file, v)
		if ours := shared().root(file).fits(v); ours != (theirs == nil) {
			t.Fatalf("%s: valid here %v, there: %v\n%s", file, ours, theirs, doc.Raw)
		}
		root := shared().root(file)
		c := checker{shape: shared().shape(file)}
		c.check(root, v)
		if (len(c.problems) == 0) != root.fits(v) {
			t.Fatalf("%s: a probe says %v, the explanation %v", file, root.fits(v), c.problems)
		}
	}
}

func TestEnginesAgreeOnExamples(t *testing.T) {
	for _, e := range examples(t) {
		agrees(t, e.doc, e.name)
	}
}

// With -short every fifth key is dropped.
func TestEnginesAgreeOnDroppedKeys(t *testing.T) {
	n := 0
	for _, e := range examples(t) {
		v, err := e.doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		for _, pointer := range everyPointer(v, nil)[1:] {
			if n++; testing.Short() && n%5 != 0 {
				continue
			}
			without, err := e.doc.Delete(pointer)
			if err != nil {
				t.Fatal(err)
			}
			agrees(t, without, e.name)
		}
	}
}

// Values taken from other places of the same documents meet every pattern
// and every enumeration, which random ones hardly do.
func TestEnginesAgreeOnSwappedValues(t *testing.T) {
	all := examples(t)
	values := []json.RawMessage{[]byte(`null`), []byte(`""`), []byte(`-1`), []byte(`0`), []byte(`1.0`), []byte(`0.5`), []byte(`[]`), []byte(`{}`), []byte(`[null]`)}
	pointers := make([][]string, len(all))
	for i, e := range all {
		v, err := e.doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		pointers[i] = everyPointer(v, nil)
		for _, pointer := range pointers[i] {
			if raw, ok := e.doc.Lookup(pointer); ok && len(raw) < 400 {
				values = append(values, slices.Clone(raw))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "example")
		doc := all[i].doc
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			pointer := rapid.SampledFrom(pointers[i]).Draw(t, "pointer")
			if changed, err := doc.Set(pointer, rapid.SampledFrom(values).Draw(t, "value")); err == nil {
				doc = changed
			}
		}
		agrees(t, doc, all[i].name)
	})
}
