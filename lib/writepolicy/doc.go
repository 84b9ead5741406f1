// Package writepolicy decides what one attempt of a worker may write, and what
// the dispatcher can truthfully promise about it.
//
//	values.go      the checks of single values: paths, roots, texts
//	payload.go     a policy payload → Policy, with its digest
//	build.go       invocation and assignment → Policy
//	git.go         what an implementer may do to its branch
//	contract.go    the one way in which dispatchers ask for a policy
//	enforce.go     Policy and the boundary at hand → enforcement
//	enforcement.go an enforcement payload, checked
//	planned.go     run manifest → the paths that a stage planned
//
// A payload is checked as it was read, not as it was decoded: its keys are
// exact, and its digest covers values that no rule looks at.
//
// Rule: docs/write-policy.md.
package writepolicy
