package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// ErrNoProject is what Project says of a folder that lies in no project.
var ErrNoProject = errors.New("no folder .okstra/tasks here or above")

// Project is the folder of the project that dir lies in: dir itself if it holds
// .okstra, else the nearest one above that holds .okstra/tasks. The folder of
// the user's own .okstra, with caches and no tasks, is no project.
func Project(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err != nil {
		return "", err
	}
	if isDir(filepath.Join(abs, ".okstra")) {
		return abs, nil
	}
	for at := abs; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		if isDir(filepath.Join(at, ".okstra", "tasks")) {
			return at, nil
		}
	}
	return "", ErrNoProject
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Find reads the runs of a project, in the order of their folders. A run is
// what has a manifest or a team state. Nothing that is wrong with one run
// hides another.
func Find(root string) ([]Run, error) {
	folders, err := filepath.Glob(filepath.Join(quoteGlob(root), ".okstra", "tasks", "*", "*", "runs", "*"))
	if err != nil {
		return nil, err
	}
	var runs []Run
	for _, folder := range folders {
		found, err := look(folder)
		if err != nil {
			return nil, err
		}
		for _, suffix := range slices.Sorted(maps.Keys(found)) {
			runs = append(runs, found[suffix].read(root))
		}
	}
	return newest(runs), nil
}

// kindsOfFile are the files by which a run is found, and where they lie in its
// folder. Either may be missing.
var kindsOfFile = []struct {
	dir  string
	name func() *regexp.Regexp
	set  func(*files, string)
}{
	{"manifests", manifestName, func(f *files, path string) { f.manifest = path }},
	{"state", stateName, func(f *files, path string) { f.state = path }},
}

var (
	manifestName = nameOf("run-manifest")
	stateName    = nameOf("team-state")
)

// nameOf is the pattern of a file's name with the suffix of its run. It is made when
// it is needed first.
func nameOf(kind string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + kind + `-(.+)-([0-9]{3,})\.json$`) })
}

// look finds the runs of a run folder by the ends of their files' names.
func look(folder string) (map[string]files, error) {
	found := map[string]files{}
	for _, kind := range kindsOfFile {
		entries, err := os.ReadDir(filepath.Join(folder, kind.dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		for _, e := range entries {
			parts := kind.name().FindStringSubmatch(e.Name())
			if parts == nil {
				continue
			}
			suffix := parts[1] + "-" + parts[2]
			f := found[suffix]
			f.seq = parts[2]
			kind.set(&f, filepath.Join(folder, kind.dir, e.Name()))
			found[suffix] = f
		}
	}
	return found, nil
}

// quoteGlob makes a folder's name stand for itself in a pattern.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// files are what a run is found by.
type files struct{ manifest, state, seq string }

// read reads a run. The manifest names the team state; where it does not, or is
// not there, the team state's own name will do.
func (f files) read(root string) Run {
	r := Run{Seq: f.seq}
	r.taskOf(cmp.Or(f.manifest, f.state))
	r.Root = root
	going := false
	if f.manifest != "" {
		var m run.Manifest
		if doc, err := jsondoc.ReadFile(f.manifest); err == nil && doc.Decode(&m) == nil {
			r.manifest(m)
			going = m.Status == "prepared" || m.Status == "running"
			if m.TeamStatePath != "" {
				f.state = run.Abs(root, m.TeamStatePath)
			}
		}
	}
	if f.state == "" {
		r.Reason = TeamStateMissing
		return r
	}
	doc, err := jsondoc.ReadFile(f.state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Reason = TeamStateMissing
	case err != nil:
		r.Reason, r.Fault = TeamStateUnreadable, err
	default:
		r.read(doc, going)
	}
	return r
}

func (r *Run) manifest(m run.Manifest) {
	r.ID = m.RunID
	r.TaskType, r.Group = cmp.Or(m.Task.TaskType, r.TaskType), cmp.Or(m.Task.TaskGroup, r.Group)
	if at, err := time.Parse(time.RFC3339, m.CreatedAt); err == nil {
		r.Start = at
	}
	for _, e := range m.RoleExecutions {
		r.Parts = append(r.Parts, Part{Provider: e.Provider, Model: text(e.Model)})
	}
}

// ReadFiles reads the runs of team states that were named. One that cannot be
// opened is an error, for the caller named it; all such errors are told.
func ReadFiles(paths []string) ([]Run, error) {
	var runs []Run
	var faults []error
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", path, cause(err)))
			continue
		} else if info.IsDir() {
			faults = append(faults, fmt.Errorf("%s: is a folder (expected a team state)", path))
			continue
		}
		r := Run{}
		r.taskOf(abs)
		if parts := stateName().FindStringSubmatch(filepath.Base(path)); parts != nil {
			r.Seq = parts[2]
		}
		doc, err := jsondoc.ReadFile(path)
		if err != nil {
			r.Reason, r.Fault = TeamStateUnreadable, err
		} else {
			r.read(doc, false)
			r.fromManifest(doc)
		}
		runs = append(runs, r)
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	return newest(runs), nil
}

// fromManifest adds what the manifest that a team state names knows better:
// when the run began, and whether it goes on.
func (r *Run) fromManifest(doc jsondoc.Doc) {
	var s struct {
		Path string `json:"runManifestPath"`
	}
	var m run.Manifest
	if doc.Decode(&s) != nil || s.Path == "" || r.Root == "" {
		return
	}
	manifest, err := jsondoc.ReadFile(run.Abs(r.Root, s.Path))
	if err != nil || manifest.Decode(&m) != nil {
		return
	}
	again := Run{Seq: r.Seq, Root: r.Root, TaskType: r.TaskType, Group: r.Group}
	again.manifest(m)
	again.Parts = nil
	again.read(doc, m.Status == "prepared" || m.Status == "running")
	*r = again
}

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// newest keeps each run once: of copies with one id, the one with the highest
// number. A run without an id is nobody's copy.
func newest(runs []Run) []Run {
	best := map[string]int{}
	for i, r := range runs {
		if r.ID == "" {
			continue
		}
		if j, ok := best[r.ID]; !ok || number(r.Seq) >= number(runs[j].Seq) {
			best[r.ID] = i
		}
	}
	kept := runs[:0:0]
	for i, r := range runs {
		if r.ID == "" || best[r.ID] == i {
			kept = append(kept, r)
		}
	}
	return kept
}

// number orders sequence numbers of any length.
func number(seq string) string {
	seq = strings.TrimLeft(seq, "0")
	return fmt.Sprintf("%05d%s", len(seq), seq)
}
