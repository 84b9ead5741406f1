package validate

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// workbench is a folder that holds a project. Showing another one writes only
// what differs: most tests damage two or three of three hundred files.
type workbench struct {
	dir   string
	holds project
	links map[string]string
}

// show makes the folder hold a project and symbolic links, which stand where
// the project has no file. The content must not change afterwards.
func (w *workbench) show(p project, links map[string]string) error {
	for name := range w.links {
		if err := os.Remove(w.path(name)); err != nil {
			return err
		}
	}
	w.links = links
	for name := range w.holds {
		if _, stays := p[name]; !stays {
			if err := os.Remove(w.path(name)); err != nil {
				return err
			}
		}
	}
	for name, content := range p {
		if before, there := w.holds[name]; there && bytes.Equal(before, content) {
			continue
		}
		err := os.WriteFile(w.path(name), content, 0o644)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.Join(os.MkdirAll(filepath.Dir(w.path(name)), 0o755), os.WriteFile(w.path(name), content, 0o644))
		}
		if err != nil {
			return err
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, w.path(name)); err != nil {
			return err
		}
	}
	w.holds = p
	return nil
}

func (w *workbench) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// workbenches are those that no test uses at the moment.
var workbenches struct {
	sync.Mutex
	root string
	idle []*workbench
}

// borrow gives a workbench until the test ends.
func borrow(tb testing.TB) *workbench {
	tb.Helper()
	workbenches.Lock()
	defer workbenches.Unlock()
	w := &workbench{}
	if n := len(workbenches.idle); n > 0 {
		w, workbenches.idle = workbenches.idle[n-1], workbenches.idle[:n-1]
	} else {
		dir, err := os.MkdirTemp(workbenches.root, "workbench")
		if err != nil {
			tb.Fatal(err)
		}
		w.dir = dir
	}
	tb.Cleanup(func() {
		workbenches.Lock()
		defer workbenches.Unlock()
		workbenches.idle = append(workbenches.idle, w)
	})
	return w
}

func TestMain(m *testing.M) {
	root, err := os.MkdirTemp("", "okstra-validate-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	workbenches.root = root
	m.Run()
}

// A workbench that is used again holds what it was shown last, and no more.
func TestAWorkbenchHoldsWhatItWasShownLast(t *testing.T) {
	w := &workbench{dir: t.TempDir()}
	for _, step := range []struct {
		files project
		links map[string]string
	}{
		{project{"a/b": []byte("1"), "c": []byte("2")}, nil},
		{project{"c": []byte("3")}, map[string]string{"a/b": "../c"}},
		{project{"a/b": []byte("1"), "c": []byte("2")}, nil},
	} {
		if err := w.show(step.files, step.links); err != nil {
			t.Fatal(err)
		}
		want := step.files.clone()
		for name := range step.links {
			want[name] = want["c"]
		}
		if got := readProject(t, w.dir); !maps.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("the folder holds %q, want %q", got, want)
		}
	}
}

// forget makes the next project be written anew at a place that was written to
// behind the workbench's back.
func (w *workbench) forget(name string) {
	w.holds = maps.Clone(w.holds)
	w.holds[name] = nil
}
