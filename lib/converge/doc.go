// Package converge turns grouped findings and verdicts into a convergence
// state: what is agreed, what is contested, what only one worker saw. It is
// arithmetic on values. It reads no file, asks no clock and compares no texts:
// which findings are the same, and whether evidence convinces, is for the lead
// and the workers to say.
//
// A state holds everything that led to it. Each of its derived parts can be
// recomputed from its rounds, and Check does so.
//
// Rule: docs/converge.md.
package converge
