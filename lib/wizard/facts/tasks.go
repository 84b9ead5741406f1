package facts

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"okstra/lib/gitrepo"
	"okstra/lib/run"
	"okstra/lib/wizard"
)

const manifestName = "task-manifest.json"

func (p *Project) tasksDir() string { return filepath.Join(p.Root, ".okstra", "tasks") }

func (p *Project) taskDir(group, id string) string { return filepath.Join(p.tasksDir(), group, id) }

// Tasks lists the tasks of the project, the one with the newest run first.
// There may be thousands, each with files to read, so several are read at a
// time.
func (p *Project) Tasks() wizard.TaskList {
	if p.list != nil {
		return *p.list
	}
	named, leftOut := p.named()
	found := make([]*wizard.TaskFact, len(named))
	var readers sync.WaitGroup
	for worker := range min(2*runtime.GOMAXPROCS(0), len(named)) {
		readers.Go(func() {
			for i := worker; i < len(named); i += min(2*runtime.GOMAXPROCS(0), len(named)) {
				found[i] = p.readTask(named[i].group, named[i].id)
			}
		})
	}
	readers.Wait()
	p.list = &wizard.TaskList{LeftOut: leftOut}
	for _, t := range found {
		if t != nil {
			p.list.Tasks = append(p.list.Tasks, *t)
		}
	}
	slices.SortStableFunc(p.list.Tasks, func(a, b wizard.TaskFact) int { return cmp.Compare(b.LastAt, a.LastAt) })
	return *p.list
}

// taskName is a folder that holds a task.
type taskName struct{ group, id string }

// named lists the folders that may be tasks, in the order of their names, and
// counts those whose names no answer could hold.
func (p *Project) named() (names []taskName, leftOut int) {
	for _, group := range p.entries(p.tasksDir()) {
		if !group.IsDir() {
			continue
		}
		for _, task := range p.entries(filepath.Join(p.tasksDir(), group.Name())) {
			switch {
			case !task.IsDir():
			case run.CheckSegment(group.Name()) != nil || run.CheckSegment(task.Name()) != nil:
				if p.hasManifest(group.Name(), task.Name()) {
					leftOut++
				}
			default:
				names = append(names, taskName{group.Name(), task.Name()})
			}
		}
	}
	return names, leftOut
}

func (p *Project) hasManifest(group, id string) bool {
	info, err := os.Lstat(filepath.Join(p.taskDir(group, id), manifestName))
	return err == nil && info.Mode().IsRegular()
}

// Task is one task of the project.
func (p *Project) Task(group, id string) (wizard.TaskFact, bool) {
	if run.CheckSegment(group) != nil || run.CheckSegment(id) != nil {
		return wizard.TaskFact{}, false
	}
	ref := group + "/" + id
	t, known := p.one[ref]
	if !known {
		if info, err := os.Lstat(p.taskDir(group, id)); err == nil && info.IsDir() {
			t = p.readTask(group, id)
		}
		if p.one == nil {
			p.one = map[string]*wizard.TaskFact{}
		}
		p.one[ref] = t
	}
	if t == nil {
		return wizard.TaskFact{}, false
	}
	return *t, true
}

// taskManifest is what the wizard reads of a task manifest.
type taskManifest struct {
	Kind      string `json:"kind"`
	ProjectID string `json:"projectId"`
	Title     string `json:"title"`
	BriefPath string `json:"briefPath"`
}

// readTask reads a task, nil if it is none.
func (p *Project) readTask(group, id string) *wizard.TaskFact {
	dir := p.taskDir(group, id)
	var m taskManifest
	if !p.read(filepath.Join(dir, manifestName), &m) {
		return nil
	}
	if m.Kind != "okstra-task-manifest" {
		p.warnf("left out: %s: /kind: %q (expected %q)", filepath.Join(dir, manifestName), shown(m.Kind), "okstra-task-manifest")
		return nil
	}
	t := wizard.TaskFact{ProjectID: m.ProjectID, Group: group, ID: id, Title: shown(m.Title), BriefPath: m.BriefPath}
	for _, taskType := range p.entries(filepath.Join(dir, "runs")) {
		if !run.IsTaskType(taskType.Name()) {
			continue
		}
		if at := p.lastRun(filepath.Join(dir, "runs", taskType.Name(), "manifests")); at >= t.LastAt && at != "" {
			t.LastAt, t.LastType = at, taskType.Name()
		}
	}
	return &t
}

// lastRun is when the newest run in a folder of manifests was planned: the one
// with the highest number.
func (p *Project) lastRun(manifests string) string {
	newest := ""
	for _, e := range p.entries(manifests) {
		if name := e.Name(); strings.HasPrefix(name, "run-manifest-") && strings.HasSuffix(name, ".json") && name > newest {
			newest = name
		}
	}
	var m struct {
		CreatedAt string `json:"createdAt"`
	}
	if newest == "" || !p.read(filepath.Join(manifests, newest), &m) {
		return ""
	}
	return shown(m.CreatedAt)
}

// HasOther says whether there is a task but the one named. It stops at the
// first.
func (p *Project) HasOther(group, id string) bool {
	for _, g := range p.entries(p.tasksDir()) {
		if !g.IsDir() || run.CheckSegment(g.Name()) != nil {
			continue
		}
		for _, t := range p.entries(filepath.Join(p.tasksDir(), g.Name())) {
			own := g.Name() == group && t.Name() == id
			if t.IsDir() && !own && run.CheckSegment(t.Name()) == nil && p.hasManifest(g.Name(), t.Name()) {
				return true
			}
		}
	}
	return false
}

// Groups are the groups that have a task, sorted.
func (p *Project) Groups() []string {
	var groups []string
	for _, g := range p.entries(p.tasksDir()) {
		if !g.IsDir() || run.CheckSegment(g.Name()) != nil {
			continue
		}
		tasks := p.entries(filepath.Join(p.tasksDir(), g.Name()))
		if slices.ContainsFunc(tasks, func(t fs.DirEntry) bool { return t.IsDir() && p.hasManifest(g.Name(), t.Name()) }) {
			groups = append(groups, g.Name())
		}
	}
	return groups
}

// Taken is what is there already under the name of a task, in whatever case:
// on some file systems the two would be one folder.
func (p *Project) Taken(group, id string) string {
	for _, g := range p.entries(p.tasksDir()) {
		if !strings.EqualFold(g.Name(), group) {
			continue
		}
		for _, t := range p.entries(filepath.Join(p.tasksDir(), g.Name())) {
			if strings.EqualFold(t.Name(), id) {
				return g.Name() + "/" + t.Name()
			}
		}
	}
	return ""
}

// ProjectID is the identity that the project's tasks bear, "" if there is none
// yet: that of the first whose manifest says one that can be used.
func (p *Project) ProjectID() string {
	names, _ := p.named()
	for _, n := range names {
		if t, ok := p.Task(n.group, n.id); ok && run.CheckSegment(t.ProjectID) == nil {
			return t.ProjectID
		}
	}
	return ""
}

// HasWorktree says whether a worktree is registered for a task.
func (p *Project) HasWorktree(projectID, group, id string) bool {
	if p.registry == nil {
		p.registry = map[string]bool{}
		if p.OkstraHome == "" {
			return false
		}
		places, err := gitrepo.Worktrees{Home: p.OkstraHome}.Registry()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.warnf("left out: %v", err)
		}
		for key := range places {
			p.registry[key] = true
		}
	}
	return p.registry[run.NewTask(projectID, group, id, "", "").TaskKey]
}
