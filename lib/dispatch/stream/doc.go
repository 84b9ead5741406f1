// Package stream reads what a running agent CLI prints: which session it is,
// what it used, how it ended, and the readable account that goes to its log.
//
// How a provider's stream is read is data (Rules, from its provider row); the
// shapes that all of them share, such as the names of token counts, are code.
// Nothing here decides an outcome: a Summary is evidence.
//
// Rule: docs/dispatch.md, "What a stream tells".
package stream
