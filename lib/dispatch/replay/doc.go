// Package replay plays recordings of agent CLIs back, so that a whole run can
// be shown, tested and tried out without an account: what a worker printed,
// the files and the transcript it left, how long it took, and how it failed.
// A recording is played by a process of its own, to which limits, boundaries
// and audits apply as to any other.
//
// Rule: docs/replay.md.
package replay
