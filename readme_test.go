package okstra_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/clitest"
)

// TestConsoleBlocksInTheDocsAreTrue runs what README.md and docs/*.md show at
// a prompt against programs built from this tree. A page's commands find the
// folders examples/ and testdata/ of the project in their own folder.
func TestConsoleBlocksInTheDocsAreTrue(t *testing.T) {
	pages := documentation(t)
	if len(pages) == 0 {
		t.Skip("no page has a console block")
	}
	bin, fixture := programs(t), t.TempDir()
	for _, dir := range []string{"examples", "testdata"} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(fixture, dir), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			clitest.Console(t, page, fixture, bin)
		})
	}
}

// documentation lists the pages that show a console.
func documentation(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, page := range append([]string{"README.md"}, pages...) {
		text, err := os.ReadFile(page)
		if err == nil && strings.Contains(string(text), "```console") {
			list = append(list, page)
		}
	}
	return list
}
