// Package po reads and writes gettext PO files and turns the items of a report
// into one and back.
//
// What a file says is kept to the byte: a string is never wrapped anew, and
// reading what was written gives the same entries. Files are read as gettext
// writes them, with its comments, previous texts and obsolete entries; what
// the reader does not understand is an error with its line.
// Rule: docs/translate.md, "PO".
package po
