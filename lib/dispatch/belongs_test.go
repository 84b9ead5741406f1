package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"okstra/lib/run"
)

func shopRun() *run.Manifest {
	m := &run.Manifest{ProjectRoot: "/p", RunID: testRun, Task: run.NewTask("shop", "pay", "slow", "error-analysis", "001"), RoleExecutions: []run.RoleExecution{
		{Role: run.RoleLeader, WorkerID: "lead", RoleExecutionRef: "re-0001"},
		{Role: run.RoleAnalyser, WorkerID: "a", RoleExecutionRef: "re-0002"},
		{Role: run.RoleVerifier, WorkerID: "b", RoleExecutionRef: "re-0003"},
	}}
	f := m.Folder()
	m.JournalPath, m.EventsLogPath, m.ErrorsLogPath, m.TeamStatePath = f.Journal(), f.EventsLog(), f.ErrorsLog(), f.TeamState()
	return m
}

// What a job does is booked under what it says it is: a line that does not fit
// its run is refused before it can be.
func TestAJobMustBeOfItsRun(t *testing.T) {
	m := shopRun()
	good := run.Job{JobID: testRun + "/assignment:analysis:a", ProjectRoot: "/p", AssignmentRef: "assignment:analysis:a", RoleExecutionRef: "re-0002", WorkerID: "a", Role: run.RoleAnalyser}
	for _, tt := range []struct {
		name    string
		change  func(*run.Job)
		foreign string // the field that is refused, "" for none
	}{
		{"as planned", func(*run.Job) {}, ""},
		{"a critic is an analyser with another purpose", func(j *run.Job) {
			j.AssignmentRef, j.JobID = "assignment:critic:a", testRun+"/assignment:critic:a"
		}, ""},
		{"a ref left out", func(j *run.Job) { j.RoleExecutionRef = "" }, ""},
		{"the root spelled with a slash", func(j *run.Job) { j.ProjectRoot = "/p/" }, ""},
		{"an id of its own", func(j *run.Job) { j.JobID = "mine" }, "jobId"},
		{"an id of another run", func(j *run.Job) { j.JobID = "shop:pay:slow:error-analysis:002/assignment:analysis:a" }, "jobId"},
		{"nobody of the roster", func(j *run.Job) { j.WorkerID = "zed" }, "workerId"},
		{"the assignment of another", func(j *run.Job) { j.AssignmentRef = "assignment:analysis:b" }, "assignmentRef"},
		{"the execution of another", func(j *run.Job) { j.RoleExecutionRef = "re-0003" }, "roleExecutionRef"},
		{"another role", func(j *run.Job) { j.Role = run.RoleLeader }, "role"},
		{"another project", func(j *run.Job) { j.ProjectRoot = "/q" }, "projectRoot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := good
			tt.change(&job)
			err := checkBelongs(&job, m)
			var foreign *ForeignJobError
			if errors.As(err, &foreign); err == nil != (tt.foreign == "") || foreign != nil && foreign.Field != tt.foreign {
				t.Errorf("checkBelongs = %v, want a fault of field %q", err, tt.foreign)
			}
			if err == nil && job.RoleExecutionRef != "re-0002" {
				t.Errorf("roleExecutionRef = %q, want that of the roster", job.RoleExecutionRef)
			}
		})
	}
	if err := checkBelongs(&run.Job{WorkerID: "a-worker-b"}, nil); err == nil {
		t.Error("a worker id with \"-worker-\" was accepted")
	}
	if err := checkBelongs(&run.Job{WorkerID: "zed", JobID: "mine"}, nil); err != nil {
		t.Errorf("a job without a run: %v", err)
	}
}

// A worker must not be asked to write over the account of its own work.
func TestAnArtifactIsNoFileOfTheDispatcher(t *testing.T) {
	m := shopRun()
	own := ownFiles{places: realPaths{}, prompts: map[string]bool{}, others: map[string]bool{}}
	own.add(&task{job: run.Job{ProjectRoot: "/p", PromptPath: "q/a.md"}})
	own.add(&task{job: run.Job{ProjectRoot: "/p", PromptPath: m.Folder().Prompt("a", "analysis")}, manifest: m})
	for path, want := range map[string]bool{
		"/p/q/a.md": true, "/p/q/../q/a.md": true, "/p/q/a.md.status.json": true, "/p/q/a.md.log": true, "/p/q/a.md.attempt-1.json": true,
		"/p/q/a.attempt-2.md": true, "/p/q/a.attempt-12.md.stdout": true, "/p/q/dispatch.jsonl": true,
		"/p/q/b.md": false, "/p/q/a.md.out": false, "/p/q/a.attempt-x.md": false, "/p/q/ba.md.log": false, "/p/q/a.md.attempt-1.md": false, "/p/r/a.md": false,
		"/p/" + m.JournalPath: true, "/p/" + m.TeamStatePath: true, "/p/" + m.Folder().RunManifest(): true, "/p/" + m.Folder().Result("a"): false,
	} {
		if got := own.has(path); got != want {
			t.Errorf("has(%q) = %v, want %v", path, got, want)
		}
	}
}

// One tree under two names is one tree.
func TestRealPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(dir+"/wt", 0o755), os.Symlink("wt", dir+"/wtl"), os.Symlink("loop", dir+"/loop")); err != nil {
		t.Fatal(err)
	}
	r := realPaths{}
	for path, want := range map[string]string{
		"/wt": "/wt", "/wtl": "/wt", "/wtl/": "/wt", "/wtl/new/deep": "/wt/new/deep", "/none": "/none", "/loop/x": "/loop/x",
	} {
		if got := r.folder(dir + path); got != dir+want {
			t.Errorf("folder(%q) = %q, want %q", path, got, dir+want)
		}
	}
	if got := r.file(dir + "/wtl/x"); got != dir+"/wt/x" {
		t.Errorf("file = %q", got)
	}
}
