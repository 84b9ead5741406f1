package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/gitrepo"
	"okstra/lib/jsondoc"
	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/schema"
	"okstra/lib/writepolicy"
)

// Planner makes runs and job lines. It starts nothing.
type Planner struct {
	Catalogue   *provider.Catalogue
	Now         func() time.Time
	OkstraHome  string
	Environ     []string
	LeadSession string            // the lead's session id, where it is known
	Replay      string            // recordings that stand in for the CLIs, "" for none
	Attach      []string          // files whose text goes into the prompts
	Warn        func(text string) // something a person should know

	onlyPrepared bool      // a run that has begun is not taken up again
	task         []byte    // the text that every prompt has to hold, nil for any
	taskAt       time.Time // when it was changed
}

// Inputs plans from the wizard's run inputs: it creates what is missing of the
// run folder and gives the job lines of the first batch. stage picks one of
// the stages, 0 the next that is due. The same inputs after a crash complete
// the run that was begun.
func (p *Planner) Inputs(ctx context.Context, doc jsondoc.Doc, stage int) ([]run.Job, error) {
	var in run.Inputs
	if err := schema.Decode(doc, "okstra-run-inputs", &in); err != nil {
		return nil, err
	}
	if !in.Ready {
		return nil, &PlanError{Problems: []error{fmt.Errorf("%s: /ready: false (expected inputs that were confirmed)", doc.Name)}}
	}
	models, err := checkInputs(doc.Name, in.Inputs, p.Catalogue)
	if err != nil {
		return nil, err
	}
	if err := p.checkRoot(ctx, in.Inputs.ProjectRoot); err != nil {
		return nil, err
	}
	lock, err := p.lockTask(ctx, in.Inputs)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	c := &creation{p: p, doc: doc, in: in.Inputs, models: models}
	if err := c.choose(stage); err != nil {
		return nil, err
	}
	if err := c.checkBase(ctx); err != nil {
		return nil, err
	}
	if err := c.checkStage(); err != nil {
		return nil, err
	}
	if err := c.approve(); err != nil {
		return nil, err
	}
	if err := c.write(ctx); err != nil {
		return nil, err
	}
	return p.firstBatch(ctx, c.manifest)
}

// checkRoot wants the project root to be a whole work tree or in no repository,
// as run does of every tree that a job works in.
func (p *Planner) checkRoot(ctx context.Context, root string) error {
	err := gitrepo.Open(root, p.Environ).CheckTopLevel(ctx)
	switch {
	case errors.Is(err, gitrepo.ErrInside):
		return &PlanError{Status: 2, Problems: []error{fmt.Errorf("project root %w", err)}}
	case errors.Is(err, gitrepo.ErrNoRepository):
		return nil
	}
	return err
}

func (p *Planner) contracts() contracts {
	return contracts{writepolicy.Machine{Environ: p.Environ, Dir: "/"}}
}

