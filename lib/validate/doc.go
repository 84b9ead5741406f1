// Package validate reads a run folder and says, finding by finding, where it
// breaks its contract. It never writes.
//
// A run is loaded once: everything that its manifest names, directly or through
// another document, is read strictly and kept with what was wrong about it. The
// rules then look at what could be read. A rule whose document is missing or
// broken is silent, because that document has a finding of its own; so one
// fault never hides another, and no fault is told twice.
//
// Rules are rows of tables, one table per kind of artifact; Rules lists them
// all. Whatever can be computed from the documents is computed again with the
// packages that produced it. Rule: docs/validate.md.
package validate
