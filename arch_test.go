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

// rule is what one package may import, and what it is for.
type rule struct {
	shelf string
	pkg   string   // "lib/transcript/*" stands for every package below that has no row of its own
	does  string   // one responsibility
	uses  []string // packages of this module: a row's pkg, or a shelf as "bytes shelf"
	third []string // modules, by the short names of thirdParty
}

// The import table. A package may import what its row lists and nothing else,
// and a row lists only packages of rows above it; the few that stand on one
// shelf and build on each other come in that order. A new package gets a row
// here (the order is the order of docs/architecture.md, which a test compares)
// with the responsibility that it alone has.
var table = []rule{
	{"bytes", "lib/safetext", "untrusted text made safe to show",
		nil, []string{"x/text", "uax29"}},
	{"bytes", "lib/jsondoc", "one JSON document: strict reading with positions, order-keeping edits, --select",
		nil, []string{"json", "gjson", "sjson", "gojq"}},
	{"bytes", "lib/jsonl", "a stream of JSON lines, each with its position",
		[]string{"lib/jsondoc"}, []string{"json"}}, // a line is a small document: one strict reader, not two
	{"bytes", "lib/digest", "the canonical form of a JSON value and its SHA-256",
		nil, []string{"json"}},
	{"bytes", "lib/atomicfile", "files that survive a crash and a second writer: replace, append, lock",
		nil, []string{"renameio", "flock", "x/sys"}},

	{"shell", "lib/cli", "a function becomes a process: streams, flags, help, error line, status, signals",
		[]string{"bytes shelf"}, []string{"kingpin", "x/term", "mpb"}},

	{"model", "lib/finding", "a located finding and its order",
		nil, nil},
	{"model", "lib/progress", "the PROGRESS line grammar",
		nil, nil},
	{"model", "lib/gitrepo", "questions to a git repository, worktrees",
		nil, nil},
	{"model", "lib/schema", "the embedded schemas; document → findings",
		[]string{"lib/jsondoc", "lib/finding"}, []string{"jsonschema"}},
	{"model", "lib/run", "the run folder: its typed documents, references and where each lies",
		[]string{"bytes shelf", "lib/finding", "lib/schema"}, nil},
	{"model", "lib/provider", "the provider catalogue: how to start each, its models",
		[]string{"lib/jsondoc"}, nil},
	{"model", "lib/price", "model name and tokens → money",
		[]string{"lib/provider"}, nil},
	{"model", "lib/sarif", "SARIF 2.1.0 reading and writing",
		nil, nil},

	{"transcripts", "lib/transcript", "the Event type, the signature of a reader, where homes are",
		nil, nil},
	{"transcripts", "lib/transcript/rawjson", "one pass over a transcript line without allocating",
		nil, nil}, // the hot path of token-usage; gjson walks a line once per field
	{"transcripts", "lib/transcript/lines", "what the line-based formats share: rows, sizes, skipped lines",
		[]string{"lib/transcript", "lib/transcript/rawjson"}, nil},
	{"transcripts", "lib/transcript/*", "one provider's file format → events",
		[]string{"lib/transcript", "lib/transcript/rawjson", "lib/transcript/lines", "lib/jsonl"},
		[]string{"gjson", "compress", "sqlite"}},
	{"transcripts", "lib/transcript/all", "provider name → reader",
		[]string{"lib/transcript", "lib/transcript/*"}, nil},
	{"transcripts", "lib/evidence", "a lead's log or transcript → progress lines in a window",
		[]string{"lib/progress", "lib/transcript", "lib/transcript/all", "lib/jsonl"}, nil},

	{"dispatch", "lib/writepolicy", "what a worker may write, and what can be promised about it",
		[]string{"lib/run", "lib/digest", "lib/gitrepo"}, nil},
	{"dispatch", "lib/audit", "snapshots of a tree, compared and judged",
		[]string{"lib/writepolicy", "lib/gitrepo", "lib/digest"}, []string{"x/sys"}},
	{"dispatch", "lib/dispatch/proc", "one process tree: start, limits, verified end",
		[]string{"lib/run"}, []string{"x/sys"}}, // run: the words of the status file
	{"dispatch", "lib/dispatch/boundary", "overlay, Landlock or none around a process",
		[]string{"lib/dispatch/proc", "lib/writepolicy"}, []string{"go-landlock", "x/sys"}},
	{"dispatch", "lib/dispatch/stream", "what a running CLI prints → session, usage, how it ended",
		[]string{"lib/provider", "lib/jsonl", "lib/run", "lib/safetext", "lib/dispatch/proc"}, []string{"gjson"}}, // run: the usage block; safetext: the readable log; proc: follows its output file
	{"dispatch", "lib/dispatch/replay", "the provider that plays recordings",
		[]string{"lib/provider", "lib/jsondoc"}, nil},
	{"dispatch", "lib/dispatch", "plan → batch → outcome, retries, ledger",
		[]string{
			"bytes shelf", "lib/schema", "lib/run", "lib/provider", "lib/price", "lib/progress", "lib/writepolicy", "lib/audit",
			"lib/dispatch/proc", "lib/dispatch/boundary", "lib/dispatch/stream", "lib/dispatch/replay",
		},
		[]string{"x/sync", "x/sys"}}, // x/sys: free space before a batch

	{"usage", "lib/usage/scan", "homes → events, in parallel, incrementally (the cache)",
		[]string{"lib/transcript", "lib/atomicfile", "lib/jsondoc"}, []string{"x/sync"}},
	{"usage", "lib/usage/attribute", "which session belongs to which worker",
		[]string{"lib/transcript", "lib/run"}, nil},
	{"usage", "lib/usage", "events → totals, cost, phase timeline, project report",
		[]string{"lib/transcript", "lib/price", "lib/run", "lib/progress", "lib/evidence"}, nil},

	{"converge", "lib/converge/grouping", "the Markdown of workers and lead (results, grouping, verdicts, critics) ↔ values",
		[]string{"lib/run", "lib/finding"}, nil},
	{"converge", "lib/converge/agreement", "agreement statistics of a rating table",
		nil, nil},
	{"converge", "lib/converge", "groups + verdicts → state, queue, classification; pure",
		[]string{"lib/run", "lib/finding", "lib/digest", "lib/sarif", "lib/converge/grouping"}, nil}, // takes the parsed Markdown as its input values

	{"translate", "lib/translate", "report data ↔ translatable items, sidecar",
		[]string{"lib/run", "lib/digest", "lib/finding", "lib/jsondoc"}, []string{"x/text"}}, // jsondoc: an edit must keep the order of the report's keys
	{"translate", "lib/translate/check", "source and translation compared",
		[]string{"lib/finding"}, []string{"goldmark", "x/text"}},
	{"translate", "lib/translate/po", "gettext PO ↔ items",
		[]string{"lib/translate"}, nil},
	{"translate", "lib/translate/xliff", "XLIFF ↔ items",
		[]string{"lib/translate"}, nil},

	{"wizard", "lib/wizard", "(state, facts, event) → (state, screen); the step table, the picker; pure",
		[]string{"lib/run"}, []string{"x/text"}},
	{"wizard", "lib/wizard/facts", "a project → what the steps need to know",
		[]string{"lib/wizard", "lib/run", "lib/provider", "lib/gitrepo", "lib/safetext"}, nil},
	{"wizard", "lib/wizard/hosts", "screen → a host's payload, a host's reply → answer",
		[]string{"lib/wizard", "lib/safetext"}, nil},

	{"report", "lib/render", "a report as Markdown or HTML, charts included",
		[]string{"lib/run", "lib/finding", "lib/safetext", "lib/jsondoc"}, []string{"goldmark"}}, // jsondoc: sections appear in the order of the data

	{"validate", "lib/validate", "run folder → findings; the rule table",
		[]string{
			"lib/run", "lib/schema", "lib/finding", "lib/progress", "lib/evidence", "lib/writepolicy",
			"lib/converge", "lib/converge/grouping", "lib/translate", "lib/render",
		},
		[]string{"x/sync"}},

	{"output", "lib/finding/output", "findings as text, JSON, SARIF, JUnit, GitHub, in-toto",
		[]string{"lib/finding", "lib/sarif", "lib/safetext"}, nil},

	{"test", "lib/clitest", "script set-up, exits, console blocks, fake CLIs, no-root helper",
		[]string{"lib/cli"}, []string{"testscript"}}, // cli: it runs the examples of an App's help
	{"test", "lib/clitest/modelserver", "the stand-in model server",
		nil, nil},
	{"test", "lib/clitest/testrun", "go test with the skips counted",
		nil, nil},
	{"test", "lib/clitest/e2e", "the real CLIs against the stand-in server",
		[]string{"lib/clitest", "lib/clitest/modelserver"}, nil},

	{"programs", "cmd/*", "flags, help and wiring",
		[]string{"every shelf but test"}, nil},
}

