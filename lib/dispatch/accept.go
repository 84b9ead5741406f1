package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/dispatch/replay"
	"okstra/lib/gitrepo"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/price"
	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// ReadJobs reads job lines. Every line is read and every fault named before
// any job is given back.
func ReadJobs(r io.Reader, name string) ([]run.Job, error) {
	p := &problems{where: name}
	var jobs []run.Job
	for row, err := range jsonl.Rows(r, name) {
		if err != nil {
			p.list = append(p.list, err)
			continue
		}
		var job run.Job
		if err := schema.DecodeLine(name, row.Number, row.Raw, "okstra-job", &job); err != nil {
			p.list = append(p.list, err)
			continue
		}
		jobs = append(jobs, job)
	}
	return jobs, p.err(2)
}

// acceptance checks jobs before anything is written or started.
type acceptance struct {
	cat       *provider.Catalogue
	contracts contracts
	manifests map[string]*run.Manifest // by absolute path
	trees     map[string]error         // what git says about working directories
}

// task is a job on its way through the engine.
type task struct {
	job       run.Job
	manifest  *run.Manifest
	row       *provider.Provider // whose CLI runs; of a recording, the imitated one
	model     provider.Model
	recording *replay.Folder
	line      []byte // the job line as accepted
	index     int    // place in the input
	first     int    // number of the next attempt
	counted   int    // attempts so far that were not lost
	lost      int    // attempts of this dispatcher that were
	placement *run.Placement
	last      *told        // the attempt before, nil if there was none
	spent     Spent        // by the attempts of this dispatcher
	boundary  string       // chosen for it
	requests  []string     // boundaries that were acceptable, in order
	prices    *price.Table // nil for a model without a price
}

// accept completes each job and checks all of them. name is for messages.
func (a *acceptance) accept(ctx context.Context, name string, jobs []run.Job) ([]*task, error) {
	p := &problems{where: name}
	tasks := make([]*task, len(jobs))
	for i := range jobs {
		t, err := a.one(ctx, jobs[i])
		if err != nil {
			p.list = append(p.list, fmt.Errorf("%s: job %d (%q): %w", name, i+1, jobs[i].WorkerID, err))
			continue
		}
		t.index, jobs[i] = i, t.job
		tasks[i] = t
	}
	if err := p.err(2); err != nil {
		return nil, err
	}
	return tasks, errors.Join(checkTogether(jobs), checkArtifacts(tasks))
}

func (a *acceptance) one(ctx context.Context, job run.Job) (*task, error) {
	t := &task{first: 1}
	var err error
	if t.manifest, err = a.manifest(&job); err != nil {
		return nil, err
	}
	if t.row, err = a.cat.Provider(job.Provider); err != nil {
		return nil, err
	}
	if err := t.useRecording(a.cat, &job); err != nil {
		return nil, err
	}
	if t.model, err = t.row.Resolve(orText(job.Model, t.row.DefaultModel)); err != nil {
		if job.Provider != provider.Replay {
			return nil, err // a recording stands in for the CLI, not for its catalogue
		}
		t.model = provider.Model{ID: job.Model, ExecutionValue: job.ModelExecutionValue}
	}
	if job.ModelExecutionValue != "" && job.ModelExecutionValue != t.model.ExecutionValue && job.ModelExecutionValue != t.model.ID {
		return nil, fmt.Errorf("modelExecutionValue %q is not that of model %q (expected %q)", job.ModelExecutionValue, t.model.ID, t.model.ExecutionValue)
	}
	if t.prices, err = pricesOf(t.row, t.model); err != nil {
		return nil, err
	}
	complete(&job, t)
	if err := checkBelongs(&job, t.manifest); err != nil {
		return nil, err
	}
	prompt := run.Abs(job.ProjectRoot, job.PromptPath)
	if err := checkFile(prompt); err != nil {
		return nil, fmt.Errorf("promptPath %w", err)
	}
	text, err := os.ReadFile(prompt)
	if err != nil {
		return nil, err
	}
	found := digest.Bytes(text)
	if job.PromptDigest != "" && job.PromptDigest != found {
		return nil, fmt.Errorf("prompt %q was changed after planning (plan again to accept it)", job.PromptPath)
	}
	job.PromptDigest = found
	if t.manifest != nil {
		if err := checkHeaders(job.PromptPath, string(text)); err != nil {
			return nil, err
		}
	}
	if err := checkPlace(job); err != nil {
		return nil, err
	}
	if err := a.checkTree(ctx, job); err != nil {
		return nil, err
	}
	if err := a.contracts.derive(ctx, &job, t.manifest); err != nil {
		return nil, err
	}
	t.job = job
	t.line, err = jsondoc.MarshalLine(job)
	return t, err
}

