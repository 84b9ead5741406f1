package schema

import (
	"strconv"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// Validate holds a document against the schema of a kind and gives what it
// finds, sorted by place; nil when there is nothing. The kind may be given
// with or without "okstra-"; "" takes the one that the document names. Keys
// that the schema does not name are warnings, unless the document has a newer
// minor version; everything else is an error. Rows inside a document that are
// documents of their own, as in a team state's ledger, are validated too.
// Rule: docs/documents.md, "Kinds and versions".
func Validate(doc jsondoc.Doc, kind string) []finding.Finding {
	value, err := doc.Value()
	if err != nil {
		return []finding.Finding{unreadable(doc, err)}
	}
	name := strings.TrimPrefix(kind, kindPrefix)
	list := findings(doc, nil, inspect(value, name, true))
	if name == "" {
		object, _ := value.(map[string]any)
		own, _ := object["kind"].(string)
		name = strings.TrimPrefix(own, kindPrefix)
	}
	for _, in := range embedded[name] {
		list = append(list, in.validate(doc, value)...)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// unreadable is the finding for a document that was put together by hand
// without being JSON; Parse never gives one.
func unreadable(doc jsondoc.Doc, err error) finding.Finding {
	return finding.Finding{Level: finding.Error, Code: CodeSchema, Artifact: doc.Name, Message: err.Error(), Expected: "a JSON value"}
}

// inspect holds a decoded value against the schema of a kind.
func inspect(value any, name string, unknown bool) []problem {
	chosen, refused := choose(value, name)
	if refused != nil {
		return refused
	}
	l := shared()
	root := l.root(chosen.file)
	var problems []problem
	if !root.fits(value) {
		c := checker{shape: l.shape(chosen.file)}
		c.check(root, value)
		problems = c.problems
	}
	if unknown && !chosen.newer {
		problems = l.shape(chosen.file).unknownKeys(value, nil, problems)
	}
	return tidy(problems)
}

// embeddedRows is a list inside a document whose objects are documents
// without being part of the outer schema, so that a reader of the outer one
// survives a row that it cannot use.
type embeddedRows struct{ key, name string }

var embedded = map[string][]embeddedRows{"team-state": {{"workerDispatches", "ledger-row"}}}

// validate validates the objects of the list; what is no list and no object
// is left to those who read it.
func (in embeddedRows) validate(doc jsondoc.Doc, value any) []finding.Finding {
	object, _ := value.(map[string]any)
	rows, _ := object[in.key].([]any)
	var list []finding.Finding
	for i, row := range rows {
		if _, ok := row.(map[string]any); ok {
			list = append(list, findings(doc, []string{in.key, itoa(i)}, inspect(row, in.name, true))...)
		}
	}
	return list
}

func itoa(i int) string { return strconv.Itoa(i) }
