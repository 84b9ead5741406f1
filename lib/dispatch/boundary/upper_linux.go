package boundary

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"okstra/lib/atomicfile"
)

// upperChange is one thing that an upper layer holds.
type upperChange struct {
	path    string // below the tree, slashes
	change  string
	regular bool
	size    int64 // of a regular file
	folder  bool  // a new folder
	empty   bool  // with nothing in it
}

// readUpper lists what a job changed, from the upper layer of its overlay:
//
//	a file, a link       created, or modified where the tree has one too
//	a device 0:0         deleted
//	an opaque folder     what the tree has in it is deleted
//	a file as it was     mode or metadata only: the kernel copies it up for that
//
// The order is that of the walk, by name.
func readUpper(upper, tree string) ([]upperChange, error) {
	var list []upperChange
	err := filepath.WalkDir(upper, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(upper, at)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if at == upper {
			list = append(list, compareTop(at, info)...)
			return nil
		}
		found, err := compareUpper(at, filepath.Join(tree, rel), rel, info)
		list = append(list, found...)
		return err
	})
	return list, err
}

func compareUpper(at, below, rel string, info fs.FileInfo) ([]upperChange, error) {
	old, err := os.Lstat(below)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		return nil, err
	}
	missing := err != nil
	one := func(change string) []upperChange {
		return []upperChange{{path: rel, change: change, regular: info.Mode().IsRegular(), size: info.Size()}}
	}
	switch {
	case isWhiteout(at, info):
		if missing {
			return nil, nil // made and removed again
		}
		return one("deleted"), nil
	case missing:
		created := one("created")
		created[0].folder, created[0].empty = info.IsDir(), isEmptyDir(at, info)
		return created, nil
	case info.Mode().Type() != old.Mode().Type():
		return one("type"), nil
	case info.IsDir():
		return compareFolders(at, below, rel, info, old)
	case info.Mode()&fs.ModeSymlink != 0:
		return changedIf(!sameLink(at, below), one, info, old, true), nil
	case !info.Mode().IsRegular():
		return one("modified"), nil
	}
	same, err := sameContent(at, below, info, old)
	return changedIf(!same, one, info, old, attributes(at) == attributes(below)), err
}

// topMode is the mode with which the top of an upper layer is made.
const topMode = 0o700

// compareTop looks at the top of an upper layer. It was made for the job, not
// copied from the tree, so whatever else it has is the job's.
func compareTop(at string, info fs.FileInfo) []upperChange {
	switch {
	case info.Mode().Perm() != topMode:
		return []upperChange{{path: ".", change: "mode"}}
	case strings.Contains(attributes(at), "\x00user."):
		return []upperChange{{path: ".", change: "metadata"}}
	}
	return nil
}

func isEmptyDir(at string, info fs.FileInfo) bool {
	if !info.IsDir() {
		return false
	}
	list, err := os.ReadDir(at)
	return err == nil && len(list) == 0
}

// changedIf names the change of something that both sides have; alike tells
// that their extended attributes are the same.
func changedIf(changed bool, one func(string) []upperChange, info, old fs.FileInfo, alike bool) []upperChange {
	switch {
	case changed:
		return one("modified")
	case info.Mode() != old.Mode():
		return one("mode")
	case !info.ModTime().Equal(old.ModTime()) || ownerOf(info) != ownerOf(old) || !alike:
		return one("metadata")
	}
	return nil // opened for writing and left as it was
}

// compareFolders looks at a folder that both sides have. A folder that hides
// the tree's one is as good as a removal of everything in it.
func compareFolders(at, below, rel string, info, old fs.FileInfo) ([]upperChange, error) {
	var list []upperChange
	if isOpaque(at) {
		entries, err := os.ReadDir(below)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if _, err := os.Lstat(filepath.Join(at, entry.Name())); errors.Is(err, fs.ErrNotExist) {
				list = append(list, upperChange{path: filepath.Join(rel, entry.Name()), change: "deleted"})
			}
		}
	}
	switch {
	case info.Mode() != old.Mode():
		list = append(list, upperChange{path: rel, change: "mode"})
	case ownerOf(info) != ownerOf(old) || attributes(at) != attributes(below):
		list = append(list, upperChange{path: rel, change: "metadata"})
	}
	return list, nil
}

// attributes are the extended attributes of a file, each behind a zero byte with
// its name and value, sorted; access lists are among them. What the overlay
// itself notes there is left out.
func attributes(at string) string {
	names := make([]byte, 64<<10)
	n, err := unix.Llistxattr(at, names)
	if err != nil || n <= 0 {
		return ""
	}
	list := strings.Split(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00")
	slices.Sort(list)
	var text strings.Builder
	value := make([]byte, 64<<10)
	for _, name := range list {
		if strings.HasPrefix(name, "user.overlay.") || strings.HasPrefix(name, "trusted.overlay.") {
			continue
		}
		n, err := unix.Lgetxattr(at, name, value)
		if err != nil {
			n = 0 // ours to name, not to read
		}
		fmt.Fprintf(&text, "\x00%s\x00%d\x00%s", name, n, value[:n])
	}
	return text.String()
}

func isWhiteout(at string, info fs.FileInfo) bool {
	if info.Mode()&fs.ModeCharDevice != 0 {
		return deviceOf(info) == 0
	}
	return info.Mode().IsRegular() && info.Size() == 0 && hasXattr(at, "user.overlay.whiteout")
}

func isOpaque(at string) bool {
	value := make([]byte, 2)
	n, err := unix.Lgetxattr(at, "user.overlay.opaque", value)
	return err == nil && n == 1 && value[0] == 'y'
}

func hasXattr(at, name string) bool {
	_, err := unix.Lgetxattr(at, name, nil)
	return err == nil
}

func sameLink(a, b string) bool {
	x, err1 := os.Readlink(a)
	y, err2 := os.Readlink(b)
	return err1 == nil && err2 == nil && x == y
}

func sameContent(a, b string, x, y fs.FileInfo) (bool, error) {
	if x.Size() != y.Size() {
		return false, nil
	}
	f, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer g.Close()
	left, right := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errLeft := io.ReadFull(f, left)
		m, errRight := io.ReadFull(g, right)
		if n != m || !bytes.Equal(left[:n], right[:m]) {
			return false, nil
		}
		if errLeft != nil || errRight != nil {
			if isEnd(errLeft) && isEnd(errRight) {
				return true, nil
			}
			return false, errors.Join(errLeft, errRight)
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// MostArtifact is how large an artifact may be to be copied out: a worker's file
// of a terabyte, which may be nothing but holes, must not fill the user's disk.
const MostArtifact = 64 << 20

// copyOut puts an artifact where it belongs, whole or not at all, with the
// time at which the job wrote it. A link in its place is refused.
func copyOut(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	pending, err := atomicfile.Create(to, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer pending.Abort()
	if _, err := io.Copy(pending, file); err != nil {
		return err
	}
	if err := pending.Commit(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