// manifest loads the run manifest of a job, once for all jobs of a run.
func (a *acceptance) manifest(job *run.Job) (*run.Manifest, error) {
	if job.RunManifestPath == "" {
		return nil, nil
	}
	path := run.Abs(job.ProjectRoot, job.RunManifestPath)
	if m, ok := a.manifests[path]; ok {
		return m, nil
	}
	m, err := run.LoadManifest(path)
	if err != nil {
		return nil, err
	}
	if a.manifests == nil {
		a.manifests = map[string]*run.Manifest{}
	}
	a.manifests[path] = &m
	return &m, nil
}

// useRecording opens the recordings of a job that is played back. The row that
// counts is then the one of the CLI that the recording imitates.
func (t *task) useRecording(cat *provider.Catalogue, job *run.Job) error {
	if job.Replay == "" {
		if job.Provider == provider.Replay {
			return fmt.Errorf("provider %q needs recordings (give run --replay DIR or the key replay)", provider.Replay)
		}
		return nil
	}
	folder, err := replay.Open(run.Abs(job.ProjectRoot, job.Replay))
	if err != nil {
		return err
	}
	recording, err := folder.Find(job.WorkerID, purposeOf(*job), 1)
	if err != nil {
		return err
	}
	t.recording = folder
	if job.Provider == provider.Replay {
		if t.row, err = cat.Provider(orText(recording.As, provider.Replay)); err != nil {
			return fmt.Errorf("recording %s: as: %w", recording.Path, err)
		}
		if recording.Model == "" && job.Model != provider.Replay {
			if _, err := t.row.Resolve(job.Model); err != nil {
				return err
			}
		}
		job.Model = orText(recording.Model, job.Model)
		job.ModelExecutionValue = job.Model
	}
	return nil
}

// purposeOf is the purpose of a job; a hand-written one without an assignment
// is an analysis.
func purposeOf(job run.Job) string { return orText(run.Purpose(job.AssignmentRef), PurposeAnalysis) }

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// complete derives what a hand-written job line leaves out.
func complete(job *run.Job, t *task) {
	job.SchemaVersion, job.Kind = "1.0", "okstra-job"
	job.Model = orText(job.Model, t.model.ID)
	job.ModelExecutionValue = orText(job.ModelExecutionValue, orText(t.model.ExecutionValue, t.model.ID))
	if job.AssignmentRef == "" {
		job.AssignmentRef = run.AssignmentRef(PurposeAnalysis, job.WorkerID)
	}
	if job.JobID == "" {
		job.JobID = job.AssignmentRef
		if t.manifest != nil {
			job.JobID = t.manifest.RunID + "/" + job.AssignmentRef
		}
	}
	if job.WritePolicy == nil {
		completeArtifacts(job, t.manifest)
	}
	if job.Boundary == nil {
		job.Boundary = t.row.Boundaries
	}
	job.MaxBoundaryPrecision = orText(job.MaxBoundaryPrecision, t.row.MaxBoundaryPrecision)
	job.OnDirtyTree = orText(job.OnDirtyTree, "keep")
	if job.MaxAttempts == 0 {
		job.MaxAttempts = DefaultAttempts
	}
	for _, list := range []*[]string{&job.PlannedPaths, &job.GeneratedPaths, &job.ScratchRoots, &job.AuxiliaryRoots} {
		*list = orEmpty(*list)
	}
	completeLimits(&job.Limits)
}

// completeArtifacts names the files beside the result that a job may leave: its
// audit file, where the name of the result has one, and in a run the worker's
// errors sidecar.
func completeArtifacts(job *run.Job, m *run.Manifest) {
	if audit := run.AuditOf(job.ResultPath); job.AuditPath == "" && audit != job.ResultPath && isAudited(purposeOf(*job)) {
		job.AuditPath = audit
	}
	if job.ErrorsSidecarPath == "" && m != nil {
		job.ErrorsSidecarPath = m.Folder().WorkerErrors(job.WorkerID, 1)
	}
}

