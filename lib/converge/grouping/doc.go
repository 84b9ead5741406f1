// Package grouping reads and writes the Markdown of a convergence: the
// results of workers, the lead's grouping, the verdict files of a round and
// the files of critics.
//
// Every parser gives what it could read together with the faults of the whole
// file, each with its line and a code. A value is complete only where there is
// no fault; the parsers guess nothing. None of them panics on any bytes.
//
// Rule: docs/converge.md, "Files".
package grouping
