// Package output writes findings in the forms that people and other programs
// read. It decides nothing: what is a finding, and what follows from one, is
// settled before. The same findings give the same bytes.
//
// Rule: docs/validate.md, "Output".
package output
