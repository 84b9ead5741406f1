// Package wizard asks for a run's inputs one screen at a time. Its core is
// pure: (state, facts, event) gives (state, screen, echo). Steps are rows of
// one table; the pending screen is derived from the answers, never stored as a
// position, so that every order of edits leads to the same state.
//
// Rule: docs/wizard.md.
package wizard
