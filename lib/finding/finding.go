// Package finding is a located finding and its order. It holds no rule and
// writes no format.
package finding

import (
	"cmp"
	"slices"
)

// Level is how grave a finding is.
type Level string

// The levels, gravest first.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Levels gives all levels, gravest first.
func Levels() []Level { return []Level{Error, Warning, Note} }

// Valid reports whether l is one of Levels.
func (l Level) Valid() bool { return slices.Contains(Levels(), l) }

// Compare orders levels, the gravest first. An unknown level comes last.
func (l Level) Compare(other Level) int { return cmp.Compare(l.rank(), other.rank()) }

// AtLeast reports whether l is as grave as floor or graver.
func (l Level) AtLeast(floor Level) bool { return l.rank() <= floor.rank() }

func (l Level) rank() int {
	if i := slices.Index(Levels(), l); i >= 0 {
		return i
	}
	return len(Levels())
}

// Finding is one thing that is wrong, and where. Artifact is the path of the
// file from the project root; Pointer is a JSON pointer into it, empty for
// files that are not JSON; Line and Column count from 1 and are 0 where there
// is no place. Found and Expected are texts for people, Message says both in
// one sentence without the place. Anchor is what the fingerprint is made of
// besides Code and Artifact: it names the element by its id, so that a
// finding is recognised after rows were inserted in front of it. Fingerprint
// and Baseline are filled in when a run is compared with an earlier one.
type Finding struct {
	Level       Level  `json:"level"`
	Code        string `json:"code"`
	Artifact    string `json:"artifact"`
	Pointer     string `json:"pointer,omitempty"`
	Line        int    `json:"line,omitempty"`
	Column      int    `json:"column,omitempty"`
	Message     string `json:"message"`
	Found       string `json:"found,omitempty"`
	Expected    string `json:"expected,omitempty"`
	Anchor      string `json:"-"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Baseline    string `json:"baseline,omitempty"`
}

// Compare orders findings as they are listed: by artifact, line, pointer and
// code; then by column, level and message, so that equal input always gives
// one order.
func Compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Artifact, b.Artifact),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Pointer, b.Pointer),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Column, b.Column),
		a.Level.Compare(b.Level),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Found, b.Found),
		cmp.Compare(a.Expected, b.Expected),
		cmp.Compare(a.Anchor, b.Anchor),
		cmp.Compare(a.Fingerprint, b.Fingerprint),
		cmp.Compare(a.Baseline, b.Baseline),
	)
}

// Sort puts findings into the order of Compare.
func Sort(findings []Finding) { slices.SortStableFunc(findings, Compare) }
