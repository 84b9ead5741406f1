package okstra_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The import table in docs/architecture.md stands between these lines.
const (
	tableBegin = "<!-- import table: from arch_table_test.go, UPDATE_SCRIPTS=1 go test . -->\n"
	tableEnd   = "<!-- end of import table -->\n"
)

func TestTheImportTableInTheDocsIsTheOneThatIsEnforced(t *testing.T) {
	const page = "docs/architecture.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	before, rest, found := strings.Cut(text, tableBegin)
	_, after, foundEnd := strings.Cut(rest, tableEnd)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the import table", page)
	}
	want := before + tableBegin + markdownTable() + tableEnd + after
	if text == want {
		return
	}
	if os.Getenv("UPDATE_SCRIPTS") == "" {
		t.Fatalf("%s shows another import table than the one enforced; run UPDATE_SCRIPTS=1 go test .", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func markdownTable() string {
	var b strings.Builder
	b.WriteString("\n| shelf | package | one responsibility | may import | third party |\n| --- | --- | --- | --- | --- |\n")
	var reasons []string
	shelf := ""
	for _, row := range table {
		name := row.shelf
		if name == shelf {
			name = ""
		}
		shelf = row.shelf
		uses := "–"
		if len(row.uses) > 0 {
			uses = strings.ReplaceAll(strings.Join(row.uses, ", "), "lib/", "")
		}
		third := "–"
		if len(row.third) > 0 {
			third = strings.Join(row.third, ", ")
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", name, row.pkg, row.does, uses, third)
		if row.why != "" {
			reasons = append(reasons, fmt.Sprintf("* `%s`: %s.\n", row.pkg, row.why))
		}
	}
	b.WriteString("\nArrows that need a reason:\n\n" + strings.Join(reasons, "") + "\n")
	return b.String()
}
