// Package okstra holds no code. It is the door to six programs that
// cross-verify the work of coding agents, and to the packages below lib that
// they are wired from.
//
// A run goes through them like this:
//
//	okstra-wizard       asks what is to be verified, by whom   → run inputs
//	okstra-dispatch     runs the workers in parallel           → results, ledger
//	okstra-converge     groups findings, counts the votes      → queue, state
//	okstra-dispatch     runs the re-verification of the queue  → verdicts
//	okstra-converge     classifies what was found              → report rows
//	okstra-token-usage  reads transcripts                      → tokens, cost
//	okstra-translate    carries the report into other languages
//	okstra-validate     proves that the run kept its contract  → findings
//
// Each program reads and writes JSON or JSON lines, is useful alone, and is
// composed with the others by a shell. docs/architecture.md describes the tree
// and which package may import which; arch_test.go enforces it.
//
// The packages below lib can be imported, but they promise nothing: the
// contract of this project is the JSON that the programs read and write, the
// arguments they take and the status they exit with.
package okstra

//go:generate make -s man
