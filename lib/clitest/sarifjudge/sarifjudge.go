// Package sarifjudge holds SARIF logs against the schema and the code of others.
// It stands apart from lib/clitest because the libraries it needs compile five
// drafts of JSON Schema whenever a program starts that links them: every test
// program would pay that for each command it runs in a script. It is imported
// by tests only.
package sarifjudge

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Log holds a SARIF log against two judges that are not ours: the OASIS
// schema, and the validator of the go-sarif module, which reads the log into
// types of its own first.
func Log(t testing.TB, log []byte) {
	t.Helper()
	Schema(t, log)
	report, err := sarif.FromBytes(log)
	if err == nil {
		err = report.Validate()
	}
	if err != nil {
		t.Errorf("go-sarif: %v\n%s", err, log)
	}
}

// Schema holds the bytes of a SARIF log, as they stand, against the OASIS
// schema (2.1.0, errata 01).
func Schema(t testing.TB, log []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Errorf("SARIF log: %v\n%s", err, log)
		return
	}
	oasis, err := oasisSchema()
	if err != nil {
		t.Fatalf("OASIS schema: %v", err)
	}
	if err := oasis.Validate(v); err != nil {
		t.Errorf("OASIS schema: %v\n%s", err, log)
	}
}

// oasisSchema is the schema that go-sarif carries as a constant of its source.
var oasisSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	entry := reflect.ValueOf(sarif.NewReport).Pointer()
	file, _ := runtime.FuncForPC(entry).FileLine(entry)
	source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(filepath.Dir(file), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	text := ""
	ast.Inspect(source, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && text == "" {
			text, _ = strconv.Unquote(lit.Value)
		}
		return true
	})
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif-schema-2.1.0.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("sarif-schema-2.1.0.json")
})
