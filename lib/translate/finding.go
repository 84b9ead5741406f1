package translate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"okstra/lib/finding"
)

// The levels a finding of this package can have.
const (
	LevelError   finding.Level = "error"
	LevelWarning finding.Level = "warning"
)

// The names of the grammar checks. Unlike the checks of lib/translate/check
// they cannot be waived: without its blocks a file says nothing.
const (
	CheckHeadingLevel = "heading-level"
	CheckHeadingOrder = "heading-order"
	CheckHeadingShape = "heading-shape"
	CheckCount        = "count"
	CheckEmpty        = "empty"
)

// Finding is one fault of a translation, as `check --format json` prints it.
// Item and Pointer are nil for a fault of the file as a whole.
type Finding struct {
	Item    *string       `json:"item"`
	Pointer *string       `json:"pointer"`
	Check   string        `json:"check"`
	Level   finding.Level `json:"level"`
	Line    int           `json:"line"` // in the translations file, 0 when none
	Missing []string      `json:"missing"`
	Extra   []string      `json:"extra"`
	Message string        `json:"message"`
}

// FindingsKind is the kind of the document that NewFindings makes.
const FindingsKind = "okstra-translation-findings"

// Findings is the document of `check --format json`.
type Findings struct {
	SchemaVersion string    `json:"schemaVersion"`
	Kind          string    `json:"kind"`
	Errors        int       `json:"errors"`
	Warnings      int       `json:"warnings"`
	Findings      []Finding `json:"findings"`
}

// NewFindings counts findings and puts them in order: by line, then by check.
// The order of findings that agree in both is kept.
func NewFindings(found []Finding) Findings {
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Check, b.Check))
	})
	doc := Findings{SchemaVersion: "1.0", Kind: FindingsKind, Findings: []Finding{}}
	for _, f := range sorted {
		if f.Missing == nil {
			f.Missing = []string{}
		}
		if f.Extra == nil {
			f.Extra = []string{}
		}
		doc.Findings = append(doc.Findings, f)
		if f.Level == LevelError {
			doc.Errors++
		} else {
			doc.Warnings++
		}
	}
	return doc
}

// textLimit is how many findings of one check the text form lists, and how many
// ids one of them names.
const textLimit = 10

// Lines is the text form of the findings, without line ends: one line each,
// and after the tenth of a check a line that counts the others.
func (d Findings) Lines(file string) []string {
	var lines []string
	shown := make(map[string]int)
	var order []string
	for _, f := range d.Findings {
		if shown[f.Check]++; shown[f.Check] <= textLimit {
			lines = append(lines, f.line(file))
		} else if shown[f.Check] == textLimit+1 {
			order = append(order, f.Check)
		}
	}
	for _, check := range order {
		lines = append(lines, fmt.Sprintf("%s: %s: and %d more", file, check, shown[check]-textLimit))
	}
	return lines
}

func (f Finding) line(file string) string {
	var b strings.Builder
	b.WriteString(file)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	b.WriteString(": ")
	if f.Item != nil {
		b.WriteString(*f.Item + ": ")
	}
	fmt.Fprintf(&b, "%s %s: %s", f.Level, f.Check, f.Message)
	return b.String()
}

// emptyFinding names the items that have a block without text.
func emptyFinding(ids []string, line int) Finding {
	named := ids
	more := ""
	if len(ids) > textLimit {
		named = ids[:textLimit]
		more = fmt.Sprintf(" and %d more", len(ids)-textLimit)
	}
	return Finding{
		Check: CheckEmpty, Level: LevelError, Line: line, Missing: ids,
		Message: "no text for " + strings.Join(named, ", ") + more,
	}
}
