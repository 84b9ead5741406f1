// Package progress is the grammar of the PROGRESS lines by which a lead tells
// which checkpoint of a run it has reached. It does not know in which order
// checkpoints belong. Rule: docs/progress-lines.md.
package progress

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Prefix begins every progress line, in the first column.
const Prefix = "PROGRESS:"

// ErrNoProgress is a line that does not begin with Prefix: not a mistake,
// just another line.
var ErrNoProgress = errors.New("not a PROGRESS line")

// Line is one checkpoint. Phase is its id, Text the words behind it, which
// may be missing; Text neither begins nor ends in white space when the line
// was parsed from one without white space at its end.
type Line struct{ Phase, Text string }

var phase = regexp.MustCompile(`^(phase-[0-9]+(\.[0-9]+)*-[a-z][a-z0-9-]*|phase-batch-cleanup|complete)$`)

// Is reports whether line claims to be a progress line, well formed or not.
func Is(line string) bool { return strings.HasPrefix(line, Prefix) }

// Parse reads one line, given without its line end. It returns ErrNoProgress
// for a line that does not begin with Prefix in its first column, and an
// error that says what is wrong for one that does and breaks the grammar.
func Parse(line string) (Line, error) {
	rest, ok := strings.CutPrefix(line, Prefix)
	if !ok {
		return Line{}, ErrNoProgress
	}
	if strings.ContainsAny(line, "\r\n") {
		return Line{}, fmt.Errorf("progress line %q: line break inside (expected one line)", line)
	}
	rest, ok = strings.CutPrefix(rest, " ")
	if !ok {
		return Line{}, fmt.Errorf("progress line %q: no blank after %s", line, Prefix)
	}
	id, text, hasText := strings.Cut(rest, " ")
	if !phase.MatchString(id) {
		return Line{}, fmt.Errorf("progress line %q: phase %q (expected phase-<number>-<name>, phase-batch-cleanup or complete)", line, id)
	}
	if hasText && (text == "" || strings.TrimLeft(text[:1], " \t\v\f") == "") {
		return Line{}, fmt.Errorf("progress line %q: more than one blank after the phase (expected one blank and a text)", line)
	}
	return Line{Phase: id, Text: text}, nil
}

// String gives the line as it is emitted, without a line end.
func (l Line) String() string {
	if l.Text == "" {
		return Prefix + " " + l.Phase
	}
	return Prefix + " " + l.Phase + " " + l.Text
}

// HasWord reports whether word is one of the words of the text, letter case
// aside: how a line names a role or a status.
func (l Line) HasWord(word string) bool {
	for w := range strings.FieldsSeq(l.Text) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
