package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The changes of an entry or a ref.
const (
	Created  = "created"
	Modified = "modified"
	Deleted  = "deleted"
	Retyped  = "type"
	Chmod    = "mode"
	Metadata = "metadata" // owner, times or extended attributes only
	Moved    = "moved"    // a ref
)

// Difference is one entry of a tree that is not as it was.
type Difference struct {
	Root   string // absolute
	Path   string // below Root
	Change string
	Detail string
	Type   Type // of the entry; of what was there before when it is gone

	attributes bool // its mode or owner changed
}

// find gives the row of a path, nil if there is none.
func (r *Root) find(path string) *Row {
	i, ok := slices.BinarySearchFunc(r.Rows, Row{Path: path}, comparePaths)
	if !ok {
		return nil
	}
	return &r.Rows[i]
}

// pairs calls each for every entry of both snapshots, root by root in the
// order of before, path by path. A side on which there is no such entry is
// nil. A root that only after has comes last.
func pairs(before, after *Snapshot, each func(root string, b, a *Row) error) error {
	for _, root := range rootsOf(before, after) {
		b, a := rowsIn(before, root), rowsIn(after, root)
		for len(b) > 0 || len(a) > 0 {
			var left, right *Row
			switch {
			case len(a) == 0 || len(b) > 0 && b[0].Path < a[0].Path:
				left, b = &b[0], b[1:]
			case len(b) == 0 || a[0].Path < b[0].Path:
				right, a = &a[0], a[1:]
			default:
				left, right, b, a = &b[0], &a[0], b[1:], a[1:]
			}
			if err := each(root, left, right); err != nil {
				return err
			}
		}
	}
	return nil
}

func rootsOf(snapshots ...*Snapshot) []string {
	var roots []string
	for _, s := range snapshots {
		for _, r := range s.Roots {
			if !slices.Contains(roots, r.Root) {
				roots = append(roots, r.Root)
			}
		}
	}
	return roots
}

func rowsIn(s *Snapshot, root string) []Row {
	for i := range s.Roots {
		if s.Roots[i].Root == root {
			return s.Roots[i].Rows
		}
	}
	return nil
}

// same tells whether nothing of an entry changed, as far as the file system
// says. The time of the last change of the inode is what gives a job away that
// puts the other times back.
func same(b, a *Row) bool {
	return b.Type == a.Type && b.Mode == a.Mode && b.UID == a.UID && b.GID == a.GID && b.Size == a.Size &&
		b.Mtime == a.Mtime && b.Ctime == a.Ctime && b.Ino == a.Ino && (b.Type == File || b.Digest == a.Digest)
}

// Differences compares the trees of two snapshots. Unobserved are the absolute
// paths of which one of the snapshots knows nothing: there, no difference is
// no proof.
func Differences(before, after *Snapshot) (list []Difference, unobserved []string) {
	hidden := make(map[string][]string)
	for _, s := range []*Snapshot{before, after} {
		for _, r := range s.Roots {
			for _, path := range r.Unreadable {
				hidden[r.Root] = append(hidden[r.Root], path)
				if full := joinRoot(r.Root, path); !slices.Contains(unobserved, full) {
					unobserved = append(unobserved, full)
				}
			}
		}
	}
	slices.Sort(unobserved)
	_ = pairs(before, after, func(root string, b, a *Row) error {
		d, changed := difference(b, a)
		if !changed {
			return nil
		}
		row := cmp.Or(a, b)
		if (a == nil || b == nil) && isHidden(row.Path, hidden[root]) {
			return nil
		}
		d.Root, d.Path, d.Type = root, row.Path, row.Type
		list = append(list, d)
		return nil
	})
	return list, unobserved
}

// isHidden tells whether a path lies below one that could not be read. The
// unreadable entry itself is there on both sides.
func isHidden(path string, unreadable []string) bool {
	return slices.ContainsFunc(unreadable, func(u string) bool { return u == "." || strings.HasPrefix(path, u+"/") })
}

func joinRoot(root, path string) string {
	if path == "." {
		return root
	}
	return strings.TrimSuffix(root, "/") + "/" + path
}

// difference tells how an entry changed: the most that happened to it.
func difference(b, a *Row) (Difference, bool) {
	switch {
	case b == nil:
		return Difference{Change: Created, Detail: about(a)}, true
	case a == nil:
		return Difference{Change: Deleted, Detail: about(b)}, true
	case same(b, a):
		return Difference{}, false
	case b.Type == Unknown || a.Type == Unknown:
		return Difference{}, false // it stands among the unobserved
	case b.Type != a.Type:
		return Difference{Change: Retyped, Detail: fmt.Sprintf("%s to %s", b.Type, a.Type)}, true
	}
	var details []string
	if b.Mode != a.Mode {
		details = append(details, fmt.Sprintf("mode %04o to %04o", b.Mode, a.Mode))
	}
	if b.UID != a.UID || b.GID != a.GID {
		details = append(details, fmt.Sprintf("owner %d:%d to %d:%d", b.UID, b.GID, a.UID, a.GID))
	}
	d := Difference{Change: Metadata, attributes: len(details) > 0}
	switch content, why := contentChanged(b, a); {
	case content:
		d.Change = Modified
		if why != "" {
			details = append(details, why)
		}
	case b.Mode != a.Mode:
		d.Change = Chmod
	case len(details) == 0:
		details = append(details, timesOf(b, a))
	}
	d.Detail = strings.Join(details, "; ")
	return d, true
}

// about tells what a created or deleted entry is, where that is not a plain
// file or directory of the usual mode.
func about(r *Row) string {
	switch {
	case r.Type == Link:
		return "link to " + r.Digest
	case r.Type == File && (r.Mode == 0o644 || r.Mode == 0o600):
		return ""
	case r.Type == Dir:
		return "directory"
	case r.Type == File:
		return fmt.Sprintf("mode %04o", r.Mode)
	}
	return r.Type.String()
}

// contentChanged tells whether an entry of one type has another content, or
// may have: what is not proved equal counts as changed.
func contentChanged(b, a *Row) (changed bool, why string) {
	switch b.Type {
	case Dir:
		if b.Ino != a.Ino {
			return true, "replaced by another directory"
		}
		return false, ""
	case File:
	default:
		return b.Digest != a.Digest || b.Ino != a.Ino && b.Type != Link, ""
	}
	switch {
	case b.Size != a.Size:
		return true, ""
	case b.Digest != "" && a.Digest != "":
		return b.Digest != a.Digest, ""
	case b.Mtime != a.Mtime || b.Ino != a.Ino:
		return true, ""
	case b.Ctime != a.Ctime && b.Mode == a.Mode && b.UID == a.UID && b.GID == a.GID:
		return true, "content not proved equal: only the inode's change time moved"
	}
	return false, ""
}

func timesOf(b, a *Row) string {
	switch {
	case b.Type == Dir:
		return "extended attributes"
	case b.Ino != a.Ino:
		return "another file with the same content"
	case b.Mtime != a.Mtime:
		return "modification time"
	}
	return "change time: extended attributes, links or times"
}
