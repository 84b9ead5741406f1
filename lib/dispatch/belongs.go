package dispatch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"okstra/lib/run"
)

// A ForeignJobError is a job line that does not fit the run it names: what it
// does would be booked to somebody else. Rule: docs/dispatch.md, "Job lines
// that are refused".
type ForeignJobError struct{ Field, Found, Expected string }

func (e *ForeignJobError) Error() string {
	return fmt.Sprintf("%s %q is not of the run that it names (expected %s)", e.Field, e.Found, e.Expected)
}

// checkBelongs holds what a job says it is against the roster of its run.
// roleExecutionRef is filled in where a hand-written line leaves it out.
func checkBelongs(job *run.Job, m *run.Manifest) error {
	if err := run.CheckWorkerID(job.WorkerID); err != nil {
		return fmt.Errorf("workerId: %w", err)
	}
	if m == nil {
		return nil
	}
	var row *run.RoleExecution
	for i := range m.RoleExecutions {
		if m.RoleExecutions[i].WorkerID == job.WorkerID {
			row = &m.RoleExecutions[i]
		}
	}
	if row == nil {
		return &ForeignJobError{"workerId", job.WorkerID, "one of its roleExecutions"}
	}
	if err := run.CheckPurpose(purposeOf(*job)); err != nil {
		return fmt.Errorf("assignmentRef %q: %w", job.AssignmentRef, err)
	}
	job.RoleExecutionRef = orText(job.RoleExecutionRef, row.RoleExecutionRef)
	for _, field := range []struct{ name, found, want string }{
		{"assignmentRef", job.AssignmentRef, run.AssignmentRef(purposeOf(*job), job.WorkerID)},
		{"jobId", job.JobID, m.RunID + "/" + job.AssignmentRef},
		{"roleExecutionRef", job.RoleExecutionRef, row.RoleExecutionRef},
		{"role", job.Role, row.Role},
	} {
		if field.found != field.want {
			return &ForeignJobError{field.name, field.found, fmt.Sprintf("%q", field.want)}
		}
	}
	if !sameFile(job.ProjectRoot, m.ProjectRoot) {
		return &ForeignJobError{"projectRoot", job.ProjectRoot, fmt.Sprintf("%q", m.ProjectRoot)}
	}
	return nil
}

// LoadRun reads the run manifest at path. One that lies in a run folder must be
// the one of its run: where a folder was copied or moved, everything that the
// manifest names lies elsewhere, and what is done with the copy would be done to
// the other run, or to nothing.
func LoadRun(path string) (run.Manifest, error) {
	m, err := run.LoadManifest(path)
	if err != nil {
		return m, err
	}
	place := m.Folder().RunManifest()
	abs, err := filepath.Abs(path)
	if err != nil {
		return m, err
	}
	if own := run.Abs(m.ProjectRoot, place); strings.HasSuffix(abs, "/"+place) && !sameFile(abs, own) {
		return m, &PlanError{Problems: []error{fmt.Errorf("%s: it is not the manifest of its run, which is %s: was the folder copied or moved (projectRoot: %q)?", path, own, m.ProjectRoot)}}
	}
	return m, nil
}

func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// realPaths resolves the links on the way to files that may not be there yet,
// asking for each folder once.
type realPaths map[string]string

// file is the path of a file with the links of its folders resolved; the file
// itself is not followed.
func (r realPaths) file(path string) string {
	path = filepath.Clean(path)
	return filepath.Join(r.folder(filepath.Dir(path)), filepath.Base(path))
}

// folder is the path of a folder with its links resolved, as far as it exists.
func (r realPaths) folder(dir string) string {
	dir = filepath.Clean(dir)
	if real, known := r[dir]; known {
		return real
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
		if parent := filepath.Dir(dir); errors.Is(err, os.ErrNotExist) && parent != dir {
			real = filepath.Join(r.folder(parent), filepath.Base(dir))
		}
	}
	r[dir] = real
	return real
}

// checkArtifacts refuses a job that is to leave an artifact where the
// dispatcher keeps its own files, or in a prompt: what a worker leaves there
// destroys the account of its own work.
func checkArtifacts(tasks []*task) error {
	p := &problems{where: "jobs"}
	own := ownFiles{places: realPaths{}, prompts: map[string]bool{}, others: map[string]bool{}}
	for _, t := range tasks {
		own.add(t)
	}
	for _, t := range tasks {
		for _, path := range artifactPaths(t.job, t.manifest, 1) {
			if path != "" && own.has(run.Abs(t.job.ProjectRoot, path)) {
				p.list = append(p.list, fmt.Errorf("job %d (%q): %q is a file of the dispatcher (expected an artifact elsewhere)", t.index+1, t.job.WorkerID, path))
			}
		}
	}
	return p.err(2)
}

// ownFiles are the very files that the dispatcher writes for some jobs, and
// their prompts. They are fewer than ownPaths, which also has to know names
// that come and go.
type ownFiles struct {
	places  realPaths
	prompts map[string]bool
	others  map[string]bool
}

func (o ownFiles) add(t *task) {
	prompt := run.Abs(t.job.ProjectRoot, t.job.PromptPath)
	o.prompts[o.places.file(prompt)] = true
	list := []string{filepath.Join(filepath.Dir(prompt), "dispatch.jsonl")}
	if m := t.manifest; m != nil {
		folder := m.Folder()
		list = []string{m.JournalPath, m.EventsLogPath, m.ErrorsLogPath, m.TeamStatePath, m.ActiveRunContextPath, m.TaskManifestPath, folder.RunManifest(), folder.RunInputs()}
	}
	for _, path := range list {
		if path != "" {
			o.others[o.places.file(run.Abs(t.job.ProjectRoot, path))] = true
		}
	}
}

// attemptNumber is the part of a name that tells attempts apart.
var attemptNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*)\.attempt-([0-9]+)(\.[^./]*)?$`) })

func (o ownFiles) has(path string) bool {
	place := o.places.file(path)
	if o.prompts[place] || o.others[place] {
		return true
	}
	if m := attemptNumber().FindStringSubmatch(place); m != nil && m[3] == ".json" && o.prompts[m[1]] {
		return true // a sidecar
	}
	for _, suffix := range []string{"", ".status.json", ".log", ".stdout", ".stderr"} {
		prompt, found := strings.CutSuffix(place, suffix)
		if m := attemptNumber().FindStringSubmatch(prompt); found && m != nil {
			prompt = m[1] + m[3] // of a copy
		}
		if found && o.prompts[prompt] {
			return true
		}
	}
	return false
}
