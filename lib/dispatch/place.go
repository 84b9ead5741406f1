package dispatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
)

// worksInTree tells whether runs of a task type work in a worktree of their
// own: those that carry out or check one stage of a plan.
func worksInTree(taskType string) bool {
	return taskType == "implementation" || taskType == "final-verification"
}

// checkBase refuses a base that has moved since it was chosen.
func (c *creation) checkBase(ctx context.Context) error {
	if c.in.BaseRef == "" {
		return nil
	}
	found, err := c.p.repo(c.in.ProjectRoot).Commit(ctx, c.in.BaseRef)
	if err != nil {
		return c.refuse("/inputs/baseRef", "%v", err)
	}
	if found != c.in.BaseCommit {
		return c.refuse("/inputs/baseCommit", "%s is now %s (expected %s)", c.in.BaseRef, found, c.in.BaseCommit)
	}
	return nil
}

func (p *Planner) repo(dir string) gitrepo.Repo { return gitrepo.Open(dir, p.Environ) }

// placeStage makes the worktree of the stage, or finds it: implementation and
// verification of a stage share one.
func (c *creation) placeStage(ctx context.Context) error {
	if !worksInTree(c.in.TaskType) {
		return nil
	}
	if c.p.OkstraHome == "" {
		return fmt.Errorf("no folder for worktrees (set OKSTRA_HOME or HOME)")
	}
	repo := c.p.repo(c.in.ProjectRoot)
	if err := repo.CheckTopLevel(ctx); err != nil {
		return err
	}
	base := orText(c.in.BaseCommit, "HEAD")
	key, place := c.p.stagePlace(c.folder.Task, c.workCategory(), c.stage)
	_, err := gitrepo.Worktrees{Home: c.p.OkstraHome}.Ensure(ctx, repo, key, place, base)
	return err
}

func (c *creation) workCategory() string {
	var m run.TaskManifest
	if _, err := run.Load(c.folder.Abs(c.folder.TaskManifest()), "okstra-task-manifest", &m); err == nil && m.WorkCategory != "" {
		return m.WorkCategory
	}
	return c.in.WorkCategory
}

func (p *Planner) stagePlace(task run.Task, category string, stage *int) (string, gitrepo.Place) {
	n := 0
	if stage != nil {
		n = *stage
	}
	return gitrepo.StageKey(task.TaskKey, n), gitrepo.PlaceOf(p.OkstraHome, task.ProjectID, task.TaskGroup, task.TaskID, category, n)
}

// place tells the jobs of a run where they work, and what an implementer may
// change there.
func (p *Planner) place(ctx context.Context, maker *jobMaker, context run.Context, in run.InputFields) error {
	m := maker.manifest
	if !worksInTree(m.Task.TaskType) {
		return nil
	}
	known, err := gitrepo.Worktrees{Home: p.OkstraHome}.Registry()
	if err != nil {
		return err
	}
	key, _ := p.stagePlace(m.Task, "", context.Run.Stage)
	tree, ok := known[key]
	if !ok {
		return &PlanError{Problems: []error{fmt.Errorf("%s: no worktree of this stage is registered (plan the run from its inputs first)", m.RunID)}}
	}
	if err := p.repo(tree.Path).CheckTopLevel(ctx); err != nil {
		return err
	}
	maker.worktree = tree.Path
	if m.Task.TaskType == "implementation" {
		maker.planned, err = plannedPaths(m)
	}
	return err
}

// lastRound is the highest number of an audit round of the run so far.
func lastRound(m *run.Manifest) int {
	if m == nil {
		return 0
	}
	first := m.Folder().Abs(m.Folder().AuditSnapshot(1))
	stem := first[:len(first)-len("1.json")]
	files, _ := filepath.Glob(globSafe(stem) + "*.json")
	last := 0
	for _, file := range files {
		if n, err := strconv.Atoi(file[len(stem) : len(file)-len(".json")]); err == nil {
			last = max(last, n)
		}
	}
	return last
}

// globSafe escapes what a pattern would take for a wildcard.
func globSafe(path string) string {
	var out []rune
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// leaseTree keeps two batches with write jobs off one tree. It gives the path
// whose lock is the lease.
func leaseTree(root, tree string, sum func([]byte) string) (string, error) {
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".okstra", "locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Join(dir, "tree-"+sum([]byte(real))[len("sha256:"):][:16]), nil
}
