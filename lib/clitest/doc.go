// Package clitest is what the tests of the programs share: scripts that run
// the real main functions, help pages and documentation whose examples are
// executed, and the few machine-dependent set-ups (another user, a small disk,
// a tool that may be missing), each of which skips with a reason where it
// cannot be had. It is imported by tests only.
package clitest