func completeLimits(l *run.Limits) {
	for _, field := range []struct {
		value *int
		def   int
	}{
		{&l.WallSeconds, DefaultLimits.WallSeconds},
		{&l.IdleSeconds, DefaultLimits.IdleSeconds},
		{&l.StartupSeconds, DefaultLimits.StartupSeconds},
		{&l.GraceSeconds, DefaultLimits.GraceSeconds},
	} {
		if *field.value == 0 {
			*field.value = field.def
		}
	}
	if l.OutputBytes == 0 {
		l.OutputBytes = DefaultLimits.OutputBytes
	}
}

// checkPlace refuses a job that could only fail where it is put: an
// implementer works in a worktree and on planned paths.
func checkPlace(job run.Job) error {
	if job.Role == run.RoleImplementer {
		if job.WorktreePath == "" {
			return fmt.Errorf("an implementer needs a worktree (worktreePath is empty)")
		}
		if len(job.PlannedPaths) == 0 {
			return fmt.Errorf("an implementer needs planned paths (plannedPaths is empty)")
		}
	}
	if job.OnDirtyTree != "keep" && job.WorktreePath == "" {
		return fmt.Errorf("onDirtyTree %q is for jobs in a worktree of their own (expected \"keep\")", job.OnDirtyTree)
	}
	if tree := filepath.Clean(workdir(job)); job.OnDirtyTree != "keep" && run.Within(filepath.Clean(job.ProjectRoot), tree) {
		return fmt.Errorf("onDirtyTree %q would put the run itself aside: it lies in the worktree %q (expected \"keep\")", job.OnDirtyTree, tree)
	}
	for _, dir := range []string{job.ProjectRoot, run.Abs(job.ProjectRoot, job.WorktreePath)} {
		if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
			return fmt.Errorf("%q is no folder", dir)
		}
	}
	return nil
}

// checkTree wants the working directory of a job to be a whole work tree, or in
// no repository at all: in a folder of a repository, git walks up to its root,
// and work lands outside of what is audited.
func (a *acceptance) checkTree(ctx context.Context, job run.Job) error {
	dir := workdir(job)
	err, known := a.trees[dir]
	if !known {
		err = gitrepo.Open(dir, a.contracts.machine.Environ).CheckTopLevel(ctx)
		if a.trees == nil {
			a.trees = map[string]error{}
		}
		a.trees[dir] = err
	}
	switch {
	case errors.Is(err, gitrepo.ErrInside):
		return err
	case errors.Is(err, gitrepo.ErrNoRepository) && job.WorktreePath == "":
		return nil
	}
	return err
}

// checkTogether checks what no job can tell by itself: that no two share an
// identity, a prompt or a result, and that one tree has one implementer.
func checkTogether(jobs []run.Job) error {
	p := &problems{where: "jobs"}
	owner, dirty, places := map[string]int{}, map[string]run.Job{}, realPaths{}
	claim := func(i int, what, value string) {
		key := what + "\x00" + value
		if first, taken := owner[key]; taken {
			p.list = append(p.list, fmt.Errorf("jobs %d and %d have the same %s %q", first+1, i+1, what, value))
			return
		}
		owner[key] = i
	}
	for i, job := range jobs {
		claim(i, "jobId", job.JobID)
		claim(i, "promptPath", places.file(run.Abs(job.ProjectRoot, job.PromptPath)))
		if job.ResultPath != "" {
			claim(i, "resultPath", places.file(run.Abs(job.ProjectRoot, job.ResultPath)))
		}
		tree := places.folder(workdir(job))
		if first, there := dirty[tree]; there && first.OnDirtyTree != job.OnDirtyTree {
			p.list = append(p.list, fmt.Errorf("jobs of %q and %q work in %q with onDirtyTree %q and %q", first.WorkerID, job.WorkerID, tree, first.OnDirtyTree, job.OnDirtyTree))
		}
		dirty[tree] = job
		if job.Role == run.RoleImplementer {
			claim(i, "worktree of an implementer", places.folder(run.Abs(job.ProjectRoot, job.WorktreePath)))
		}
	}
	return p.err(2)
}

// purposeName is how a job is called in messages and on a terminal.
func purposeName(job run.Job) string {
	if purpose := purposeOf(job); !strings.HasPrefix(job.WorkerID, purpose) {
		return job.WorkerID + " " + purpose
	}
	return job.WorkerID
}
