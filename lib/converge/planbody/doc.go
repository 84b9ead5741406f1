// Package planbody verifies the body of an implementation plan: workers judge
// its items one by one, the plan is mended between two rounds, and a gate says
// whether the user may be asked to approve it. It is arithmetic on values, as
// its parent package is.
//
// Rule: docs/converge.md, "The body of a plan".
package planbody
