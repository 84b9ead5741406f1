// Package schema holds the JSON Schema of every document of a run, embedded,
// and turns a document that breaks its schema into located findings.
//
// Which schema a document is held against is decided before anything is
// validated, by its kind and its version; a kind that is not the one due and a
// version from the future are findings of their own, so that no page of
// misleading complaints follows from them. Schemas are compiled when the first
// document needs them. Rule: docs/documents.md.
package schema
