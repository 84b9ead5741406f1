package converge

import (
	"errors"
	"fmt"

	"okstra/lib/finding"
)

// RefusedFiles are verdict files that must not be counted. The state stands
// as it was. Each fault is one error.
type RefusedFiles struct{ Faults []finding.Finding }

func (e *RefusedFiles) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap gives one error for each fault, with its place.
func (e *RefusedFiles) Unwrap() []error { return Errors(e.Faults) }

// ExitStatus is that of malformed input.
func (e *RefusedFiles) ExitStatus() int { return 2 }

// inputError is a line about malformed input.
type inputError string

func (e inputError) Error() string { return string(e) }

// ExitStatus is that of malformed input.
func (e inputError) ExitStatus() int { return 2 }

// Errors makes an error of each finding: file, line, code and text.
func Errors(faults []finding.Finding) []error {
	out := make([]error, len(faults))
	for i, f := range faults {
		place := f.Artifact
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Line)
		}
		out[i] = inputError(fmt.Sprintf("%s: %s: %s", place, f.Code, f.Message))
	}
	return out
}