// thirdParty gives the modules that the table names their import paths. A
// module that is not here cannot be imported at all.
var thirdParty = map[string]string{
	"compress":    "github.com/klauspost/compress",
	"flock":       "github.com/gofrs/flock",
	"gjson":       "github.com/tidwall/gjson",
	"go-cmp":      "github.com/google/go-cmp",
	"go-landlock": "github.com/landlock-lsm/go-landlock",
	"gojq":        "github.com/itchyny/gojq",
	"goldmark":    "github.com/yuin/goldmark",
	"json":        "github.com/go-json-experiment/json",
	"jsonschema":  "github.com/santhosh-tekuri/jsonschema/v6",
	"kingpin":     "github.com/alecthomas/kingpin/v2",
	"mpb":         "github.com/vbauerster/mpb/v8",
	"rapid":       "pgregory.net/rapid",
	"renameio":    "github.com/google/renameio/v2",
	"sjson":       "github.com/tidwall/sjson",
	"sqlite":      "modernc.org/sqlite",
	"testscript":  "github.com/rogpeppe/go-internal",
	"uax29":       "github.com/clipperhouse/uax29/v2",
	"x/sync":      "golang.org/x/sync",
	"x/sys":       "golang.org/x/sys",
	"x/term":      "golang.org/x/term",
	"x/text":      "golang.org/x/text",
}

// forTests may be imported by every test, whatever the row says.
var forTests = []string{"rapid", "go-cmp"}

// exempt lists, with the reason, packages below cmd that may touch the process
// after all; and single names elsewhere.
var exempt = map[string][]string{
	"lib/cli":                 {"*"}, // it is the one place that does
	"lib/clitest":             {"*"}, // tests only
	"lib/clitest/modelserver": {"*"}, // tests only
	"lib/clitest/testrun":     {"*"}, // a program of its own
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
