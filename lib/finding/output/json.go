package output

import (
	"okstra/lib/finding"
)

// Validation is the document of the JSON form.
type Validation struct {
	SchemaVersion string    `json:"schemaVersion"`
	Kind          string    `json:"kind"`
	Runs          []RunJSON `json:"runs"`
}

// RunJSON is a run in it. What is not known of a run is null.
type RunJSON struct {
	Run      string            `json:"run"`
	TaskType *string           `json:"taskType"`
	RunSeq   *string           `json:"runSeq"`
	Result   string            `json:"result"`
	Counts   Counts            `json:"counts"`
	Findings []finding.Finding `json:"findings"`
}

// JSON is the findings as one document.
func JSON(runs []Run) Validation {
	doc := Validation{SchemaVersion: Version, Kind: Kind, Runs: make([]RunJSON, len(runs))}
	for i, r := range runs {
		counts := Count(r.Findings)
		doc.Runs[i] = RunJSON{
			Run: r.Run, TaskType: known(r.TaskType), RunSeq: known(r.RunSeq),
			Result: counts.Result(), Counts: counts, Findings: r.Findings,
		}
		if r.Findings == nil {
			doc.Runs[i].Findings = []finding.Finding{}
		}
	}
	return doc
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Line is a finding in the form of JSON lines: it can be read alone.
type Line struct {
	SchemaVersion string `json:"schemaVersion"`
	Kind          string `json:"kind"`
	Run           string `json:"run"`
	finding.Finding
}

// Lines is the findings of a run, one line each.
func Lines(r Run) []Line {
	out := make([]Line, len(r.Findings))
	for i, f := range r.Findings {
		out[i] = Line{Version, Kind, r.Run, f}
	}
	return out
}
