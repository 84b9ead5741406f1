package clitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Guarded fails for each entry of a list whose tests are not there. An entry
// names what must hold and the tests that guard it: a test function, one of
// its cases ("TestX/case", the case as it stands in the source), or a script
// of the caller's testdata ("x.txtar"). Test functions are looked for in the
// folders and below them.
func Guarded(t *testing.T, list map[string][]string, dirs ...string) {
	t.Helper()
	functions, texts := testsOf(t, dirs...)
	for what, tests := range list {
		if len(tests) == 0 {
			t.Errorf("%s: no test is named", what)
		}
		for _, name := range tests {
			function, example, _ := strings.Cut(name, "/")
			found := functions[function] && (example == "" || texts[example])
			if strings.HasSuffix(name, ".txtar") {
				_, err := os.Stat(filepath.Join("testdata", name))
				found = err == nil
			}
			if !found {
				t.Errorf("%s: there is no %s", what, name)
			}
		}
	}
}

// testsOf gives the names of the test functions below the folders, and the
// texts that stand in their files.
func testsOf(t *testing.T, dirs ...string) (functions, texts map[string]bool) {
	t.Helper()
	functions, texts = map[string]bool{}, map[string]bool{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					functions[n.Name.Name] = true
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
						texts[text] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return functions, texts
}
