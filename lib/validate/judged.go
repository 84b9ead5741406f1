package validate

import (
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/schema"
)

// A statement about a run lists the rules that it has kept. A rule that had
// nothing to look at, because a document could not be read or breaks its
// schema, finds nothing either: it is neither kept nor broken, and stands in
// no list. Which documents a rule looks at is noted while it is applied; the
// manifest and what the roster is read from come with the table of the rule.
// Rule: docs/validate.md, "Output".

// extent is how far the reading of an artifact came.
type extent int

const (
	extentNone  extent = iota // not there although it is due, or not to be opened
	extentBytes               // its bytes are no JSON
	extentJSON                // of a kind or version that nobody here knows
	extentKind                // it breaks its schema
	extentWhole               // all of it
)

// extent is how far the reading of the artifact came.
func (a *artifact) extent() extent {
	switch {
	case a.refused, a.missing && slices.ContainsFunc(a.wanted, func(w want) bool { return w.required }):
		return extentNone
	case a.fault != nil && a.fault.code == "doc-syntax", len(a.bad) > 0:
		return extentBytes
	case a.fault != nil:
		return extentNone
	}
	far := extentWhole
	for _, f := range a.schema {
		switch {
		case f.Level != finding.Error:
		case f.Code == schema.CodeKind || f.Code == schema.CodeVersion:
			return extentJSON
		default:
			far = extentKind
		}
	}
	return far
}

// due is how far a rule about documents wants to have read each of them.
var due = map[string]extent{
	"doc-syntax": extentBytes, "doc-torn-line": extentBytes, "doc-kind": extentJSON, "doc-path": extentJSON, "doc-identity": extentKind,
	"doc-version": extentKind, "doc-schema": extentKind, "doc-unknown-key": extentKind,
}

// noted empties the notes of what a rule has looked at.
func (s *subject) noted() {
	for _, a := range s.artifacts {
		a.used = false
	}
}

// ran says whether a rule that was just applied had what it looks at.
func (j *judge) ran(t table) bool {
	if t.about == documents {
		return !slices.ContainsFunc(j.documents(), func(a *artifact) bool { return a.extent() < due[j.rule.Code] })
	}
	basis := []*artifact{j.manifest}
	if t.roster {
		basis = append(basis, j.team)
	}
	for _, a := range j.artifacts {
		if a.used {
			basis = append(basis, a)
		}
	}
	return !slices.ContainsFunc(basis, func(a *artifact) bool { return a != nil && a.extent() < extentWhole })
}

// markdownRules are the rules of the table that the grammar of a kind of
// Markdown stands for; the grammars of the others have codes of their own.
var markdownRules = map[string][]string{
	"worker-result": {grouping.CodeFrontMatter, grouping.CodeSection, grouping.CodeConfirmation, grouping.CodeItem, grouping.CodeItemID},
	"worker-audit":  {grouping.CodeAudit},
}
