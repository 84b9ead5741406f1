package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// everyPointer lists the pointer of every value of a document.
func everyPointer(v any, at []string) []string {
	all := []string{jsondoc.Pointer(at...)}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			all = append(all, everyPointer(v[key], append(slices.Clone(at), key))...)
		}
	case []any:
		for i, sub := range v {
			all = append(all, everyPointer(sub, append(slices.Clone(at), itoa(i)))...)
		}
	}
	return all
}

// A value of any type in any place of any example gives the same findings
// twice, each with a place in the document, and no panic.
func TestAnyValueAnywhere(t *testing.T) {
	all := examples(t)
	pointers := make([][]string, len(all))
	for i, e := range all {
		v, err := e.doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		pointers[i] = everyPointer(v, nil)
	}
	value := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Float64().AsAny(),
		rapid.SliceOfN(rapid.String(), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), rapid.Int(), 0, 3).AsAny(),
		rapid.SampledFrom([]any{jsonNumber("1e400"), jsonNumber("-0"), jsonNumber("1.0"), jsonNumber(strings.Repeat("7", 99))}),
	)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "example")
		pointer := rapid.SampledFrom(pointers[i]).Draw(t, "pointer")
		changed, err := all[i].doc.Set(pointer, value.Draw(t, "value"))
		if err != nil {
			t.Skip(err)
		}
		lawsOfFindings(t, changed, all[i].name)
	})
}

type failer interface{ Fatalf(string, ...any) }

// lawsOfFindings: findings are the same twice, sorted, complete and located,
// and Check fails exactly when Validate has an error of the document's own.
func lawsOfFindings(t failer, doc jsondoc.Doc, name string) {
	got := Validate(doc, name)
	if again := Validate(doc, name); !reflect.DeepEqual(got, again) {
		t.Fatalf("twice: %v and %v", got, again)
	}
	own := false
	for _, f := range got {
		if f.Code == "" || f.Message == "" || f.Line == 0 || f.Column == 0 {
			t.Fatalf("incomplete: %+v", f)
		}
		if f.Level == finding.Error && !strings.HasPrefix(f.Pointer, "/workerDispatches/") {
			own = true
		}
	}
	if err := Check(doc, name); (err != nil) != own {
		t.Fatalf("Check: %v, Validate: %v", err, got)
	}
}

// Dropping or adding a key anywhere never makes a document that Validate
// cannot judge; an added key is told unless the place welcomes it.
func TestAddedKeyIsToldOrWelcome(t *testing.T) {
	const odd = "zz-odd-key"
	told := 0
	for _, e := range examples(t) {
		v, err := e.doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		for _, pointer := range everyPointer(v, nil) {
			raw, _ := e.doc.Lookup(pointer)
			if raw[0] != '{' {
				continue
			}
			with, err := e.doc.Set(pointer+"/"+odd, "x")
			if err != nil {
				t.Fatal(err)
			}
			got := Validate(with, e.name)
			if len(got) > 0 {
				told++
				if !slices.ContainsFunc(got, func(f finding.Finding) bool { return f.Pointer == pointer+"/"+odd }) && !strings.HasSuffix(pointer, "/gitPolicy") {
					t.Errorf("%s: %s: %v", e.file, pointer, got)
				}
			} else if !welcome[e.name+pointerPattern(pointer)] {
				t.Errorf("%s: a key added to %q passes in silence", e.file, pointer)
			}
		}
	}
	if told < 100 {
		t.Errorf("only %d added keys were told", told)
	}
}

// welcome lists the objects whose keys are names that users choose, or that
// belong to somebody else.
var welcome = map[string]bool{
	"agreement/cohenKappa/*":               true,
	"agreement/dawidSkene":                 true,
	"agreement/fleissKappa":                true,
	"agreement/krippendorffAlpha":          true,
	"agreement/krippendorffAlpha/interval": true,
	"agreement/krippendorffAlpha/nominal":  true,
	"agreement/krippendorffAlpha/ordinal":  true,
	"agreement/krippendorffAlpha/ratio":    true,
	"mutation-snapshot/git/hooks":          true,
	"mutation-snapshot/git/info":           true,
	"mutation-snapshot/git/refs":           true,
	"provider/causes/*/match":              true,
	"provider/env/set":                     true,
	"provider/variants/landlock":           true,
	"provider/variants/landlock/replace":   true,
	"provider/variants/none":               true,
	"provider/variants/overlay":            true,
	"usage-cache/meta":                     true,
	"usage-cache/rows/*":                   true,
	"usage-report/groups/*/key":            true,
	"usage-totals/groups/*/key":            true,
	"wizard-state/answers":                 true,
}

func pointerPattern(pointer string) string {
	tokens, _ := jsondoc.Tokens(pointer)
	for i, token := range tokens {
		if isIndex(token) {
			tokens[i] = "*"
		}
	}
	return jsondoc.Pointer(tokens...)
}

// FuzzValidate: no document of any kind makes Validate panic, contradict
// itself, or judge otherwise than the oracle.
func FuzzValidate(f *testing.F) {
	names := sortedKeys(catalogue())
	for _, e := range examples(f) {
		f.Add(slices.Index(names, e.name), e.doc.Raw)
	}
	f.Add(0, []byte(`null`))
	f.Add(1, []byte(`{"kind":"okstra-job","schemaVersion":"99999999999.0"}`))
	f.Fuzz(func(t *testing.T, which int, raw []byte) {
		doc, err := jsondoc.Parse("doc", raw)
		if err != nil {
			return
		}
		name := ""
		if which >= 0 && which < len(names) {
			name = names[which]
		}
		lawsOfFindings(t, doc, name)
		agrees(t, doc, name)
	})
}

func BenchmarkValidate(b *testing.B) {
	for _, file := range []string{"final-report", "team-state--collected", "run-manifest", "event"} {
		doc := exampleOf(b, file)
		name, _, _ := strings.Cut(file, "--")
		b.Run(file, func(b *testing.B) {
			b.SetBytes(int64(len(doc.Raw)))
			for b.Loop() {
				if got := Validate(doc, name); got != nil {
					b.Fatal(got)
				}
			}
		})
	}
}

// BenchmarkDecodeOnly is what reading a document costs without its schema.
func BenchmarkDecodeOnly(b *testing.B) {
	doc := exampleOf(b, "final-report")
	b.SetBytes(int64(len(doc.Raw)))
	for b.Loop() {
		if _, err := doc.Value(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstUse is what the first document of a process pays for its
// schema.
func BenchmarkFirstUse(b *testing.B) {
	for _, file := range []string{"final-report-v2.0", "event-v1.0", "run-manifest-v1.0"} {
		b.Run(file, func(b *testing.B) {
			for b.Loop() {
				l := newLibrary()
				l.shape(file)
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			l := newLibrary()
			for _, e := range catalogue() {
				for _, v := range e.versions {
					l.root(e.file(v))
				}
			}
		}
	})
}

func BenchmarkSnapshotRows(b *testing.B) {
	doc := exampleOf(b, "mutation-snapshot")
	var rows []any
	for i := range 50_000 {
		rows = append(rows, []any{fmt.Sprintf("pkg/dir%d/file%d.go", i%500, i), "file", "0644", 1000, 1000, i, 1788895805123456789, 1788895805123456789, 800000 + i, nil})
	}
	doc, err := doc.Set("/roots/0/rows", rows)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(doc.Raw)))
	for b.Loop() {
		if got := Validate(doc, "mutation-snapshot"); got != nil {
			b.Fatal(got)
		}
	}
}
