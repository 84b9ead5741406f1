// Package audit finds what changed in a tree while workers ran in it, and says
// whether they were allowed to change it.
//
//	snapshot.go    what a tree looked like: values, roots, git state
//	scan.go        directories → rows; scan_linux.go is the quick way
//	state.go       the git state beside the tree
//	encode.go      snapshot ↔ JSON
//	prove.go       which changed files still have the same content
//	compare.go     two snapshots → differences; compare_git.go for git
//	place.go       what a path of a git directory is
//	judge.go       differences and policies → changes and violations
//	chain.go       an implementer's commits against its policy
//	authority.go   whether snapshots and policies belong together
//
// Whatever could not be looked at is unknown, never clean. Taking a snapshot
// takes no lock, writes nothing and follows no link.
//
// Rule: docs/audit.md.
package audit
