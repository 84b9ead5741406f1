package atomicfile

import (
	"path/filepath"
	"strings"
)

// Companion is what a file is to the one that it stands beside.
type Companion int

// A file is the target itself, its lock, or a temporary file that is to
// replace it.
const (
	Target Companion = iota
	TargetsLock
	TargetsTemporary
)

// CompanionOf tells by its name what path is, and to which target.
// Rule: docs/files.md.
func CompanionOf(path string) (Companion, string) {
	if target, ok := strings.CutSuffix(path, lockSuffix); ok {
		return TargetsLock, target
	}
	dir, name := filepath.Split(path)
	base := strings.TrimPrefix(strings.TrimRight(name, "0123456789"), ".")
	if base != "" && isTemporary(name, base) {
		return TargetsTemporary, dir + base
	}
	return Target, path
}
