package output

import (
	"path"

	"okstra/lib/finding"
)

// Kind and version of the JSON form.
const (
	Kind    = "okstra-validation"
	Version = "1.0"
)

// Run is what was found in one run, or in one document.
type Run struct {
	Run      string            // the path of the run manifest, or of the document
	TaskType string            // "" when it is not known
	RunSeq   string            // "" when it is not known
	Findings []finding.Finding // sorted
	Subjects []Subject         // the artifacts that were judged, for a statement about them
	Rules    []Rule            // the rules that hold for the run
	Judged   []string          // the codes of those that had something to judge
	Prefix   string            // the project root from the folder that paths of annotations are relative to
}

// Subject is an artifact with the digest of its bytes, "sha256:…".
type Subject struct{ Name, Digest string }

// Rule is what a form tells of a rule beside its findings.
type Rule struct {
	Code  string
	Level finding.Level
	Title string
	Help  string // what it checks and why, for people
}

// Counts is the number of findings by level.
type Counts struct {
	Error   int `json:"error"`
	Warning int `json:"warning"`
	Note    int `json:"note"`
}

// Count counts findings by level.
func Count(found []finding.Finding) Counts {
	var c Counts
	for _, f := range found {
		switch f.Level {
		case finding.Error:
			c.Error++
		case finding.Warning:
			c.Warning++
		case finding.Note:
			c.Note++
		}
	}
	return c
}

// Plus adds counts.
func (c Counts) Plus(o Counts) Counts {
	return Counts{c.Error + o.Error, c.Warning + o.Warning, c.Note + o.Note}
}

// verdict is the word for all runs together, with their counts. Where something
// could not be judged, or nothing was judged at all, it is never "passed".
func verdict(runs []Run, lost int) (string, Counts) {
	var c Counts
	for _, r := range runs {
		c = c.Plus(Count(r.Findings))
	}
	if c.Error == 0 && (lost > 0 || len(runs) == 0) {
		return "incomplete", c
	}
	return c.Result(), c
}

// place is the path of an artifact of the run for readers that begin elsewhere:
// from the folder that Prefix leads from, or absolute outside the project.
func (r Run) place(artifact string) string {
	if path.IsAbs(artifact) {
		return artifact
	}
	return path.Join(r.Prefix, artifact)
}

// Result is the word for a run with these findings: errors alone violate its
// contract.
func (c Counts) Result() string {
	if c.Error > 0 {
		return "contract-violated"
	}
	return "passed"
}
