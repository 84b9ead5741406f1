package writepolicy

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/jsondoc"
)

// planFolder writes the chain of documents that leads to a plan and gives the
// project root and the run manifest.
func planFolder(t *testing.T, stage, plan string) (string, jsondoc.Doc) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"context.json":   fmt.Sprintf(`{"run":{"stage":%s},"sourceArtifacts":{"runInputsPath":"inputs.json"}}`, stage),
		"inputs.json":    `{"inputs":{"approvedPlanPath":"reports/plan.md"}}`,
		"plan.data.json": plan,
	} {
		dir := root
		if name == "plan.data.json" {
			dir = filepath.Join(root, "reports")
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, parse(t, `{"activeRunContextPath":"context.json"}`)
}

func plan(rows string) string { return `{"implementationPlanning":{"stages":[` + rows + `]}}` }

func TestW8PlannedPaths(t *testing.T) {
	for _, tt := range []struct {
		name, stage, plan string
		want              []string
		code              string
	}{
		{"commas, breaks and back-ticks", `2`, plan("{\"stage\":2,\"stepwiseExecution\":[{\"files\":\"`b.go`, a.go<br>`c/d.go` ,, \"},{\"files\":null},{},7,{\"files\":\"a.go\"}]}"), []string{"a.go", "b.go", "c/d.go"}, ""},
		{"stage as a text", `"2"`, plan(`{"stage":2,"stepwiseExecution":[{"files":"x"}]}`), []string{"x"}, ""},
		{"leading zeros", `"002"`, plan(`{"stage":2,"stepwiseExecution":[{"files":"x"}]}`), []string{"x"}, ""},
		{"sorted by code point", `1`, plan(`{"stage":1,"stepwiseExecution":[{"files":"z,Z,é,😀,\uffee,a-b,a/b"}]}`), []string{"Z", "a-b", "a/b", "z", "é", "\uffee", "😀"}, ""},
		{"the first row counts", `1`, plan(`{"stage":1,"stepwiseExecution":[{"files":"x"}]},{"stage":1,"stepwiseExecution":[{"files":"y"}]}`), []string{"x"}, ""},
		{"rows that are no objects", `1`, plan(`null,[],{"stage":1,"stepwiseExecution":[{"files":"x"}]}`), []string{"x"}, ""},
		{"blanks inside back-ticks stay", `1`, plan("{\"stage\":1,\"stepwiseExecution\":[{\"files\":\"` a `\"}]}"), []string{" a "}, ""},
		{"text in the plan does not match", `2`, plan(`{"stage":"2","stepwiseExecution":[{"files":"x"}]}`), nil, "no-planned-paths"},
		{"no such stage", `3`, plan(`{"stage":2,"stepwiseExecution":[{"files":"x"}]}`), nil, "no-planned-paths"},
		{"empty stage", `2`, plan(`{"stage":2,"stepwiseExecution":[]}`), nil, "no-planned-paths"},
		{"blank cells", `2`, plan(`{"stage":2,"stepwiseExecution":[{"files":" , <br> "}]}`), nil, "no-planned-paths"},
		{"steps are no list", `2`, plan(`{"stage":2,"stepwiseExecution":{}}`), nil, "no-planned-paths"},
		{"stages are no list", `2`, `{"implementationPlanning":{"stages":{}}}`, nil, "no-planned-paths"},
		{"no planning", `2`, `{}`, nil, "no-planned-paths"},
		{"back-ticks only", `2`, plan("{\"stage\":2,\"stepwiseExecution\":[{\"files\":\"a, `` \"}]}"), nil, "empty-text"},
		{"path form", `2`, plan(`{"stage":2,"stepwiseExecution":[{"files":"./a"}]}`), nil, "path-form"},
		{"files are a list", `2`, plan(`{"stage":2,"stepwiseExecution":[{"files":["a"]}]}`), nil, "files-type"},
		{"files are false", `2`, plan(`{"stage":2,"stepwiseExecution":[{"files":false}]}`), nil, "files-type"},
		{"no stage", `null`, plan(``), nil, "no-stage"},
		{"negative stage", `-2`, plan(``), nil, "no-stage"},
		{"fraction", `2.0`, plan(``), nil, "no-stage"},
		{"digits of another script", `"２"`, plan(``), nil, "no-stage"},
		{"empty text", `""`, plan(``), nil, "no-stage"},
		{"plan is no JSON", `2`, `{`, nil, "document"},
		{"plan is a list", `2`, `[]`, nil, "document-type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, manifest := planFolder(t, tt.stage, tt.plan)
			got, err := PlannedPaths(root, manifest)
			if tt.code != "" {
				wantCode(t, err, tt.code)
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestW8BrokenChainToThePlan(t *testing.T) {
	for _, tt := range []struct{ name, file, text, code, word string }{
		{"no context", "", `{}`, "no-run-context", "active run context"},
		{"context is no text", "", `{"activeRunContextPath":1}`, "no-run-context", ""},
		{"context missing", "", `{"activeRunContextPath":"gone.json"}`, "document", "active run context"},
		{"context is a list", "context.json", `[]`, "document-type", "active run context"},
		{"no run inputs", "context.json", `{"run":{"stage":2}}`, "no-stage", ""},
		{"run inputs are a number", "context.json", `{"run":{"stage":2},"sourceArtifacts":{"runInputsPath":3}}`, "no-stage", ""},
		{"run inputs missing", "context.json", `{"run":{"stage":2},"sourceArtifacts":{"runInputsPath":"gone"}}`, "document", "run inputs"},
		{"no plan", "inputs.json", `{"inputs":{"approvedPlanPath":""}}`, "no-plan", "approved plan"},
		{"inputs without inputs", "inputs.json", `{}`, "no-plan", ""},
		{"plan data missing", "inputs.json", `{"inputs":{"approvedPlanPath":"reports/other.md"}}`, "document", "other.data.json"},
		{"run manifest is a list", "", `[]`, "document-type", "run manifest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, manifest := planFolder(t, "2", plan(`{"stage":2,"stepwiseExecution":[{"files":"x"}]}`))
			if tt.file == "" {
				manifest = parse(t, tt.text)
			} else if err := os.WriteFile(filepath.Join(root, tt.file), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := PlannedPaths(root, manifest)
			wantCode(t, err, tt.code, tt.word)
		})
	}
}

func TestSuffixOfThePlan(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"a/plan.md", "a/plan.data.json"},
		{"/a.b/plan", "/a.b/plan.data.json"},
		{"plan.v1.md", "plan.v1.data.json"},
		{".hidden", ".hidden.data.json"},
		{"dot.", "dot..data.json"},
		{"a//plan.md/", "a/plan.data.json"},
	} {
		if got := withSuffix(tt.path, ".data.json"); got != tt.want {
			t.Errorf("withSuffix(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}
