package dispatch

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"okstra/lib/dispatch/boundary"
	"okstra/lib/run"
)

// ownPaths are what the dispatcher and the lead's own commands write while
// jobs run: sidecars, logs and state. They are no changes of a job.
type ownPaths struct {
	mu      sync.Mutex
	folders []string
	stems   map[string][]string // folder → beginnings of file names
	sorted  bool
}

func newOwnPaths() *ownPaths { return &ownPaths{stems: map[string][]string{}} }

// folder takes everything below dir.
func (o *ownPaths) folder(dir string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if dir != "" && !slices.Contains(o.folders, dir) {
		o.folders = append(o.folders, dir)
	}
}

// files takes the files whose names begin like that of path; with them the
// lock beside a file and the temporary file of a replacement, which has a dot
// in front of its name.
func (o *ownPaths) files(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	dir, stem := filepath.Split(path)
	dir = filepath.Clean(dir)
	o.stems[dir] = append(o.stems[dir], stem)
	o.sorted = false
}

// has tells whether path is one of ours. path is clean and absolute.
func (o *ownPaths) has(path string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.sorted {
		o.sort()
	}
	for _, dir := range o.folders {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return false
	}
	stems, name := o.stems[path[:cut]], strings.TrimPrefix(path[cut+1:], ".")
	// Of stems none of which begins with another one, only the last that is
	// not behind the name can begin it.
	i, found := slices.BinarySearch(stems, name)
	return found || i > 0 && strings.HasPrefix(name, stems[i-1])
}

// sort orders the stems and drops those that begin with another one.
func (o *ownPaths) sort() {
	for dir, stems := range o.stems {
		slices.Sort(stems)
		kept := stems[:0]
		for _, stem := range stems {
			if n := len(kept); n == 0 || !strings.HasPrefix(stem, kept[n-1]) {
				kept = append(kept, stem)
			}
		}
		o.stems[dir] = kept
	}
	o.sorted = true
}

// ownPathsOf lists what is written beside the jobs of a batch.
func ownPathsOf(tasks []*task) *ownPaths {
	o := newOwnPaths()
	runs := map[*run.Manifest]bool{}
	for _, t := range tasks {
		root := t.job.ProjectRoot
		prompt := run.Abs(root, t.job.PromptPath)
		// The prompt itself is nobody's to write any more.
		o.files(prompt + ".")
		o.files(strings.TrimSuffix(prompt, filepath.Ext(prompt)) + ".attempt-")
		if sidecar := t.job.ErrorsSidecarPath; sidecar != "" {
			o.files(run.Abs(root, sidecar) + ".old-")
		}
		if t.boundary == boundary.Overlay {
			for _, path := range artifactPaths(t.job, t.manifest, 1) {
				o.files(run.Abs(root, path)) // copied out by the dispatcher
			}
		}
		o.folder(filepath.Join(root, ".okstra", "locks"))
		if t.manifest == nil {
			o.files(filepath.Join(filepath.Dir(prompt), "dispatch."))
		} else if !runs[t.manifest] {
			runs[t.manifest] = true
			o.run(root, *t.manifest)
		}
	}
	return o
}

// run takes the shared files of a run.
func (o *ownPaths) run(root string, m run.Manifest) {
	for _, path := range []string{m.JournalPath, m.EventsLogPath, m.ErrorsLogPath, m.TeamStatePath, m.Folder().RunManifest()} {
		o.files(run.Abs(root, path))
	}
	o.files(filepath.Join(filepath.Dir(run.Abs(root, m.JournalPath)), "dispatch."))
	o.files(run.Abs(root, strings.TrimSuffix(m.Folder().AuditSnapshot(1), "1.json")))
}

// ownHomes takes the folders in which the CLI of an attempt keeps what is its
// own; such a folder may lie inside the project.
func (e *engine) ownHomes(a *attempt) {
	for _, path := range append(slices.Clone(a.launch.Writable), filepath.Dir(a.tempDir)) {
		e.own.folder(path)
	}
}
