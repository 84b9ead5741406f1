package schema

import (
	"strings"

	"okstra/lib/finding"
)

// choice is the schema that a document is held against.
type choice struct {
	file string
	// newer says that the document's minor version is above every version
	// known here: it may have keys that nobody here has heard of.
	newer bool
}

// choose finds the schema of a document by its kind and version, before
// anything is validated. Problems mean that there is none. An empty name
// takes the kind that the document names itself.
// Rule: docs/documents.md, "Kinds and versions".
func choose(value any, name string) (choice, []problem) {
	object, isObject := value.(map[string]any)
	e, known := catalogue()[name]
	if name == "" {
		kind, _ := object["kind"].(string)
		e, known = catalogue()[strings.TrimPrefix(kind, kindPrefix)]
		known = known && e.kind() == kind
	}
	if !known {
		return choice{}, []problem{unknownKind(object, isObject, value, name)}
	}
	if kind := e.kind(); kind != "" {
		if p, ok := wrongKind(object, isObject, value, kind); ok {
			return choice{}, []problem{p}
		}
	}
	if e.name == "ledger-row" {
		return chooseLedgerRow(e, object)
	}
	return chooseVersion(e, object)
}

// unknownKind is the finding for a kind that no schema stands for, whether
// the document or the caller named it.
func unknownKind(object map[string]any, isObject bool, value any, name string) problem {
	p := problem{code: CodeKind, keyword: "kind", expected: "a kind that begins with \"" + kindPrefix + "\" and that has a schema"}
	switch kind, has := object["kind"]; {
	case name != "":
		p.found, p.message = name, "no schema for "+finding.Quote(name)
		p.expected = "one of " + strings.Join(Kinds(), ", ")
	case !isObject:
		p.found = describeValue(value)
		p.expected = "an object with " + p.expected
	case !has:
		p.tokens, p.message = []string{"kind"}, `missing key "kind"`
	default:
		p.tokens, p.found, p.message = []string{"kind"}, plain(kind), describeValue(kind)
	}
	return p
}

// wrongKind compares the document's kind with the one that is due.
func wrongKind(object map[string]any, isObject bool, value any, due string) (problem, bool) {
	p := problem{code: CodeKind, keyword: "kind", tokens: []string{"kind"}, expected: due}
	kind, has := object["kind"]
	switch {
	case !isObject:
		p.tokens, p.found, p.expected = nil, describeValue(value), "an object of kind "+due
	case !has:
		p.message = `missing key "kind"`
	case kind != due:
		p.found, p.message = plain(kind), describeValue(kind)
	default:
		return problem{}, false
	}
	return p, true
}

// chooseVersion takes the newest schema of the document's major version. A
// version that is missing or is no version at all is the schema's to refuse:
// the newest one does.
func chooseVersion(e entry, object map[string]any) (choice, []problem) {
	newest := choice{file: e.file(e.newest())}
	text, _ := object["schemaVersion"].(string)
	v, ok := parseVersion(text)
	if !ok || e.kind() == "" {
		return newest, nil
	}
	for i := len(e.versions) - 1; i >= 0; i-- {
		have := e.versions[i]
		if have.major == v.major && (have.minor <= v.minor || i == 0 || e.versions[i-1].major != v.major) {
			newer := have.minor < v.minor
			return choice{file: e.file(have), newer: newer}, nil
		}
	}
	return choice{}, []problem{wrongVersion(e, text)}
}

func wrongVersion(e entry, text string) problem {
	var known []string
	for i, v := range e.versions {
		if i+1 == len(e.versions) || e.versions[i+1].major != v.major {
			known = append(known, finding.Quote(v.String()))
		}
	}
	return problem{
		code: CodeVersion, keyword: "schemaVersion", tokens: []string{"schemaVersion"},
		found: text, message: finding.Quote(text), expected: alternatives(known),
	}
}

// chooseLedgerRow tells the two generations of ledger rows apart. The older
// one had no references, and in it schemaVersion could be missing or
// anything; so the references decide first, the version second.
func chooseLedgerRow(e entry, object map[string]any) (choice, []problem) {
	first, second := choice{file: e.file(version{1, 0})}, choice{file: e.file(version{2, 0})}
	_, assignment := object["assignmentRef"]
	_, execution := object["roleExecutionRef"]
	_, worker := object["workerId"]
	text, _ := object["schemaVersion"].(string)
	v, isVersion := parseVersion(text)
	switch {
	case assignment || execution:
		if isVersion && v.major > 2 {
			return choice{}, []problem{wrongVersion(e, text)}
		}
		second.newer = isVersion && v.major == 2 && v.minor > 0
		return second, nil
	case worker:
		return first, nil
	case isVersion && v.major == 2:
		return second, nil
	default:
		return first, nil
	}
}