// lockTask keeps two planners of one project apart: both would take the same
// sequence number.
func (p *Planner) lockTask(ctx context.Context, in run.InputFields) (*atomicfile.Held, error) {
	dir := filepath.Join(in.ProjectRoot, ".okstra", "locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return atomicfile.Lock(ctx, filepath.Join(dir, "plan"), atomicfile.LockWait)
}

// firstBatch gives the jobs of the first batch of a run that has just been
// planned. A run that has none, such as a release hand-off, has no jobs.
func (p *Planner) firstBatch(ctx context.Context, m run.Manifest) ([]run.Job, error) {
	list := batches(m, p.critic(m))
	if len(list) == 0 {
		return nil, nil
	}
	return p.batch(ctx, m, list[0])
}

// creation makes one run folder.
type creation struct {
	p        *Planner
	doc      jsondoc.Doc
	in       run.InputFields
	models   map[string]resolved
	folder   run.Folder
	stage    *int
	begun    bool // the run was begun before, by the same inputs
	manifest run.Manifest
	approval *run.ApprovedPlan
	approved *jsondoc.Doc // the plan with the approval, nil when there is none to record
}

// choose finds the run: one that the same inputs began and that is not over,
// or the next sequence number; and the stage it is for.
func (c *creation) choose(stage int) error {
	c.folder = run.Folder{Root: c.in.ProjectRoot, Task: run.NewTask(c.in.ProjectID, c.in.TaskGroup, c.in.TaskID, c.in.TaskType, "")}
	if err := c.chooseStage(stage); err != nil {
		return err
	}
	highest, err := c.highestSeq()
	if err != nil {
		return err
	}
	for seq := highest; seq > 0 && !c.begun; seq-- {
		c.folder.Task.RunSeq = fmt.Sprintf("%03d", seq)
		c.begun = c.sameRun()
	}
	if c.begun {
		return nil
	}
	if highest >= 999 {
		return fmt.Errorf("%s has 999 runs (expected at most 998 before a new one)", c.folder.Dir())
	}
	c.folder.Task.RunSeq = fmt.Sprintf("%03d", highest+1)
	_, err = os.Stat(c.folder.Abs(c.folder.TaskDir()))
	switch exists := err == nil; {
	case exists && c.in.IsNewTask && highest == 0 && c.emptyTask():
		return nil // begun, and cut off before anything was stored
	case exists && c.in.IsNewTask:
		return c.refuse("/inputs/isNewTask", "true, but %q exists", c.folder.TaskDir())
	case !exists && !c.in.IsNewTask:
		return c.refuse("/inputs/isNewTask", "false, but there is no %q", c.folder.TaskDir())
	}
	return nil
}

// emptyTask tells whether the task folder holds no file yet but the brief.
func (c *creation) emptyTask() bool {
	_, manifest := os.Stat(c.folder.Abs(c.folder.TaskManifest()))
	_, runs := os.Stat(filepath.Join(c.folder.Abs(c.folder.TaskDir()), "runs"))
	return manifest != nil && runs != nil
}

func (c *creation) refuse(pointer, format string, args ...any) error {
	p := &problems{where: c.doc.Name}
	p.add(pointer, format, args...)
	return p.err(1)
}

// highestSeq is the highest sequence number of the task type so far, 0 for
// none.
func (c *creation) highestSeq() (int, error) {
	dir := c.folder.Abs(filepath.Join(c.folder.Dir(), "manifests"))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	highest := 0
	for _, entry := range entries {
		stem, ok := strings.CutSuffix(entry.Name(), ".json")
		if _, seq, cut := cutLast(stem, "-"); ok && cut && len(seq) == 3 {
			if n, err := strconv.Atoi(seq); err == nil {
				highest = max(highest, n)
			}
		}
	}
	return highest, err
}

// sameRun tells whether the folder's run was begun by the same run inputs, for
// the same stage, and is not over.
func (c *creation) sameRun() bool {
	stored, err := os.ReadFile(c.folder.Abs(c.folder.RunInputs()))
	if err != nil || !sameInputs(stored, c.doc) {
		return false
	}
	var context run.Context
	if doc, err := jsondoc.ReadFile(c.folder.Abs(c.folder.ActiveRunContext())); err == nil && doc.Decode(&context) == nil {
		if !sameStage(context.Run.Stage, c.stage) {
			return false
		}
	}
	if name := c.staleTask(); name != "" {
		c.p.Warn(fmt.Sprintf("%s holds another text of the task; it is kept, and this is another run", name))
		return false
	}
	m, err := run.LoadManifest(c.folder.Abs(c.folder.RunManifest()))
	if err != nil {
		return true
	}
	return m.Status == "prepared" || m.Status == "running" && !c.p.onlyPrepared
}

// staleTask is a prompt of the folder's run that was made of another text of the
// task than this one, "" without one. What a lead added to a prompt is no such
// thing, but a task that was edited is another task. Lines behind the task may
// be either; they are the lead's if the task is older than they are.
func (c *creation) staleTask() string {
	for _, id := range c.in.Workers {
		name := c.folder.Prompt(id, PurposeAnalysis)
		text, err := os.ReadFile(c.folder.Abs(name))
		if err != nil {
			continue
		}
		_, rest, found := bytes.Cut(text, c.p.task)
		info, err := os.Stat(c.folder.Abs(name))
		added := len(rest) > 0 && !bytes.HasPrefix(rest, []byte("\n## Attached: "))
		if !found || added && err == nil && c.p.taskAt.After(info.ModTime()) {
			return name
		}
	}
	return ""
}

// sameInputs compares the bytes of run inputs but for isNewTask: what was a new
// task when its run was begun is none when planning goes on.
func sameInputs(stored []byte, now jsondoc.Doc) bool {
	if bytes.Equal(stored, now.Raw) {
		return true
	}
	then, err := jsondoc.Parse(now.Name, stored)
	if err != nil {
		return false
	}
	then, err1 := then.Set("/inputs/isNewTask", false)
	now, err2 := now.Set("/inputs/isNewTask", false)
	return err1 == nil && err2 == nil && bytes.Equal(then.Raw, now.Raw)
}

func sameStage(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// write creates what is missing, the run inputs first: they claim the sequence
// number. The manifest comes last, so that a run with a manifest is whole.
func (c *creation) write(ctx context.Context) error {
	for _, dir := range []string{"manifests", "state", "prompts", "worker-results", "reports", "logs"} {
		if err := os.MkdirAll(c.folder.Abs(filepath.Join(c.folder.Dir(), dir)), 0o755); err != nil {
			return err
		}
	}
	if err := c.storeInputs(); err != nil {
		return err
	}
	if err := c.writeTaskManifest(ctx); err != nil {
		return err
	}
	if err := c.storeApproval(); err != nil {
		return err
	}
	if m, err := run.LoadManifest(c.folder.Abs(c.folder.RunManifest())); err == nil {
		c.manifest = m
	} else {
		c.manifest = c.newManifest()
	}
	if err := c.placeStage(ctx); err != nil {
		return err
	}
	if err := writeNew(c.folder.Abs(c.folder.ActiveRunContext()), c.context()); err != nil {
		return err
	}
	if err := writeNew(c.folder.Abs(c.folder.TeamState()), c.teamState()); err != nil {
		return err
	}
	return writeNew(c.folder.Abs(c.folder.RunManifest()), c.manifest)
}

// storeInputs keeps the document as it came, byte for byte.
func (c *creation) storeInputs() error {
	path := c.folder.Abs(c.folder.RunInputs())
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return atomicfile.Write(path, c.doc.Raw, 0o644)
}

// writeNew writes a document where there is none yet.
func writeNew(path string, v any) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return writeDocument(path, v)
}

// writeTaskManifest creates the manifest of a new task, and sets in an old one
// what this run decides: the critic, and the approval of its plan.
func (c *creation) writeTaskManifest(ctx context.Context) error {
	path := c.folder.Abs(c.folder.TaskManifest())
	critic := c.critic()
	return atomicfile.Update(ctx, path, 0o644, func(old []byte) ([]byte, error) {
		if old == nil {
			return jsondoc.Marshal(c.newTaskManifest(critic))
		}
		doc, err := jsondoc.Parse(path, old)
		if err != nil {
			return nil, err
		}
		var was run.TaskManifest
		if err := schema.Decode(doc, "okstra-task-manifest", &was); err != nil {
			return nil, err
		}
		if _, ok := doc.Lookup("/convergence"); !ok {
			doc, err = doc.Set("/convergence", map[string]any{"critic": critic})
		} else {
			doc, err = doc.Set("/convergence/critic", critic)
		}
		if err == nil && c.approval != nil {
			doc, err = doc.Set("/approvedPlan", c.approval)
		}
		if err != nil {
			return nil, err
		}
		text, err := jsondoc.Marshal(jsonRaw(doc.Raw))
		if err != nil || bytes.Equal(text, old) {
			return nil, err
		}
		return text, nil
	})
}

func (c *creation) critic() run.Critic {
	w, ok := criticWorker(c.in, c.models)
	if !ok {
		return run.Critic{}
	}
	return run.Critic{Enabled: true, Provider: &w.provider.ID, ModelExecutionValue: &w.model.ExecutionValue}
}

func (c *creation) newTaskManifest(critic run.Critic) run.TaskManifest {
	return run.TaskManifest{
		SchemaVersion: "1.0", Kind: "okstra-task-manifest",
		TaskKey: c.in.TaskKey, ProjectID: c.in.ProjectID, TaskGroup: c.in.TaskGroup, TaskID: c.in.TaskID,
		Title: c.title(), WorkCategory: c.in.WorkCategory, BriefPath: c.in.BriefPath,
		RelatedTasks: orEmpty(c.in.RelatedTasks), CreatedAt: run.Stamp(c.p.Now()), ApprovedPlan: c.approval,
		Convergence: &run.ConvergenceBlock{Critic: &critic},
	}
}

// title is the first heading of the brief, else the task id.
func (c *creation) title() string {
	if c.in.BriefPath == "" {
		return c.in.TaskID
	}
	return firstHeading(run.Abs(c.in.ProjectRoot, c.in.BriefPath), c.in.TaskID)
}

func firstHeading(path, otherwise string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return otherwise
	}
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok && strings.TrimSpace(title) != "" {
			return strings.TrimSpace(title)
		}
	}
	return otherwise
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
