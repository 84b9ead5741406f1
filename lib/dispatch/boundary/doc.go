// Package boundary puts a kernel boundary around a process: a private overlay
// of the tree it works in, a Landlock domain, or none, and tells truthfully
// what the kernel gave and what it leaves open.
//
// A boundary is probed before it is relied on. What a probe did not show to
// hold is not available, and nothing weaker is taken in its place: choosing is
// the caller's.
//
// Rule: docs/dispatch.md, "Boundaries".
package boundary
