package audit

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/writepolicy"
)

// AuthorityError is a pair of snapshots, or policies, that do not belong
// together. Mismatches is in the order: root, artifact root, policy digests.
type AuthorityError struct{ Mismatches []string }

// Error names every mismatch.
func (e *AuthorityError) Error() string {
	return "mutation snapshot does not match batch policies: " + strings.Join(e.Mismatches, "; ")
}

// ExitStatus says that the inputs are the caller's mistake.
func (e *AuthorityError) ExitStatus() int { return 2 }

// CheckAuthority tells, by an *AuthorityError, that the snapshots are not of
// one tree or that before was not taken for these policies, in this order. The
// policies of after are not compared: they are the same or nobody's.
// Rule: docs/audit.md, "Rounds".
func CheckAuthority(before, after *Snapshot, policies []writepolicy.Policy) error {
	e := &AuthorityError{}
	differ := func(what, a, b string) {
		if a != b {
			e.Mismatches = append(e.Mismatches, fmt.Sprintf("%s %s != %s", what, a, b))
		}
	}
	differ("root", before.Root, after.Root)
	differ("artifactRoot", before.ArtifactRoot, after.ArtifactRoot)
	digests := make([]string, len(policies))
	for i, p := range policies {
		digests[i] = p.Digest
	}
	if !slices.Equal(before.PolicyDigests, digests) {
		e.Mismatches = append(e.Mismatches, fmt.Sprintf("policyDigests snapshot=%s policies=%s", strings.Join(before.PolicyDigests, ","), strings.Join(digests, ",")))
	}
	if len(e.Mismatches) == 0 {
		return nil
	}
	return e
}
