// Package gitrepo asks a git repository questions, and makes the worktrees of
// tasks.
//
// The git program answers; nothing of its formats is read here that git does
// not document as stable. A question takes no lock, refreshes no index and
// starts no program that the repository's configuration names, because the
// repository may have been changed by a worker whom we do not trust.
//
// Rule: docs/worktrees.md.
package gitrepo
