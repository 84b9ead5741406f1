package validate

import (
	"fmt"

	"okstra/lib/finding"
)

// judge collects what one rule finds in one run.
type judge struct {
	*subject
	rule   Rule
	going  bool // the run is still going on
	errors int  // that the rules before have found, for a rule that is judged last
	out    []finding.Finding
	only   []*artifact // the documents that may be reported on as such, nil for all
}

// documents are the artifacts that the rules about documents look at.
func (j *judge) documents() []*artifact {
	if j.only != nil {
		return j.only
	}
	return j.artifacts
}

func (j *judge) add(f finding.Finding) {
	if f.Level == "" {
		f.Level = j.rule.Level
	}
	f.Code = j.rule.Code
	j.out = append(j.out, f)
}

// at reports a value. The message begins with what was found and is read
// behind the pointer of the value; expected tells what would have done.
func (j *judge) at(n node, expected, format string, args ...any) {
	if n.src == nil {
		return
	}
	f := finding.Finding{
		Artifact: n.src.artifact.path, Pointer: n.pointer,
		Message: fmt.Sprintf(format, args...), Found: n.plain(), Expected: expected,
	}
	f.Line, f.Column = n.src.place(n.pointer)
	f.Anchor = n.src.anchor(n.pointer)
	j.add(f)
}

// anchor names a value of the text for a fingerprint.
func (s *source) anchor(pointer string) string {
	if s.row > 0 {
		return string(s.doc.Raw)
	}
	return anchor(s.value, pointer)
}

// line reports a line of a text.
func (j *judge) line(a *artifact, line int, expected, format string, args ...any) {
	j.add(finding.Finding{
		Artifact: a.path, Line: line, Message: fmt.Sprintf(format, args...), Expected: expected, Anchor: a.line(line),
	})
}

// file reports an artifact as a whole.
func (j *judge) file(a *artifact, expected, format string, args ...any) {
	j.add(finding.Finding{Artifact: a.path, Message: fmt.Sprintf(format, args...), Expected: expected})
}

// parsed reports what a parser of Markdown found under the code of this rule.
func (j *judge) parsed(a *artifact, found []finding.Finding, codes ...string) {
	for _, f := range found {
		for _, code := range codes {
			if f.Code == code {
				j.add(finding.Finding{
					Artifact: a.path, Line: f.Line, Column: f.Column, Message: f.Message,
					Found: f.Found, Expected: f.Expected, Anchor: a.line(f.Line),
				})
			}
		}
	}
}
