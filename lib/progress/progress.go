// Package progress is the grammar of the PROGRESS lines by which a lead tells
// which checkpoint of a run it has reached. It does not know in which order
// checkpoints belong. Rule: docs/progress-lines.md.
package progress

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Prefix begins every progress line, in the first column.
const Prefix = "PROGRESS:"

// ErrNoProgress is a line that does not begin with Prefix: not a mistake,
// just another line.
var ErrNoProgress = errors.New("not a PROGRESS line")

// Line is one checkpoint: the id of its phase and the words behind it, which
// may be missing.
type Line struct{ Phase, Text string }

var (
	grammar = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^PROGRESS: (phase-[0-9]+(?:\.[0-9]+)*-[a-z][a-z0-9-]*|phase-batch-cleanup|complete)(?: (\S.*))?$`)
	})
	phaseID = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:phase-[0-9]+(?:\.[0-9]+)*-[a-z][a-z0-9-]*|phase-batch-cleanup|complete)$`)
	})
)

// Claims reports whether a line claims to be a progress line, well formed or
// not: whether it begins with Prefix in its first column.
func Claims(line string) bool { return strings.HasPrefix(line, Prefix) }

// Parse reads one line, given without its line end. It returns ErrNoProgress
// for a line that does not claim to be one, and an error that says what is
// wrong for one that does but breaks the grammar.
func Parse(line string) (Line, error) {
	if !Claims(line) {
		return Line{}, ErrNoProgress
	}
	match := grammar().FindStringSubmatch(line)
	if match == nil {
		return Line{}, fmt.Errorf("progress line %q: %s", line, complaint(line[len(Prefix):]))
	}
	return Line{Phase: match[1], Text: match[2]}, nil
}

// complaint tells why rest, what stands behind Prefix, breaks the grammar.
func complaint(rest string) string {
	id, text, _ := strings.Cut(strings.TrimPrefix(rest, " "), " ")
	switch {
	case strings.Contains(rest, "\n"):
		return "line break inside (expected one line)"
	case !strings.HasPrefix(rest, " "):
		return "no blank behind the colon"
	case id == "":
		return "more than one blank in front of the phase, or none there"
	case !phaseID().MatchString(id):
		return fmt.Sprintf("phase %q (expected phase-<number>-<name>, phase-batch-cleanup or complete)", id)
	case text == "":
		return "a blank at the end (expected a text behind it)"
	}
	return "white space where the text begins (expected one blank and a text)"
}

// String gives the line as it is emitted, without a line end.
func (l Line) String() string {
	if l.Text == "" {
		return Prefix + " " + l.Phase
	}
	return Prefix + " " + l.Phase + " " + l.Text
}

// HasWord reports whether word is one of the words of the text, letter case
// aside: how a line names a role, a worker or a status.
func (l Line) HasWord(word string) bool {
	for w := range strings.FieldsSeq(l.Text) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
