package schema

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

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

// inspect holds a decoded value against the schema of a kind. It changes
// numbers in the value, see tame.
func inspect(value any, name string, unknown bool) []problem {
	value, problems := tame(value, nil, nil)
	chosen, refused := choose(value, name)
	if refused != nil {
		return refused
	}
	l := shared()
	err := l.compile(chosen.file).Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		problems = append(problems, explainer{l, value, l.shape(chosen.file)}.explain(invalid)...)
	case err != nil:
		panic("schema: " + err.Error())
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

// longestNumber is how many digits of a number are looked at. The schema
// library computes with exact fractions, and a number of a million digits,
// spelled out or by exponent, would cost it minutes.
const longestNumber = 40

// tame replaces numbers that are unreasonable to compute with exactly: long
// ones and those with an exponent become floating point. One that is beyond
// floating point is a problem. at is used as a stack.
func tame(v any, at []string, problems []problem) (any, []problem) {
	switch v := v.(type) {
	case map[string]any:
		for key, sub := range v {
			switch sub.(type) {
			case map[string]any, []any, json.Number:
				v[key], problems = tame(sub, append(at, key), problems)
			}
		}
	case []any:
		for i, sub := range v {
			switch sub.(type) {
			case map[string]any, []any, json.Number:
				v[i], problems = tame(sub, append(at, itoa(i)), problems)
			}
		}
	case json.Number:
		return tameNumber(v, at, problems)
	}
	return v, problems
}

func tameNumber(n json.Number, at []string, problems []problem) (any, []problem) {
	if len(n) <= longestNumber && !strings.ContainsAny(string(n), "eE") {
		return n, problems
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err == nil {
		return f, problems
	}
	problems = append(problems, problem{
		code: CodeSchema, keyword: "number", tokens: slices.Clone(at), rank: rankType,
		message: describeValue(n), found: plain(n), expected: "a number that fits 64-bit floating point",
	})
	return math.Copysign(math.MaxFloat64, f), problems
}

func itoa(i int) string { return strconv.Itoa(i) }
