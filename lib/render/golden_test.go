package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/jsondoc"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(t testing.TB, name string) jsondoc.Doc {
	t.Helper()
	doc, err := jsondoc.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// parse reads report data from text; its name stands in errors only.
func parse(t testing.TB, text string) jsondoc.Doc {
	t.Helper()
	doc, err := jsondoc.Parse("x.data.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

func TestMarkdownOfWholeReports(t *testing.T) {
	for _, name := range []string{"error-analysis", "implementation-planning"} {
		t.Run(name, func(t *testing.T) {
			got, err := Markdown(load(t, name+".data.json"))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".md", got)
		})
	}
}
