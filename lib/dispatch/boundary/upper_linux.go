package boundary

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
		if err != nil || at == upper {
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
		return changedIf(!sameLink(at, below), one, info, old), nil
	case !info.Mode().IsRegular():
		return one("modified"), nil
	}
	same, err := sameContent(at, below, info, old)
	return changedIf(!same, one, info, old), err
}

func isEmptyDir(at string, info fs.FileInfo) bool {
	if !info.IsDir() {
		return false
	}
	list, err := os.ReadDir(at)
	return err == nil && len(list) == 0
}

// changedIf names the change of something that both sides have.
func changedIf(changed bool, one func(string) []upperChange, info, old fs.FileInfo) []upperChange {
	switch {
	case changed:
		return one("modified")
	case info.Mode() != old.Mode():
		return one("mode")
	case !info.ModTime().Equal(old.ModTime()) || ownerOf(info) != ownerOf(old):
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
	if info.Mode() != old.Mode() {
		list = append(list, upperChange{path: rel, change: "mode"})
	}
	return list, nil
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
