package okstra_test

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// ownReaders lists the files that decode JSON with encoding/json after all, and
// why that cannot mislead. Its decoder takes "Role" for "role", so whatever
// comes from outside goes into structs by lib/jsondoc only: Doc.Decode, or
// Unmarshal for a part that was read strictly.
var ownReaders = map[string]string{
	"cmd/okstra-dispatch/hidden.go":          "an order from ourselves",
	"lib/dispatch/slot.go":                   "messages between ourselves",
	"lib/dispatch/boundary/enclose_linux.go": "an order from ourselves",
	"lib/schema/library.go":                  "embedded",
	"lib/wizard/host.go":                     "embedded",
	"lib/wizard/texts.go":                    "embedded",
	"cmd/okstra-token-usage/report.go":       "a text",
	"lib/audit/encode.go":                    "texts and numbers of a row",
	"lib/audit/large.go":                     "maps, lists and texts",
	"lib/converge/agreement/rating.go":       "a map",
	"lib/converge/agreement/value.go":        "texts and numbers",
	"lib/converge/planbody/plan.go":          "maps, lists and texts",
	"lib/dispatch/evidence.go":               "a text",
	"lib/dispatch/journal.go":                "only whether it is cut off",
	"lib/dispatch/replay/play.go":            "a text",
	"lib/dispatch/replay/values.go":          "a value without a type",
	"lib/provider/template.go":               "maps and texts",
	"lib/run/inputs.go":                      "a text",
	"lib/translate/walk.go":                  "a text",
	"lib/usage/collect/status.go":            "a map and texts",
	"lib/usage/snapshot.go":                  "a map and numbers",
	"lib/validate/rules_translation.go":      "a text",
	"lib/validate/snapshot.go":               "token by token",
	"lib/wizard/facts/scan.go":               "a text",
	"lib/wizard/group.go":                    "maps, lists and texts",
	"lib/evidence/transcript.go":             "a provider's transcript, read leniently",
}

func TestOutsideJSONIsDecodedByOneReader(t *testing.T) {
	used := map[string]bool{}
	for _, src := range sources(t) {
		if src.test || src.pkg == "." || strings.HasPrefix(src.pkg, "lib/clitest") || strings.HasPrefix(src.pkg, "lib/transcript") || src.pkg == "lib/jsondoc" || !importsStdJSON(src.file) {
			continue
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := call.X.(*ast.Ident)
			if ok && (pkg.Name == "json" || pkg.Name == "stdjson") && (call.Sel.Name == "Unmarshal" || call.Sel.Name == "NewDecoder") {
				used[src.path] = true
			}
			return true
		})
	}
	for path := range used {
		if ownReaders[path] == "" {
			t.Errorf("%s decodes with encoding/json (use lib/jsondoc, or say in ownReaders why not)", path)
		}
	}
	for path := range ownReaders {
		if !used[path] {
			t.Errorf("%s stands in ownReaders for nothing", path)
		}
	}
}

func importsStdJSON(file *ast.File) bool {
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == "encoding/json" {
			return true
		}
	}
	return false
}
