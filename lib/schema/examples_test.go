package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// example is a document under testdata/examples. Its file name is the name
// of its schema, and what stands after "--" tells variants apart.
type example struct {
	file, name string
	doc        jsondoc.Doc
}

func examples(tb testing.TB) []example {
	tb.Helper()
	paths, err := filepath.Glob("testdata/examples/*.json")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("examples: %d files, %v", len(paths), err)
	}
	var all []example
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		file := strings.TrimSuffix(filepath.Base(path), ".json")
		doc, err := jsondoc.Parse(file, raw)
		if err != nil {
			tb.Fatal(err)
		}
		name, _, _ := strings.Cut(file, "--")
		all = append(all, example{file, name, doc})
	}
	return all
}

func exampleOf(tb testing.TB, file string) jsondoc.Doc {
	tb.Helper()
	for _, e := range examples(tb) {
		if e.file == file {
			return e.doc
		}
	}
	tb.Fatalf("no example %q", file)
	return jsondoc.Doc{}
}

func TestEverySchemaCompiles(t *testing.T) {
	for _, e := range catalogue() {
		for _, v := range e.versions {
			if r := shared().root(e.file(v)); r.title == "" {
				t.Errorf("%s has no title", e.file(v))
			}
			if s := shared().shape(e.file(v)); len(s.keys) == 0 {
				t.Errorf("%s names no key", e.file(v))
			}
		}
	}
}

func TestSchemasNameThemselves(t *testing.T) {
	for _, file := range Files() {
		raw, err := File(file)
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Title       string `json:"title"`
			Description string `json:"description"`
			Properties  map[string]struct {
				Const string `json:"const"`
			} `json:"properties"`
		}
		if doc, err := jsondoc.Parse(file, raw); err != nil {
			t.Error(err)
		} else if err := json.Unmarshal(doc.Raw, &struct{}{}); err != nil {
			t.Error(err)
		}
		_ = json.Unmarshal(raw, &head)
		base := strings.TrimSuffix(file, fileEnding)
		if head.Schema != "https://json-schema.org/draft/2020-12/schema" || head.ID != urlPrefix+base {
			t.Errorf("%s: $schema %q, $id %q", file, head.Schema, head.ID)
		}
		if head.Title == "" || head.Description == "" {
			t.Errorf("%s: no title or no description", file)
		}
		name, _, versioned := strings.Cut(base, "-v")
		e := catalogue()[name]
		if kind := head.Properties["kind"].Const; versioned && kind != e.kind() && name != "event" {
			t.Errorf("%s: kind %q, want %q", file, kind, e.kind())
		}
	}
}

func TestEveryKindHasAnExample(t *testing.T) {
	want := []string{
		"error", "event", "ledger-row",
		"okstra-active-run-context", "okstra-agreement", "okstra-baseline",
		"okstra-convergence", "okstra-convergence-input", "okstra-convergence-item", "okstra-convergence-packet", "okstra-convergence-summary",
		"okstra-dispatch-attempt", "okstra-dispatch-status", "okstra-final-report", "okstra-job", "okstra-mutation-snapshot",
		"okstra-plan-body", "okstra-provider", "okstra-result", "okstra-run-inputs", "okstra-run-manifest",
		"okstra-stage-carry", "okstra-stage-consumer", "okstra-task-manifest", "okstra-team-state",
		"okstra-translation", "okstra-translation-findings", "okstra-translation-source", "okstra-translation-status",
		"okstra-usage-cache", "okstra-usage-report", "okstra-usage-totals", "okstra-validation", "okstra-wizard-state", "okstra-worker-errors",
		"usage-event", "usage-scan", "write-enforcement", "write-policy",
	}
	if got := Kinds(); !slices.Equal(got, want) {
		t.Errorf("Kinds() = %q, want %q", got, want)
	}
	shown := map[string]bool{}
	for _, e := range examples(t) {
		shown[catalogue()[e.name].title()] = true
	}
	for _, kind := range want {
		if !shown[kind] {
			t.Errorf("no example of %s", kind)
		}
	}
}

func TestExamplesAreValid(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.file, func(t *testing.T) {
			for _, f := range Validate(e.doc, e.name) {
				t.Errorf("%s %s", f.Code, line(f))
			}
			if catalogue()[e.name].kind() == "" {
				return
			}
			for _, f := range Validate(e.doc, "") {
				t.Errorf("kind taken from the document: %s %s", f.Code, line(f))
			}
		})
	}
}

