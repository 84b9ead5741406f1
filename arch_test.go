package okstra_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forTests may be imported by every test, whatever the row says: the libraries
// for tests, and x/text for its language tags, which are parameters of
// lib/translate.
var forTests = []string{"rapid", "go-cmp", "x/text"}

// exempt lists, with the reason, packages below cmd that may touch the process
// after all; and single names elsewhere.
var exempt = map[string][]string{
	"lib/cli":                 {"*"}, // it is the one place that does
	"lib/clitest":             {"*"}, // tests only
	"lib/clitest/modelserver": {"*"}, // tests only
	"lib/clitest/testrun":     {"*"}, // a program of its own
	"lib/clitest/usagebench":  {"*"}, // a program of its own
	"lib/clitest/e2e":         {"*"}, // tests only
}

const module = "okstra/"

func TestEveryImportIsInTheTable(t *testing.T) {
	for _, src := range sources(t) {
		row, ok := ruleFor(src.pkg)
		if !ok {
			if src.pkg != "." {
				t.Errorf("%s: package %s has no row in the import table of arch_test.go", src.path, src.pkg)
			}
			continue
		}
		for _, imported := range src.imports() {
			if err := row.allows(imported, src); err != nil {
				t.Errorf("%s: %v", src.path, err)
			}
		}
	}
}

func TestTheTablePointsUpwardsOnly(t *testing.T) {
	above := map[string]bool{}
	shelves := []string{}
	for _, row := range table {
		for _, use := range row.uses {
			shelf, isShelf := strings.CutSuffix(use, " shelf")
			switch {
			case use == "every shelf but test":
			case isShelf && !slices.Contains(shelves, shelf):
				t.Errorf("%s: there is no shelf %q above it", row.pkg, shelf)
			case !isShelf && !above[use]:
				t.Errorf("%s: %s does not stand above it", row.pkg, use)
			}
		}
		for _, name := range row.third {
			if thirdParty[name] == "" {
				t.Errorf("%s: third party %q is not in the list", row.pkg, name)
			}
		}
		if above[row.pkg] {
			t.Errorf("%s has two rows", row.pkg)
		}
		if n := len(shelves); n == 0 || shelves[n-1] != row.shelf {
			if slices.Contains(shelves, row.shelf) {
				t.Errorf("%s: shelf %q is not in one piece", row.pkg, row.shelf)
			}
			shelves = append(shelves, row.shelf)
		}
		above[row.pkg] = true
	}
}

// forbidden names what code below cmd gets from its caller instead.
var forbidden = map[string]string{
	"os.Exit":        "return an error",
	"os.Stdin":       "cli.IO.In",
	"os.Stdout":      "cli.IO.Out",
	"os.Stderr":      "cli.IO.Err",
	"os.Getenv":      "cli.Env",
	"os.LookupEnv":   "cli.Env",
	"os.Environ":     "cli.Env",
	"os.ExpandEnv":   "cli.Env",
	"os.UserHomeDir": "cli.Env",
	"time.Now":       "cli.Env.Now",
	"time.Since":     "cli.Env.Now",
	"time.Until":     "cli.Env.Now",
}

func TestOnlyTheShellTouchesTheProcess(t *testing.T) {
	for _, src := range sources(t) {
		if src.test || src.pkg == "." || slices.Contains(exempt[src.pkg], "*") {
			continue
		}
		for _, fault := range src.processUse() {
			if src.program() && src.main() && fault.name == "os.Exit" {
				continue // the one line that a main is
			}
			if !slices.Contains(exempt[src.pkg], fault.name) {
				t.Errorf("%s: %s (use %s)", fault.position, fault.name, fault.instead)
			}
		}
	}
}

// source is one Go file.
type source struct {
	path string
	pkg  string // its folder, "." for the root
	test bool
	file *ast.File
	set  *token.FileSet
}

func (s source) program() bool { return strings.HasPrefix(s.pkg, "cmd/") }
func (s source) main() bool    { return path.Base(s.path) == "main.go" }

func (s source) imports() []string {
	var list []string
	for _, spec := range s.file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// sources parses every Go file of the module. Folders with a go.mod of their
// own, such as the demo's service, are other modules.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, modErr := os.Stat(filepath.Join(name, "go.mod"))
			base := entry.Name()
			if name != "." && (modErr == nil || base == "testdata" || base[0] == '.' || base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, source{
			path: filepath.ToSlash(name), pkg: filepath.ToSlash(filepath.Dir(name)),
			test: strings.HasSuffix(name, "_test.go"), file: file, set: set,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// ruleFor is the row of a package: its own, else the one that stands for it.
func ruleFor(pkg string) (rule, bool) {
	for _, row := range table {
		if row.pkg == pkg {
			return row, true
		}
	}
	for _, row := range table {
		if strings.HasSuffix(row.pkg, "/*") && path.Dir(pkg) == path.Dir(row.pkg) {
			return row, true
		}
	}
	return rule{}, false
}

// allows says why an import is not in order, nil if it is. Tests may use every
// package of the module, and the libraries for tests.
func (r rule) allows(imported string, src source) error {
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case strings.HasPrefix(imported, module):
		used := strings.TrimPrefix(imported, module)
		if src.test || used == src.pkg || r.usesPackage(used) {
			return nil
		}
		return fmt.Errorf("%s must not import %s: its row does not list it", src.pkg, used)
	case strings.Contains(first, "."):
		if r.usesModule(imported, src.test) {
			return nil
		}
		return fmt.Errorf("%s must not import %s: its row does not list it", src.pkg, imported)
	case imported == "log" && !slices.Contains(exempt[src.pkg], "*") && !src.test:
		return errors.New("package log writes around cli.IO")
	}
	return nil
}

func (r rule) usesPackage(used string) bool {
	row, ok := ruleFor(used)
	if !ok {
		return false
	}
	return slices.ContainsFunc(r.uses, func(use string) bool {
		return use == used || use == row.pkg || use == row.shelf+" shelf" ||
			use == "every shelf but test" && row.shelf != "test" && row.shelf != "programs"
	})
}

func (r rule) usesModule(imported string, test bool) bool {
	names := r.third
	if test {
		names = slices.Concat(names, forTests)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		root := thirdParty[name]
		return imported == root || strings.HasPrefix(imported, root+"/")
	})
}

// fault is a use of the process where it is not allowed.
type fault struct {
	position token.Position
	name     string
	instead  string
}

// processUse finds the forbidden names, init functions and flag variables.
func (s source) processUse() []fault {
	var list []fault
	add := func(at token.Pos, name, instead string) {
		list = append(list, fault{s.set.Position(at), name, instead})
	}
	local := map[string]string{} // the name a package has in this file
	for _, spec := range s.file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			local[spec.Name.Name] = name
		} else {
			local[path.Base(name)] = name
		}
	}
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				add(d.Pos(), "init", "a constructor")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR && local["flag"] == "flag" {
				add(d.Pos(), "flag variable", "cli.Flags")
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Obj == nil && local[x.Name] != "" {
			name := local[x.Name] + "." + selector.Sel.Name
			if instead := forbidden[name]; instead != "" {
				add(selector.Pos(), name, instead)
			}
		}
		return true
	})
	return list
}
