// Package cli turns a function into a well-behaved process.
//
// A program describes itself as an App: commands, each with hand-written help,
// typed flags and a body. Main parses the arguments, opens the streams, runs
// the body and turns the error it returns into lines on standard error and an
// exit status. Bodies never exit, never touch the process streams and never
// ask for the time or the environment: all of it arrives in an IO value.
//
// The argument parser is kingpin, and it is used nowhere else. Its surprises
// (a lone "-" that vanishes, "@file" expansion, help on the wrong stream,
// flags that exit on their own) are closed in parse.go, each with a script in
// testdata. Rule: docs/cli.md; statuses: docs/exit-status.md.
package cli