// Every required key of every example is missed, with its own pointer and the
// position of the object that should have it.
// A missing key is told in full: what it is called, what it should have held
// (wherever the schema says so), and where its object stands.
func TestDroppedRequiredKeyIsFound(t *testing.T) {
	dropped := 0
	for _, e := range examples(t) {
		s := shared().shape(mustChoose(t, e))
		for _, pointer := range requiredPointers(t, e.doc, s) {
			dropped++
			without, err := e.doc.Delete(pointer)
			if err != nil {
				t.Fatalf("%s: %s: %v", e.file, pointer, err)
			}
			got := Validate(without, e.name)
			i := slices.IndexFunc(got, func(f finding.Finding) bool { return f.Pointer == pointer })
			if i < 0 || got[i].Level != finding.Error || got[i].Line == 0 || !strings.HasPrefix(got[i].Message, "missing key ") {
				t.Errorf("%s without %s: %v", e.file, pointer, got)
				continue
			}
			if got[i].Expected == "" && !strings.Contains(pointer, "/gitPolicy/") && !strings.HasSuffix(pointer, "workerDispatches") {
				t.Errorf("%s without %s: nothing expected", e.file, pointer)
			}
		}
	}
	if dropped < 800 {
		t.Errorf("only %d keys were dropped: the examples or the walk have shrunk", dropped)
	}
}

func mustChoose(t *testing.T, e example) string {
	t.Helper()
	v, err := e.doc.Value()
	if err != nil {
		t.Fatal(err)
	}
	chosen, problems := choose(v, e.name)
	if problems != nil {
		t.Fatalf("%s: %v", e.file, problems)
	}
	return chosen.file
}

// requiredPointers lists the keys of a document that its schema requires
// under all conditions.
func requiredPointers(t *testing.T, doc jsondoc.Doc, s *shape) []string {
	t.Helper()
	v, err := doc.Value()
	if err != nil {
		t.Fatal(err)
	}
	var pointers []string
	var visit func(v any, s *shape, at []string)
	visit = func(v any, s *shape, at []string) {
		if s == nil {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range sortedKeys(v) {
				place := append(slices.Clone(at), key)
				if s.requires(key) {
					pointers = append(pointers, jsondoc.Pointer(place...))
				}
				visit(v[key], s.child(key), place)
			}
		case []any:
			for i, item := range v {
				visit(item, s.child(itoa(i)), append(slices.Clone(at), itoa(i)))
			}
		}
	}
	visit(v, s, nil)
	return pointers
}

// Keys that are required only under a condition which the example fulfils.
func TestDroppedConditionalKeyIsFound(t *testing.T) {
	for _, tt := range []struct{ file, pointer string }{
		{"final-report", "/finalVerification"},
		{"final-report", "/executionStatus/1/reason"},
		{"final-report", "/finalVerification/coverage/0/blockerRef"},
		{"final-report--requirements-discovery", "/requirementsDiscovery"},
		{"final-report--error-analysis", "/errorAnalysis"},
		{"final-report--implementation-planning", "/implementationPlanning"},
		{"final-report--implementation", "/implementation"},
		{"final-report--release-handoff", "/releaseHandoff"},
		{"final-report--improvement-discovery", "/improvementDiscovery"},
		{"run-inputs", "/inputs/models"},
		{"run-inputs", "/inputs/host/runtime"},
		{"event", "/line"},
		{"event--activity", "/contract"},
		{"event--activity", "/id"},
		{"event--activity", "/attempt"},
		{"event--verification", "/round"},
		{"event--decision", "/ref"},
		{"team-state--collected", "/workers/0/usage/totalTokens"},
		{"team-state--collected", "/workers/0/usage/costComplete"},
		{"team-state--collected", "/workers/2/usage/reason"},
		{"team-state--collected", "/workerDispatches/0/attempt"},
		{"team-state--collected", "/workerDispatches/0/writeEnforcement/attribution"},
		{"write-policy", "/gitPolicy/allowedBranchRef"},
		{"agreement", "/fleissKappa/reason"},
		{"convergence", "/next/round"},
		{"wizard-state", "/screen/options"},
		{"wizard-state--group", "/screen/questions"},
		{"validation", "/runs"},
		{"validation", "/runs/0/findings/0/code"},
		{"validation--line", "/code"},
	} {
		doc, err := exampleOf(t, tt.file).Delete(tt.pointer)
		if err != nil {
			t.Fatalf("%s: %v", tt.pointer, err)
		}
		name, _, _ := strings.Cut(tt.file, "--")
		got := Validate(doc, name)
		if len(got) != 1 || got[0].Pointer != tt.pointer || got[0].Code != CodeSchema {
			t.Errorf("%s without %s: %v", tt.file, tt.pointer, got)
		}
	}
}
