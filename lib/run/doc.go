// Package run holds the typed documents of a run folder, the references
// between them and where each of them lies. It holds values and knows no rule
// of any tool.
//
// Rule: docs/documents.md.
package run
