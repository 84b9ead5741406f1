// Package proc runs one process tree at a time: it starts a program with its
// streams on files, watches it against the limits of its own clock, and ends
// it with everything it left behind.
//
// The calling process becomes the reaper of all that descends from the
// program, whatever sessions and double forks lie between. Run therefore
// belongs into a process of its own that has no other children: a slot.
//
// Rule: docs/dispatch.md, "Limits and the end of a process".
package proc
