// Package xliff reads and writes XLIFF 2.1 files and turns the items of a
// report into one and back.
//
// The format is that of OASIS, 13 February 2018; the reader takes 2.0 as well,
// whose core is the same. Codes, placeholders and links are protected as
// inline elements with their text in originalData, and a text comes back to
// the byte whatever it holds. The reader refuses what it does not know, so
// that nothing a tool wrote into a file gets lost unseen.
// Rule: docs/translate.md, "XLIFF".
package xliff
