// Package check compares a translation with its source and lists what got lost,
// what came in and what looks odd.
//
// Each check is one unit with a name and a level, in one table (Units): errors
// say that something a machine reads is damaged, warnings that a person should
// look again. Every unit compares, none judges the translation alone. So what
// the source itself holds is never a fault, and a translation that equals its
// source has no error. Rule: docs/translate.md, "Checks".
package check
